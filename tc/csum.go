// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "errors"

const csumParms = 1 // TCA_CSUM_PARMS, linux/tc_act/tc_csum.h

// Checksums that csum can renew (TCA_CSUM_UPDATE_FLAG_*).
const (
	CsumIPv4 uint32 = 1 << iota // the header's
	CsumICMP
	CsumIGMP
	CsumTCP
	CsumUDP
	CsumUDPLite
	CsumSCTP
)

var csumWords = []struct {
	word string
	flag uint32
}{
	{"ip4h", CsumIPv4}, {"iph", CsumIPv4}, {"ip", CsumIPv4}, {"ipv4h", CsumIPv4}, {"icmp", CsumICMP}, {"igmp", CsumIGMP},
	{"tcp", CsumTCP}, {"udp", CsumUDP}, {"udplite", CsumUDPLite}, {"sctp", CsumSCTP},
}

// Csum computes checksums anew, tc-csum(8); needed after pedit.
type Csum struct {
	Update  uint32   // CsumIPv4 | ...
	Control *Control // nil for ok
}

// Kind is "csum".
func (c *Csum) Kind() string { return "csum" }

func (c *Csum) parms() uint16                 { return csumParms }
func (c *Csum) control() (**Control, Control) { return &c.Control, ControlOK }

func (c *Csum) encode(e *encoder) error {
	e.order.PutUint32(e.general(c, 4), c.Update)
	return nil
}

func (c *Csum) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		if typ == csumParms {
			c.Update = decodeGeneral(c, v).u32()
		}
	})
}

func (c *Csum) satisfied(have Options) bool {
	h, ok := have.(*Csum)
	return ok && sameControl(c, h) && c.Update == h.Update
}

// Words spells the action for tc-csum(8).
func (c *Csum) Words(Names) []string {
	var out []string
	seen := uint32(0)
	for _, k := range csumWords {
		if c.Update&k.flag&^seen != 0 {
			out = append(out, k.word)
			seen |= k.flag
		}
	}
	return append(out, controlText(c)...)
}

func (c *Csum) parse(w *words) error {
	t := wordTable{}
	for _, k := range csumWords {
		t[k.word] = func(*words) error { c.Update |= k.flag; return nil }
	}
	for _, filler := range []string{"and", "or", "+"} {
		t[filler] = func(*words) error { return nil }
	}
	err := parseAction(c, t, w)
	if byIndex := w.more() && w.peek() == "index"; err == nil && c.Update == 0 && !byIndex {
		return errors.New(`needs what to renew, such as "ip4h"`)
	}
	return err
}
