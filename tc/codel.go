// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Codel is the options of the codel qdisc, tc-codel(8).
type Codel struct {
	Limit *uint32 // packets
	// Target is the acceptable standing delay and Interval the time within which
	// it must be met, microseconds.
	Target, Interval *uint32
	ECN              *uint32 // 1 to mark instead of drop
	// CEThreshold marks every packet that waited longer, microseconds. Once set
	// it cannot be taken away from a living qdisc by leaving it out.
	CEThreshold *uint32
}

// Kind is "codel".
func (c *Codel) Kind() string { return "codel" }

// numbers is in iproute2's order; attributes are TCA_CODEL_*.
func (c *Codel) numbers() numbers {
	return numbers{
		{field: &c.Limit, attr: 2, word: "limit", form: plainForm, initial: ref[uint32](1000)},
		{field: &c.Interval, attr: 3, word: "interval", form: timeForm, kept: codelRounded, initial: ref[uint32](100000)},
		{field: &c.Target, attr: 1, word: "target", form: timeForm, kept: codelRounded, initial: ref[uint32](5000)},
		{field: &c.ECN, attr: 4, word: "ecn", form: switchForm("noecn"), kept: zeroOrOne, initial: ref[uint32](0)},
		{field: &c.CEThreshold, attr: 5, word: "ce_threshold", form: timeForm.zero(), kept: codelRounded, lingers: given},
	}
}

// Words spells the options for tc-codel(8).
func (c *Codel) Words(Names) []string { return c.numbers().words() }

func (c *Codel) encode(e *encoder) error { c.numbers().encode(e); return nil }
func (c *Codel) decode(d decoder) error  { return c.numbers().decode(d) }
func (c *Codel) parse(w *words) error    { return c.numbers().table().parse(w) }

func (c *Codel) clone() Options               { return cloned(c) }
func (c *Codel) complete() Options            { return completed(c) }
func (c *Codel) restore()                     { c.numbers().restore() }
func (c *Codel) satisfied(have Options) bool  { return allSatisfied(c, have) }
func (c *Codel) changeable(have Options) bool { return allChangeable(c, have) }
