// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// FqPie is the options of the fq_pie qdisc, tc-fq_pie(8), Linux 5.6.
type FqPie struct {
	Limit *uint32 // packets
	// Flows is the number of queues, 1 to 65536; only at creation.
	Flows *uint32
	// Target is the delay aimed at and TUpdate the time between two
	// calculations of the drop probability, microseconds. The kernel counts
	// TUpdate in its timer ticks.
	Target, TUpdate *uint32
	// Alpha and Beta weigh the delay and its change, 0 to 32, in sixteenths.
	Alpha, Beta *uint32
	// Quantum is the bytes a flow may send per round, at least 256. The kernel's
	// default is the device's MTU and link header.
	Quantum     *uint32
	MemoryLimit *uint32 // bytes
	// ECNProb is the drop probability in percent, 0 to 99, up to which packets
	// are marked instead of dropped.
	ECNProb *uint32
	// ECN marks instead of dropping, ByteMode scales the drop probability by
	// packet size, DQRateEstimator derives the delay from the departure rate
	// instead of from time stamps. Each is 0 or 1.
	ECN, ByteMode, DQRateEstimator *uint32
}

var fqPiePercent = form{text: numberText[uint32], nonzero: true, read: upTo(99)}

// Kind is "fq_pie".
func (f *FqPie) Kind() string { return "fq_pie" }

// numbers is in iproute2's order; attributes are TCA_FQ_PIE_*.
func (f *FqPie) numbers() numbers {
	return numbers{
		{field: &f.Limit, attr: 1, word: "limit", form: plainForm, initial: ref[uint32](10240)},
		{field: &f.Flows, attr: 2, word: "flows", form: plainForm, initial: ref[uint32](1024), fixed: true},
		{field: &f.Target, attr: 3, word: "target", form: timeForm, kept: ticksRounded, initial: ref[uint32](15000)},
		{field: &f.TUpdate, attr: 4, word: "tupdate", form: timeForm, agrees: jiffiesAgree, initial: ref[uint32](15000)},
		{field: &f.Alpha, attr: 5, word: "alpha", form: pieWeight, initial: ref[uint32](2)},
		{field: &f.Beta, attr: 6, word: "beta", form: pieWeight, initial: ref[uint32](20)},
		{field: &f.Quantum, attr: 7, word: "quantum", form: sizeForm, kept: keptQuantum, lingers: belowMTU},
		{field: &f.MemoryLimit, attr: 8, word: "memory_limit", form: sizeForm, lingers: oddMemory},
		{field: &f.ECNProb, attr: 9, word: "ecn_prob", form: fqPiePercent, initial: ref[uint32](10)},
		{field: &f.ECN, attr: 10, word: "ecn", form: switchForm("noecn"), initial: ref[uint32](0)},
		{field: &f.ByteMode, attr: 11, word: "bytemode", form: switchForm("nobytemode"), initial: ref[uint32](0)},
		{field: &f.DQRateEstimator, attr: 12, word: "dq_rate_estimator", form: switchForm("no_dq_rate_estimator"), initial: ref[uint32](0)},
	}
}

// Words spells the options for tc-fq_pie(8).
func (f *FqPie) Words(Names) []string { return f.numbers().words() }

func (f *FqPie) encode(e *encoder) error { f.numbers().encode(e); return nil }
func (f *FqPie) decode(d decoder) error  { return f.numbers().decode(d) }
func (f *FqPie) parse(w *words) error    { return f.numbers().table().parse(w) }

// frame: fq_pie is checked strictly and refuses a nest without the flag.
func (f *FqPie) frame() (uint16, bool) { return attrNested, true }

func (f *FqPie) clone() Options               { return cloned(f) }
func (f *FqPie) complete() Options            { return completed(f) }
func (f *FqPie) forChange() Options           { return withoutFixed(f) }
func (f *FqPie) restore()                     { f.numbers().restore() }
func (f *FqPie) satisfied(have Options) bool  { return allSatisfied(f, have) }
func (f *FqPie) changeable(have Options) bool { return allChangeable(f, have) }
