// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// HTBClass is the options of an htb class, tc-htb(8). In a request, 0 in Ceil,
// Burst, Cburst and LinkLayer stands for the default of tc(8).
type HTBClass struct {
	// Rate is guaranteed; Ceil is the most, borrowing included, and by default
	// Rate. Both are bit/s.
	Rate, Ceil uint64
	// Burst and Cburst are the bytes that may go at once at Rate and at Ceil; by
	// default 1600. The kernel keeps them as times, so they read back rounded.
	Burst, Cburst uint32
	// Quantum is the bytes a leaf may send before its neighbours; 0 lets the
	// kernel take Rate over the qdisc's R2Q, and does not count in [Satisfied].
	Quantum uint32
	// Prio is 0 to 7; leaves with the lowest get spare bandwidth first.
	Prio uint32
	// Overhead is added to every packet, and MPU the least a packet counts as,
	// both bytes.
	Overhead, MPU uint16
	LinkLayer     uint8 // LinkEthernet or LinkATM
	// Level is 0 for a leaf; from a dump.
	Level uint32
}

const (
	// htbMTU is what tc(8) takes for the largest packet.
	htbMTU = 1600
	// htbTimer is the timer frequency by which tc(8) divides a rate for the
	// default burst: that of high resolution timers (/proc/net/psched).
	htbTimer   = 1e9
	htbPrioMax = 7
	htbOptSize = 2*rateSpecSize + 20
)

// Kind is "htb".
func (h *HTBClass) Kind() string { return "htb" }

// full fills in tc(8)'s defaults for packets up to mtu bytes.
func (h HTBClass) full(mtu uint32) HTBClass {
	if h.Ceil == 0 {
		h.Ceil = h.Rate
	}
	if h.Burst == 0 {
		h.Burst = uint32(h.Rate/8/htbTimer) + mtu
	}
	if h.Cburst == 0 {
		h.Cburst = uint32(h.Ceil/8/htbTimer) + mtu
	}
	if h.LinkLayer == LinkUnaware {
		h.LinkLayer = LinkEthernet
	}
	return h
}

// Words spells the options for tc-htb(8).
func (h *HTBClass) Words(Names) []string {
	f := h.full(htbMTU)
	out := []string{"rate", rateText(f.Rate), "ceil", rateText(f.Ceil), "burst", sizeText(f.Burst), "cburst", sizeText(f.Cburst)}
	for _, n := range []struct {
		word  string
		value uint32
	}{{"quantum", f.Quantum}, {"prio", f.Prio}, {"mpu", uint32(f.MPU)}, {"overhead", uint32(f.Overhead)}} {
		if n.value != 0 {
			out = append(out, n.word, numberText(n.value))
		}
	}
	if f.LinkLayer != LinkEthernet {
		out = append(out, linkLayerWords(f.LinkLayer)...)
	}
	return out
}

// encode: TCA_HTB_PARMS is struct tc_htb_opt {ratespec rate, ceil, u32 buffer,
// cbuffer, quantum, level, prio}, bursts in ticks at their rate.
func (h *HTBClass) encode(e *encoder) error {
	f := h.full(htbMTU)
	rate := rateSpec{rate: f.Rate / 8, overhead: f.Overhead, mpu: f.MPU, linkLayer: f.LinkLayer}
	ceil := rate
	ceil.rate = f.Ceil / 8
	if rate.rate == 0 || ceil.rate == 0 {
		return errNoRate
	}
	e.rate64(htbRate64, rate.rate)
	e.rate64(htbCeil64, ceil.rate)
	p := e.space(htbParms, htbOptSize)
	rate.put(e.order, p, htbMTU)
	ceil.put(e.order, p[rateSpecSize:], htbMTU)
	for i, v := range []uint32{ticks(rate.rate, f.Burst), ticks(ceil.rate, f.Cburst), f.Quantum, 0, f.Prio} {
		e.order.PutUint32(p[2*rateSpecSize+4*i:], v)
	}
	return nil
}

func (h *HTBClass) decode(d decoder) error {
	var rate, ceil uint64
	var burst, cburst uint32
	err := d.each(func(typ uint16, v value) {
		switch typ {
		case htbParms:
			spec := v.rateSpecAt(0)
			h.Overhead, h.MPU, h.LinkLayer = spec.overhead, spec.mpu, spec.linkLayer
			rate, ceil = max(rate, spec.rate), max(ceil, v.rateSpecAt(rateSpecSize).rate)
			burst, cburst = v.u32At(24), v.u32At(28)
			h.Quantum, h.Level, h.Prio = v.u32At(32), v.u32At(36), v.u32At(40)
		case htbRate64:
			rate = v.u64()
		case htbCeil64:
			ceil = v.u64()
		}
	})
	h.Rate, h.Ceil = bitsFromBytes(rate), bitsFromBytes(ceil)
	h.Burst, h.Cburst = sizeOfTicks(rate, burst), sizeOfTicks(ceil, cburst)
	return err
}

func (h *HTBClass) parse(w *words) error {
	mtu := uint32(htbMTU)
	burst, cburst := to(&h.Burst, parseBurst), to(&h.Cburst, parseBurst)
	err := wordTable{
		"rate": to(&h.Rate, ParseRate), "ceil": to(&h.Ceil, ParseRate),
		"burst": burst, "buffer": burst, "maxburst": burst,
		"cburst": cburst, "cbuffer": cburst, "cmaxburst": cburst,
		"quantum": to(&h.Quantum, parseDecimal[uint32]), "prio": to(&h.Prio, parseDecimal[uint32]),
		"mpu": to(&h.MPU, parseDecimal[uint16]), "overhead": to(&h.Overhead, parseDecimal[uint16]),
		"linklayer": to(&h.LinkLayer, parseLinkLayer),
		"mtu":       to(&mtu, parseDecimal[uint32]),
	}.parse(w)
	*h = h.full(mtu)
	if err == nil && (h.Rate < 8 || h.Ceil < 8) {
		err = errNoRate
	}
	return err
}

// satisfied: quantum and priority belong to leaves; the kernel keeps what an
// inner class had before it got children.
func (h *HTBClass) satisfied(have Options) bool {
	got, ok := have.(*HTBClass)
	if !ok {
		return false
	}
	f := h.full(htbMTU)
	leaf := got.Level > 0 || (f.Quantum == 0 || f.Quantum == got.Quantum) && min(f.Prio, htbPrioMax) == min(got.Prio, htbPrioMax)
	return leaf && f.Rate/8 == got.Rate/8 && f.Ceil/8 == got.Ceil/8 &&
		burstAgrees(f.Rate/8, f.Burst, got.Burst) && burstAgrees(f.Ceil/8, f.Cburst, got.Cburst) &&
		f.Overhead == got.Overhead && f.MPU == got.MPU && f.LinkLayer == got.LinkLayer
}

// burstAgrees compares a burst asked for with one read back, whichever release
// of tc(8) turned it into a time.
func burstAgrees(rate uint64, want, have uint32) bool {
	return want == have || sizeOfTicks(rate, ticks(rate, want)) == have || sizeOfTicks(rate, exactTicks(rate, want)) == have
}

// changeable: htb takes every change of a class in place.
func (h *HTBClass) changeable(have Options) bool {
	_, ok := have.(*HTBClass)
	return ok
}
