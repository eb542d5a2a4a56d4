// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
)

// SFQ is the options of the sfq qdisc, tc-sfq(8). The kernel takes them only when
// the qdisc is created.
type SFQ struct {
	Limit *uint32 // packets, 2 or more
	// Quantum is the bytes a flow may send per round, at least 256. The kernel's
	// default is the device's MTU and link header.
	Quantum *uint32
	// Divisor is the size of the hash table, a power of two to 65536, and Flows
	// the number of flows.
	Divisor, Flows *uint32
	Depth          *uint32 // packets of one flow, to 127
	// Perturb is the seconds after which the hash is changed, 0 for never.
	Perturb  *uint32
	HeadDrop *uint32 // 1 to drop the oldest packet instead of the newest
	// RedFlowLimit is the most bytes of one flow and switches RED on for each
	// flow. The others of RED, nil for tc(8)'s computation from it: Min and Max
	// are average lengths in bytes, AvPkt a packet's bytes, Burst packets. The
	// kernel keeps results and not these themselves: from a dump they are ones
	// that lead to the same results.
	RedFlowLimit, Min, Max, AvPkt, Burst *uint32
	// Probability is the most packets dropped, in units of 1/2^32.
	Probability   *uint32
	ECN, HardDrop *uint32 // 0 or 1
}

const (
	sfqDepthMax = 127
	sfqFlowsMax = 0x10000 - sfqDepthMax - 1
	sfqBaseSize = 20 // struct tc_sfq_qopt
	sfqStatsAt  = 48 // the counters in struct tc_sfq_qopt_v1
	sfqSize     = 72
	sfqAvPkt    = 1000
)

// Kind is "sfq".
func (s *SFQ) Kind() string { return "sfq" }

// numbers is the parameters of the queue itself; they have no attributes.
func (s *SFQ) numbers() numbers {
	return numbers{
		{field: &s.Limit, word: "limit", form: sfqLimit, initial: ref[uint32](sfqDepthMax)},
		{field: &s.Quantum, word: "quantum", form: sizeForm, kept: keptQuantum, lingers: belowMTU},
		{field: &s.Divisor, word: "divisor", form: plainForm, initial: ref[uint32](1024)},
		{field: &s.Flows, word: "flows", form: plainForm, initial: ref[uint32](128)},
		{field: &s.Depth, word: "depth", form: plainForm, initial: ref[uint32](sfqDepthMax)},
		{field: &s.Perturb, word: "perturb", form: plainForm.zero(), initial: ref[uint32](0)},
		{field: &s.HeadDrop, word: "headdrop", form: switchForm(""), initial: ref[uint32](0)},
	}
}

// red is the parameters of RED, by word.
func (s *SFQ) red() numbers {
	return numbers{
		{field: &s.RedFlowLimit, word: "redflowlimit", form: plainForm},
		{field: &s.Min, word: "min", form: plainForm},
		{field: &s.Max, word: "max", form: plainForm},
		{field: &s.AvPkt, word: "avpkt", form: sizeForm},
		{field: &s.Burst, word: "burst", form: plainForm},
		{field: &s.Probability, word: "probability", form: form{read: parseProbability, text: probabilityText}},
		{field: &s.ECN, word: "ecn", form: switchForm("")},
		{field: &s.HardDrop, word: "harddrop", form: switchForm("")},
	}
}

var sfqLimit = form{text: numberText[uint32], read: func(s string) (uint32, error) {
	n, err := parseU32(s)
	if err == nil && n < 2 {
		err = fmt.Errorf("%q is not a number from 2", s)
	}
	return n, err
}}

// Words spells the options for tc-sfq(8).
func (s *SFQ) Words(Names) []string { return append(s.numbers().words(), s.red().words()...) }

// given reports whether anything is said at all.
func (list numbers) given() bool {
	for _, n := range list {
		if *n.field != nil {
			return true
		}
	}
	return false
}

// frame: tc(8) sends nothing when nothing was said, and the kernel refuses an
// empty structure.
func (s *SFQ) frame() (uint16, bool) { return 0, s.numbers().given() || s.red().given() }

// or0 is an optional number as the kernel's structures have it.
func or0(v *uint32) uint32 {
	if v == nil {
		return 0
	}
	return *v
}

func (s *SFQ) flags() uint32 {
	var flags uint32
	if or0(s.ECN) != 0 {
		flags |= redECN
	}
	if or0(s.HardDrop) != 0 {
		flags |= redHardDrop
	}
	return flags
}

