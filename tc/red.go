// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
)

// RED is the options of the red qdisc, tc-red(8). Limit and AvPkt are required;
// 0 in the others stands for tc(8)'s computation. The kernel keeps results of
// AvPkt, Burst and Bandwidth and not these themselves: from a dump they are ones
// that lead to the same results.
type RED struct {
	Limit uint32 // most bytes that may wait
	// Min and Max are the average queue lengths in bytes at which marking starts
	// and at which it is most likely.
	Min, Max uint32
	AvPkt    uint32 // average packet, bytes
	// Burst is how many packets may burst before marking.
	Burst uint32
	// Probability is the most packets marked, in units of 1/2^32; nil is 0.02.
	Probability *uint32
	// Bandwidth is used to reckon how the average falls while the link idles,
	// bit/s; 0 is 10 Mbit/s.
	Bandwidth uint64
	// ECN marks instead of dropping, HardDrop drops above Max even so, Adaptive
	// moves Probability, NoDrop queues packets that cannot be marked.
	ECN, HardDrop, Adaptive, NoDrop bool
	// EarlyDropBlock and MarkBlock are shared blocks whose filters see the
	// packets that are dropped or marked; 0 for none.
	EarlyDropBlock, MarkBlock uint32
}

// Attributes of red (TCA_RED_*, linux/pkt_sched.h).
const (
	redParms          = 1
	redStab           = 2
	redMaxP           = 3
	redFlags          = 4
	redEarlyDropBlock = 5
	redMarkBlock      = 6
)

// Flags of red (TC_RED_*).
const (
	redECN uint32 = 1 << iota
	redHardDrop
	redAdaptive
	redNoDrop
	redFlagsAll = 1<<iota - 1
)

const (
	redOptSize          = 16
	redDefaultBandwidth = 10e6
	// redDumpPacket is the average packet that decoded options pretend.
	redDumpPacket = 1000
)

// Kind is "red".
func (r *RED) Kind() string { return "red" }

func (r *RED) bandwidth() uint64 {
	if r.Bandwidth == 0 {
		return redDefaultBandwidth
	}
	return r.Bandwidth
}

func (r *RED) flags() uint32 {
	var flags uint32
	for _, f := range []struct {
		on  bool
		bit uint32
	}{{r.ECN, redECN}, {r.HardDrop, redHardDrop}, {r.Adaptive, redAdaptive}, {r.NoDrop, redNoDrop}} {
		if f.on {
			flags |= f.bit
		}
	}
	return flags
}

func (r *RED) setFlags(flags uint32) {
	r.ECN, r.HardDrop = flags&redECN != 0, flags&redHardDrop != 0
	r.Adaptive, r.NoDrop = flags&redAdaptive != 0, flags&redNoDrop != 0
}

// redResult is all that the kernel is told.
type redResult struct {
	redParameters
	limit uint32
	flags uint32
	idle  [256]byte
	cell  uint8 // log2 of ticks between entries of idle (Scell_log)
	// earlyDrop and mark are block indexes.
	earlyDrop, mark uint32
}

func (r *RED) result() (redResult, error) {
	if r.Limit == 0 || r.AvPkt == 0 {
		return redResult{}, errors.New("needs limit and avpkt")
	}
	defaultMax := r.Limit / 4
	if r.Min != 0 {
		defaultMax = r.Min * 3
	}
	p, err := redWish{r.Min, r.Max, r.AvPkt, r.Burst, r.Probability}.parameters(defaultMax)
	if err != nil {
		return redResult{}, err
	}
	out := redResult{redParameters: p, limit: r.Limit, flags: r.flags(), earlyDrop: r.EarlyDropBlock, mark: r.MarkBlock}
	out.idle, out.cell, err = redIdle(p.weight, r.AvPkt, r.bandwidth()/8)
	return out, err
}

// Words spells the options for tc-red(8).
func (r *RED) Words(Names) []string {
	out := []string{"limit", sizeText(r.Limit), "avpkt", sizeText(r.AvPkt)}
	for _, n := range []struct {
		word  string
		value uint32
		text  func(uint32) string
	}{{"min", r.Min, sizeText}, {"max", r.Max, sizeText}, {"burst", r.Burst, numberText[uint32]}} {
		if n.value != 0 {
			out = append(out, n.word, n.text(n.value))
		}
	}
	if r.Probability != nil {
		out = append(out, "probability", probabilityText(*r.Probability))
	}
	// Without it tc(8) takes the same figure but says so on stderr.
	out = append(out, "bandwidth", rateText(r.bandwidth()))
	for i, word := range []string{"ecn", "harddrop", "adaptive", "nodrop"} {
		if r.flags()&(1<<i) != 0 {
			out = append(out, word)
		}
	}
	if r.EarlyDropBlock != 0 {
		out = append(out, "qevent", "early_drop", "block", numberText(r.EarlyDropBlock))
	}
	if r.MarkBlock != 0 {
		out = append(out, "qevent", "mark", "block", numberText(r.MarkBlock))
	}
	return out
}

