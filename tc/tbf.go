// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"math"
)

// TBF is the options of the tbf qdisc, tc-tbf(8).
type TBF struct {
	Rate uint64 // bit/s
	// Burst is the bytes that may go at once; larger packets are dropped, or
	// segmented when they can be. The kernel keeps it as a time, so that it
	// reads back rounded.
	Burst uint32
	// Limit is the bytes that may wait for tokens; it works on the built-in
	// queue and not on a qdisc put under this one.
	Limit uint32
	// Overhead is added to every packet, and MPU the least a packet counts as,
	// both bytes.
	Overhead, MPU uint16
	LinkLayer     uint8 // LinkEthernet or LinkATM; 0 is LinkEthernet
	// PeakRate caps bursts, bit/s, 0 for no cap; MinBurst is the bytes that may
	// go at once at that rate.
	PeakRate uint64
	MinBurst uint32
	// MTU is what tc(8)'s word "mtu" says without a peak rate: the largest
	// packet in bytes that a rate table covers. Kernels since 3.8 do not look at
	// rate tables, and it is not sent.
	MTU uint32
}

// Attributes of tbf (TCA_TBF_*, linux/pkt_sched.h).
const (
	tbfParms      = 1
	tbfRate64     = 4
	tbfPeakRate64 = 5
	tbfBurst      = 6
	tbfPeakBurst  = 7
)

const (
	tbfOptSize = 2*rateSpecSize + 12
	tbfMTU     = 2047 // what tc(8) takes for the largest packet
)

// Kind is "tbf".
func (t *TBF) Kind() string { return "tbf" }

// specs gives the two rates as the kernel takes them.
func (t *TBF) specs() (rate, peak rateSpec) {
	rate = rateSpec{rate: t.Rate / 8, overhead: t.Overhead, mpu: t.MPU, linkLayer: max(t.LinkLayer, LinkEthernet)}
	if t.PeakRate >= 8 {
		peak = rate
		peak.rate = t.PeakRate / 8
	}
	return rate, peak
}

// Words spells the options for tc-tbf(8).
func (t *TBF) Words(Names) []string {
	out := []string{"rate", rateText(t.Rate), "burst", sizeText(t.Burst), "limit", sizeText(t.Limit)}
	if t.PeakRate != 0 {
		out = append(out, "peakrate", rateText(t.PeakRate), "minburst", sizeText(t.MinBurst))
	} else if t.MTU != 0 {
		out = append(out, "mtu", sizeText(t.MTU))
	}
	if t.MPU != 0 {
		out = append(out, "mpu", sizeText(uint32(t.MPU)))
	}
	if t.Overhead != 0 {
		out = append(out, "overhead", numberText(t.Overhead))
	}
	if t.LinkLayer > LinkEthernet {
		out = append(out, linkLayerWords(t.LinkLayer)...)
	}
	return out
}

var errTBF = errors.New("needs rate, burst, limit or latency, and with peakrate also minburst")

func (t *TBF) valid() error {
	if t.Rate < 8 || t.Burst == 0 || t.Limit == 0 || t.PeakRate != 0 && (t.PeakRate < 8 || t.MinBurst == 0) {
		return errTBF
	}
	return nil
}

// encode: TCA_TBF_PARMS is struct tc_tbf_qopt {ratespec rate, peakrate, u32
// limit, buffer, mtu}. Kernels since 3.13 take the bursts from attributes of
// their own, in bytes, and not from the ticks in it.
func (t *TBF) encode(e *encoder) error {
	if err := t.valid(); err != nil {
		return err
	}
	rate, peak := t.specs()
	p := e.space(tbfParms, tbfOptSize)
	mtu := t.MTU
	if peak.rate != 0 {
		mtu = t.MinBurst
	}
	if mtu == 0 {
		mtu = tbfMTU
	}
	rate.put(e.order, p, mtu)
	if peak.rate != 0 {
		peak.put(e.order, p[rateSpecSize:], mtu)
	}
	for i, v := range []uint32{t.Limit, ticks(min(rate.rate, math.MaxUint32), t.Burst), ticks(min(peak.rate, math.MaxUint32), t.MinBurst)} {
		e.order.PutUint32(p[2*rateSpecSize+4*i:], v)
	}
	e.u32(tbfBurst, t.Burst)
	e.rate64(tbfRate64, rate.rate)
	if peak.rate != 0 {
		e.rate64(tbfPeakRate64, peak.rate)
		e.u32(tbfPeakBurst, t.MinBurst)
	}
	return nil
}

