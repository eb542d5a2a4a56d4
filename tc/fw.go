// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "math"

// Attributes of fw (TCA_FW_*, linux/pkt_cls.h).
const (
	fwClassID = 1
	fwInDev   = 3
	fwAct     = 4
	fwMask    = 5
)

// Fw matches the firewall mark of a packet, tc-fw(8). The mark to match is the
// filter's [Filter.Handle].
type Fw struct {
	ClassID Handle // class that packets go to, 0 for none
	// Mask are the bits of the packet's mark that count; 0 for all. All fw
	// filters of one preference must have the same.
	Mask    uint32
	InDev   string // only packets that arrived on this device, "" for any
	Actions Actions
}

// Kind is "fw".
func (f *Fw) Kind() string { return "fw" }

func (f *Fw) encode(e *encoder) error {
	if f.Mask != 0 {
		e.u32(fwMask, f.Mask)
	}
	if f.ClassID != 0 {
		e.u32(fwClassID, uint32(f.ClassID))
	}
	if f.InDev != "" {
		e.str(fwInDev, f.InDev)
	}
	return f.Actions.encode(e, fwAct)
}

func (f *Fw) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case fwClassID:
			f.ClassID = Handle(v.u32())
		case fwInDev:
			f.InDev = v.str()
		case fwAct:
			f.Actions = decodeActions(v.nested())
		case fwMask:
			f.Mask = v.u32()
		}
	})
}

func (f *Fw) satisfied(have Options) bool {
	h, ok := have.(*Fw)
	return ok && f.ClassID == h.ClassID && f.mask() == h.mask() && f.InDev == h.InDev && f.Actions.satisfied(h.Actions)
}

func (f *Fw) mask() uint32 {
	if f.Mask == 0 {
		return math.MaxUint32
	}
	return f.Mask
}

// Words spells the options for tc-fw(8). The mask is not among them: it stands
// with the handle before the kind.
func (f *Fw) Words(names Names) []string {
	out := classWords(f.ClassID)
	if f.InDev != "" {
		out = append(out, "indev", f.InDev)
	}
	return append(out, f.Actions.words(names)...)
}

// handleText is the mark with its mask.
func (f *Fw) handleText(mark uint32) string {
	if f.mask() == math.MaxUint32 {
		return hexText(mark)
	}
	return hexText(mark) + "/" + hexText(f.Mask)
}

func (f *Fw) parse(w *words) error {
	var noFlags uint32
	t := filterTable(wordTable{"indev": to(&f.InDev, anyText)}, &f.ClassID, &f.Actions, &noFlags)
	delete(t, "skip_hw")
	delete(t, "skip_sw")
	return t.parse(w)
}

func anyText(s string) (string, error) { return s, nil }