// encode: TCA_RED_PARMS is struct tc_red_qopt {u32 limit, qth_min, qth_max, u8
// Wlog, Plog, Scell_log, flags}; the flags go into an nla_bitfield32 {value,
// selector} instead.
func (r *RED) encode(e *encoder) error {
	n, err := r.result()
	if err != nil {
		return err
	}
	p := e.space(redParms, redOptSize)
	for i, v := range []uint32{n.limit, n.min, n.max} {
		e.order.PutUint32(p[4*i:], v)
	}
	p[12], p[13], p[14] = n.weight, n.scale, n.cell
	e.bytes(redStab, n.idle[:])
	e.u32(redMaxP, n.probability)
	bits := e.space(redFlags, 8)
	e.order.PutUint32(bits, n.flags)
	e.order.PutUint32(bits[4:], redFlagsAll)
	if n.earlyDrop != 0 {
		e.u32(redEarlyDropBlock, n.earlyDrop)
	}
	if n.mark != 0 {
		e.u32(redMarkBlock, n.mark)
	}
	return nil
}

func (r *RED) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case redParms:
			r.Limit, r.Min, r.Max = v.u32At(0), v.u32At(4), v.u32At(8)
			if len(v.b) >= redOptSize {
				weight, cell := v.b[12], v.b[14]
				r.setFlags(uint32(v.b[15]))
				r.AvPkt, r.Burst = redDumpPacket, redBurst(r.Min, redDumpPacket, weight)
				r.Bandwidth = bitsFromBytes(redBandwidth(weight, cell, redDumpPacket))
			}
		case redMaxP:
			r.Probability = ref(v.u32())
		case redFlags:
			r.setFlags(v.u32())
		case redEarlyDropBlock:
			r.EarlyDropBlock = v.u32()
		case redMarkBlock:
			r.MarkBlock = v.u32()
		}
	})
}

func (r *RED) parse(w *words) error {
	err := wordTable{
		"limit": to(&r.Limit, ParseSize), "min": to(&r.Min, ParseSize), "max": to(&r.Max, ParseSize),
		"avpkt": to(&r.AvPkt, ParseSize), "burst": to(&r.Burst, parseU32),
		"probability": with(&r.Probability, parseProbability), "bandwidth": to(&r.Bandwidth, ParseRate),
		"ecn": flag(&r.ECN), "harddrop": flag(&r.HardDrop), "nodrop": flag(&r.NoDrop),
		"adaptive": flag(&r.Adaptive), "adaptative": flag(&r.Adaptive),
		"qevent": r.parseEvent,
	}.parse(w)
	if err == nil {
		_, err = r.result()
	}
	return err
}

// parseEvent reads NAME block INDEX.
func (r *RED) parseEvent(w *words) error {
	name, err := w.argument()
	if err != nil {
		return err
	}
	block, ok := map[string]*uint32{"early_drop": &r.EarlyDropBlock, "mark": &r.MarkBlock}[name]
	if !ok {
		return fmt.Errorf("red has no event %q: early_drop or mark", name)
	}
	if word, err := w.argument(); err != nil || word != "block" {
		return fmt.Errorf("event %s needs block INDEX", name)
	}
	return to(block, parseU32)(w)
}

func (r *RED) clone() Options { return cloned(r) }

// satisfied: the adaptive mode moves the probability by itself.
func (r *RED) satisfied(have Options) bool {
	h, ok := have.(*RED)
	if !ok {
		return false
	}
	want, err := r.result()
	got, errHave := h.result()
	if r.Adaptive {
		got.probability, got.scale = want.probability, want.scale
	}
	want.idle = got.idle // the kernel does not show it; cell stands for it
	return err == nil && errHave == nil && want == got
}

// changeable: all but the blocks; the kernel empties the queue in the course.
func (r *RED) changeable(have Options) bool {
	h, ok := have.(*RED)
	return ok && r.EarlyDropBlock == h.EarlyDropBlock && r.MarkBlock == h.MarkBlock
}