// decode: a request has the bursts in bytes, a dump only in ticks.
func (t *TBF) decode(d decoder) error {
	var rate, peak rateSpec
	var buffer, mtu uint32
	err := d.each(func(typ uint16, v value) {
		switch typ {
		case tbfParms:
			spec, peakSpec := v.rateSpecAt(0), v.rateSpecAt(rateSpecSize)
			spec.rate, peakSpec.rate = max(spec.rate, rate.rate), max(peakSpec.rate, peak.rate)
			rate, peak = spec, peakSpec
			t.Limit, buffer, mtu = v.u32At(24), v.u32At(28), v.u32At(32)
		case tbfRate64:
			rate.rate = v.u64()
		case tbfPeakRate64:
			peak.rate = v.u64()
		case tbfBurst:
			t.Burst = v.u32()
		case tbfPeakBurst:
			t.MinBurst = v.u32()
		}
	})
	t.Overhead, t.MPU, t.LinkLayer = rate.overhead, rate.mpu, rate.linkLayer
	t.Rate, t.PeakRate = bitsFromBytes(rate.rate), bitsFromBytes(peak.rate)
	if t.Burst == 0 && rate.rate != 0 {
		t.Burst = largest(buffer, rate.transmission().ticks)
	}
	if t.MinBurst == 0 && peak.rate != 0 {
		t.MinBurst = largest(mtu, peak.transmission().ticks)
	}
	return err
}

func (r rateSpec) transmission() transmission {
	return newTransmission(r.rate, r.overhead, r.mpu, r.linkLayer)
}

func (t *TBF) parse(w *words) error {
	var latency, mtu *uint32
	burst, minBurst := to(&t.Burst, parseBurst), with(&mtu, parseBurst)
	err := wordTable{
		"limit": func(w *words) error {
			latency = nil
			return to(&t.Limit, ParseSize)(w)
		},
		"latency": with(&latency, ParseTime),
		"burst":   burst, "buffer": burst, "maxburst": burst,
		"mtu": minBurst, "minburst": minBurst,
		"mpu": func(w *words) error {
			n, err := take(w, ParseSize)
			t.MPU = uint16(min(n, math.MaxUint16))
			return err
		},
		"rate": to(&t.Rate, ParseRate), "peakrate": to(&t.PeakRate, ParseRate),
		"overhead":  to(&t.Overhead, parseDecimal[uint16]),
		"linklayer": to(&t.LinkLayer, parseLinkLayer),
	}.parse(w)
	if err != nil {
		return err
	}
	t.LinkLayer = max(t.LinkLayer, LinkEthernet)
	if mtu != nil {
		t.MTU, t.MinBurst = *mtu, *mtu
	}
	if t.PeakRate == 0 {
		t.MinBurst = 0
	} else {
		t.MTU = 0
	}
	if latency != nil {
		t.Limit = t.limitFor(*latency)
	}
	return t.valid()
}

// limitFor is the limit at which a packet waits at most latency microseconds.
func (t *TBF) limitFor(latency uint32) uint32 {
	limit := float64(t.Rate/8)*float64(latency)/1e6 + float64(t.Burst)
	if t.PeakRate != 0 {
		limit = min(limit, float64(t.PeakRate/8)*float64(latency)/1e6+float64(t.MinBurst))
	}
	return uint32(min(limit, math.MaxUint32))
}

func (t *TBF) clone() Options { return cloned(t) }

// satisfied compares the bursts as the times that the kernel makes of them.
func (t *TBF) satisfied(have Options) bool {
	got, ok := have.(*TBF)
	if !ok {
		return false
	}
	rate, peak := t.specs()
	gotRate, gotPeak := got.specs()
	time, peakTime := rate.transmission(), peak.transmission()
	return rate == gotRate && peak == gotPeak && t.Limit == got.Limit && time.ticks(t.Burst) == time.ticks(got.Burst) &&
		(peak.rate == 0 || peakTime.ticks(t.MinBurst) == peakTime.ticks(got.MinBurst))
}

// changeable: tbf takes every change in place.
func (t *TBF) changeable(have Options) bool {
	_, ok := have.(*TBF)
	return ok
}
