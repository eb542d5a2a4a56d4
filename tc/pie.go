// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Pie is the options of the pie qdisc, tc-pie(8) and RFC 8033.
type Pie struct {
	Limit *uint32 // packets
	// Target is the delay aimed at and TUpdate the time between two
	// calculations of the drop probability, microseconds. The kernel counts
	// TUpdate in its timer ticks.
	Target, TUpdate *uint32
	// Alpha and Beta weigh the delay and its change, 0 to 32, in sixteenths.
	Alpha, Beta *uint32
	// ECN marks instead of dropping, ByteMode scales the drop probability by
	// packet size, DQRateEstimator derives the delay from the departure rate
	// instead of from time stamps (Linux 5.5). Each is 0 or 1.
	ECN, ByteMode, DQRateEstimator *uint32
}

// pieWeightMax is the largest alpha and beta.
const pieWeightMax = 32

var pieWeight = form{text: numberText[uint32], nonzero: true, read: upTo(pieWeightMax)}

// Kind is "pie".
func (p *Pie) Kind() string { return "pie" }

// numbers is in iproute2's order; attributes are TCA_PIE_*.
func (p *Pie) numbers() numbers {
	return numbers{
		{field: &p.Limit, attr: 2, word: "limit", form: plainForm, initial: ref[uint32](1000)},
		{field: &p.TUpdate, attr: 3, word: "tupdate", form: timeForm, agrees: jiffiesAgree, initial: ref[uint32](15000)},
		{field: &p.Target, attr: 1, word: "target", form: timeForm, kept: ticksRounded, initial: ref[uint32](15000)},
		{field: &p.Alpha, attr: 4, word: "alpha", form: pieWeight, initial: ref[uint32](2)},
		{field: &p.Beta, attr: 5, word: "beta", form: pieWeight, initial: ref[uint32](20)},
		{field: &p.ECN, attr: 6, word: "ecn", form: switchForm("noecn"), initial: ref[uint32](0)},
		{field: &p.ByteMode, attr: 7, word: "bytemode", form: switchForm("nobytemode"), initial: ref[uint32](0)},
		{field: &p.DQRateEstimator, attr: 8, word: "dq_rate_estimator", form: switchForm("no_dq_rate_estimator"), initial: ref[uint32](0)},
	}
}

// Words spells the options for tc-pie(8).
func (p *Pie) Words(Names) []string { return p.numbers().words() }

func (p *Pie) encode(e *encoder) error { p.numbers().encode(e); return nil }
func (p *Pie) decode(d decoder) error  { return p.numbers().decode(d) }
func (p *Pie) parse(w *words) error    { return p.numbers().table().parse(w) }

func (p *Pie) clone() Options               { return cloned(p) }
func (p *Pie) complete() Options            { return completed(p) }
func (p *Pie) restore()                     { p.numbers().restore() }
func (p *Pie) satisfied(have Options) bool  { return allSatisfied(p, have) }
func (p *Pie) changeable(have Options) bool { return allChangeable(p, have) }