// parameters reckons RED's numbers; all are 0 when it is off.
func (s *SFQ) parameters() (redParameters, error) {
	limit := or0(s.RedFlowLimit)
	switch {
	case limit == 0 && !s.red().given():
		return redParameters{}, nil
	case limit == 0:
		return redParameters{}, errors.New("red for each flow needs redflowlimit")
	}
	wish := redWish{or0(s.Min), or0(s.Max), or0(s.AvPkt), or0(s.Burst), s.Probability}
	if wish.avpkt == 0 {
		wish.avpkt = sfqAvPkt
	}
	p, err := wish.parameters(limit / 4)
	if err == nil && (p.max > limit || p.min >= p.max) {
		err = fmt.Errorf("min %d, max %d and redflowlimit %d must rise in this order", p.min, p.max, limit)
	}
	return p, err
}

// encode: TCA_OPTIONS is struct tc_sfq_qopt_v1 {u32 quantum, s32 perturb, u32
// limit, divisor, flows, depth, headdrop, redflowlimit, qth_min, qth_max, u8
// Wlog, Plog, Scell_log, flags, u32 max_P, six counters}, without attributes.
func (s *SFQ) encode(e *encoder) error {
	p, err := s.parameters()
	if err != nil {
		return err
	}
	if _, present := s.frame(); !present {
		return nil
	}
	e.raw(or0(s.Quantum), or0(s.Perturb), or0(s.Limit), or0(s.Divisor), or0(s.Flows), or0(s.Depth), or0(s.HeadDrop),
		or0(s.RedFlowLimit), p.min, p.max)
	e.buf = append(e.buf, p.weight, p.scale, 0, byte(s.flags()))
	e.raw(p.probability)
	e.buf = append(e.buf, make([]byte, sfqSize-sfqStatsAt)...)
	return nil
}

func (s *SFQ) decode(d decoder) error {
	v := d.value()
	if len(v.b) < sfqBaseSize {
		return errTruncated
	}
	s.Perturb = ref(v.u32At(4))
	for at, field := range map[int]**uint32{0: &s.Quantum, 8: &s.Limit, 12: &s.Divisor, 16: &s.Flows, 20: &s.Depth} {
		// 0 stands for nothing said; the kernel always has a number.
		if n := v.u32At(at); n != 0 && at+4 <= len(v.b) {
			*field = &n
		}
	}
	if len(v.b) < sfqSize {
		return nil
	}
	s.HeadDrop = ref(v.u32At(24))
	if flags := uint32(v.b[43]); flags != 0 {
		s.ECN, s.HardDrop = ref(flags&redECN), ref(flags&redHardDrop>>1)
	}
	if low, high := v.u32At(32), v.u32At(36); low != 0 {
		s.Min, s.Max, s.Probability = &low, &high, ref(v.u32At(44))
		s.AvPkt, s.Burst = ref[uint32](sfqAvPkt), ref(redBurst(low, sfqAvPkt, v.b[40]))
		// The kernel does not use or keep the flow limit.
		s.RedFlowLimit = ref(max(v.u32At(28), high))
	}
	return nil
}

func (s *SFQ) parse(w *words) error {
	t := s.numbers().table()
	for word, do := range s.red().table() {
		t[word] = do
	}
	if err := t.parse(w); err != nil {
		return err
	}
	_, err := s.parameters()
	return err
}

func (s *SFQ) clone() Options { return cloned(s) }

func (s *SFQ) complete() Options {
	full := cloned(s)
	full.numbers().complete()
	return full
}

// settled is the numbers as the kernel keeps them, since some limit others.
// have, or else a new qdisc, stands in for what was not asked for.
func (s *SFQ) settled(have *SFQ) SFQ {
	all := *s
	for i, n := range all.numbers() {
		if *n.field == nil {
			*n.field = *have.numbers()[i].field
		}
	}
	all.numbers().complete()
	depth := min(*all.Depth, sfqDepthMax)
	mostFlows := min(*all.Flows, sfqFlowsMax, *all.Divisor)
	limit := min(*all.Limit, depth*mostFlows)
	flows := min(mostFlows, limit)
	// The number of flows is cut to the limit only by a request that has one.
	if or0(have.Flows) == mostFlows {
		flows = mostFlows
	}
	settled := *s
	for field, v := range map[**uint32]uint32{&settled.Depth: depth, &settled.Limit: limit, &settled.Flows: flows} {
		if *field != nil {
			*field = ref(v)
		}
	}
	return settled
}

func (s *SFQ) satisfied(have Options) bool {
	h, ok := have.(*SFQ)
	if !ok {
		return false
	}
	want, got := s.settled(h), h.settled(h)
	return want.numbers().satisfied(got.numbers()) && s.sameRED(h)
}

func (s *SFQ) sameRED(have *SFQ) bool {
	want, err := s.parameters()
	got, errHave := have.parameters()
	return err == nil && errHave == nil && want == got && s.flags() == have.flags()
}

// changeable: sfq has no change operation.
func (s *SFQ) changeable(have Options) bool { return s.satisfied(have) }
