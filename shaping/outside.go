// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"

	"sqmd/tc"
)

// rates are limits of a unit's directions in bit/s, 0 for none.
type rates struct {
	Upload   uint64 `json:"upload_bits,omitempty"`
	Download uint64 `json:"download_bits,omitempty"`
}

func (r *rates) of(d Direction) *uint64 {
	if d == Upload {
		return &r.Upload
	}
	return &r.Download
}

// respect gives the tree to want where the kernel has another rate than the
// configuration: the kernel's, if another program put it there. That is so when
// the configuration still asks for the rate that was set last, and everything
// but the rate is as wanted.
func (p *planner) respect(d Direction, want, have *Tree) *Tree {
	if !p.respecting || want == nil || have == nil || *p.record.Set.of(d) != want.rate() || have.rate() == want.rate() || have.rate() == 0 {
		return want
	}
	theirs := atRateOf(want, have)
	if !samePlace(theirs, have) || len(treeDiff(theirs, have)) > 0 {
		return want
	}
	*p.Outside.of(d) = have.rate()
	return theirs
}

// atRateOf is the tree with the rates that the other one has.
func atRateOf(want, have *Tree) *Tree {
	theirs := *want
	theirs.Root.Options = rateFrom(want.Root.Options, have.Root.Options)
	theirs.Classes = make([]tc.Class, len(want.Classes))
	for i, w := range want.Classes {
		for _, h := range have.Classes {
			if sameClass(w, h, want.Root.Handle) {
				w.Options = rateFrom(w.Options, h.Options)
			}
		}
		theirs.Classes[i] = w
	}
	return &theirs
}

// rateFrom is want with the rate of have, and with what tc(8) makes follow from a
// rate.
func rateFrom(want, have tc.Options) tc.Options {
	switch w := want.(type) {
	case *tc.Cake:
		if h, ok := have.(*tc.Cake); ok {
			c := *w
			c.Rate = h.Rate
			return &c
		}
	case *tc.TBF:
		if h, ok := have.(*tc.TBF); ok {
			c := *w
			c.Rate, c.Burst, c.Limit = h.Rate, h.Burst, h.Limit
			return &c
		}
	case *tc.HTBClass:
		if h, ok := have.(*tc.HTBClass); ok {
			c := *w
			c.Rate, c.Ceil, c.Burst, c.Cburst = h.Rate, h.Ceil, h.Burst, h.Cburst
			return &c
		}
	}
	return want
}

// treeDiff are the operations that bring one tree to the other in place.
func treeDiff(want, have *Tree) []Op {
	d := &differ{device: &Device{}}
	d.alter(want, have)
	return d.ops
}

// outsideReason says why a direction is not at the configured rate.
func outsideReason(want uint64, have uint64) string {
	return fmt.Sprintf("another program set the rate to %d kbit/s; configured are %d kbit/s", have/1000, want/1000)
}
