// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"math"
	"strconv"
)

// Attributes of ctinfo (TCA_CTINFO_*, linux/tc_act/tc_ctinfo.h).
const (
	ctinfoAct       = 3
	ctinfoZone      = 4
	ctinfoDSCPMask  = 5
	ctinfoStateMask = 6
	ctinfoCPMark    = 7
	ctinfoDSCPSet   = 8
	ctinfoDSCPError = 9
	ctinfoCPMarkSet = 10
)

// CtInfo restores what conntrack knows of a packet's connection, tc-ctinfo(8).
// It reads only: a packet without a known connection is left as it is.
type CtInfo struct {
	// DSCPMask are the six adjacent bits of the conntrack mark that are written
	// to the packet's DSCP; 0 for none. With a DSCPStateMask only if one of its
	// bits is set in the mark.
	DSCPMask, DSCPStateMask uint32
	// CPMarkMask are the bits of the conntrack mark that replace the packet's
	// mark as a whole; 0 for none.
	CPMarkMask uint32
	Zone       uint16   // conntrack zone, 0 usually
	Control    *Control // nil for pipe

	// Counters of packets, from a dump: DSCP changed, DSCP could not be written,
	// mark copied.
	DSCPSet, DSCPError, CPMarkSet uint64
}

// Kind is "ctinfo".
func (c *CtInfo) Kind() string { return "ctinfo" }

func (c *CtInfo) parms() uint16                 { return ctinfoAct }
func (c *CtInfo) control() (**Control, Control) { return &c.Control, ControlPipe }

func (c *CtInfo) encode(e *encoder) error {
	e.general(c, 0)
	e.u16(ctinfoZone, c.Zone)
	for _, mask := range []struct {
		typ uint16
		v   uint32
	}{{ctinfoDSCPMask, c.DSCPMask}, {ctinfoStateMask, c.DSCPStateMask}, {ctinfoCPMark, c.CPMarkMask}} {
		if mask.v != 0 {
			e.u32(mask.typ, mask.v)
		}
	}
	return nil
}

func (c *CtInfo) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case ctinfoAct:
			decodeGeneral(c, v)
		case ctinfoZone:
			c.Zone = v.u16()
		case ctinfoDSCPMask:
			c.DSCPMask = v.u32()
		case ctinfoStateMask:
			c.DSCPStateMask = v.u32()
		case ctinfoCPMark:
			c.CPMarkMask = v.u32()
		case ctinfoDSCPSet:
			c.DSCPSet = v.u64()
		case ctinfoDSCPError:
			c.DSCPError = v.u64()
		case ctinfoCPMarkSet:
			c.CPMarkSet = v.u64()
		}
	})
}

func (c *CtInfo) satisfied(have Options) bool {
	h, ok := have.(*CtInfo)
	return ok && sameControl(c, h) && c.DSCPMask == h.DSCPMask && c.DSCPStateMask == h.DSCPStateMask &&
		c.CPMarkMask == h.CPMarkMask && c.Zone == h.Zone
}

// Words spells the action for tc-ctinfo(8), which wants this order.
func (c *CtInfo) Words(Names) []string {
	var out []string
	if c.DSCPMask != 0 {
		out = append(out, "dscp", hexText(c.DSCPMask))
		if c.DSCPStateMask != 0 {
			out = append(out, hexText(c.DSCPStateMask))
		}
	}
	if c.CPMarkMask != 0 {
		out = append(out, "cpmark", hexText(c.CPMarkMask))
	}
	if c.Zone != 0 {
		out = append(out, "zone", strconv.Itoa(int(c.Zone)))
	}
	return append(out, controlText(c)...)
}

func (c *CtInfo) parse(w *words) error {
	return parseAction(c, wordTable{
		"dscp": func(w *words) (err error) {
			if c.DSCPMask, err = take(w, parseU32); err == nil {
				c.DSCPStateMask = optionalMask(w, 0)
			}
			return err
		},
		"cpmark": func(w *words) error { c.CPMarkMask = optionalMask(w, math.MaxUint32); return nil },
		"zone":   to(&c.Zone, parseDecimal[uint16]),
	}, w)
}

// optionalMask takes the next word if it is a number.
func optionalMask(w *words, without uint32) uint32 {
	if w.more() {
		if n, err := parseU32(w.peek()); err == nil {
			w.next()
			return n
		}
	}
	return without
}

func hexText[T uint8 | uint16 | uint32](n T) string { return fmt.Sprintf("%#x", n) }
