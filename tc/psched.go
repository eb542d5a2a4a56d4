// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "math"

// The kernel's packet scheduler counts time in ticks of 64 ns (PSCHED_SHIFT 6,
// net/pkt_sched.h), and says so to tc(8) in /proc/net/psched: 0x3e8 / 0x40 =
// 15.625 ticks in a microsecond. All kernels since 2.6.31 do.

const (
	tickShift     = 6
	ticksPerMicro = 15.625
)

// ticks is tc(8)'s time to send size bytes at rate byte/s, in ticks. tc rounds
// down to whole microseconds first; the same figures must come out here, or a
// pasted tc line would give another kernel state.
func ticks(rate uint64, size uint32) uint32 {
	if rate == 0 {
		return 0
	}
	micros := math.Trunc(1e6 * (float64(size) / float64(rate)))
	return clampTicks(micros * ticksPerMicro)
}

// exactTicks is the same as tc(8) reckons it from iproute2 6.15 on: rounded once,
// and up.
func exactTicks(rate uint64, size uint32) uint32 {
	if rate == 0 {
		return 0
	}
	return clampTicks(math.Ceil(1e6 * (float64(size) / float64(rate)) * ticksPerMicro))
}

func clampTicks(f float64) uint32 { return uint32(min(f, math.MaxUint32)) }

// largest is the greatest n for which measure(n) is not above limit; measure
// must not fall. It turns a time the kernel gives back into a size that asks for
// this time again, and is never below the size first asked for.
func largest(limit uint32, measure func(n uint32) uint32) uint32 {
	low, high := uint64(0), uint64(math.MaxUint32)
	for low < high {
		middle := (low + high + 1) / 2
		if measure(uint32(middle)) <= limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return uint32(low)
}

// sizeOfTicks is a size for which ticks gives t again, when there is one.
func sizeOfTicks(rate uint64, t uint32) uint32 {
	if rate == 0 {
		return 0
	}
	return largest(t, func(n uint32) uint32 { return ticks(rate, n) })
}

// ticksRounded is what pie gives back for a time in microseconds: it keeps ticks
// and shows their nanoseconds in 32 bits (sch_pie.c).
func ticksRounded(us uint32) uint32 {
	return uint32(uint64(us)*1000>>tickShift<<tickShift) / 1000
}

// jiffiesAgree compares a time in microseconds with one that the kernel kept in
// timer ticks, rounded up. How many of them make a second is chosen when a
// kernel is built, from the list below, and cannot be asked.
func jiffiesAgree(want, have uint32) bool {
	for _, hz := range []uint64{100, 250, 300, 1000} {
		kept := (uint64(want)*hz + 999999) / 1000000
		if kept*1000000/hz == uint64(have) {
			return true
		}
	}
	return false
}

// transmission is the kernel's own reckoning of the time that a packet takes at
// a rate (psched_l2t_ns, net/sch_generic.h): a multiplication and a shift in
// place of a division.
type transmission struct {
	multiplier    uint64
	shift         uint
	overhead, mpu uint64
	atm           bool
}

// newTransmission prepares for rate byte/s (psched_ratecfg_precompute).
func newTransmission(rate uint64, overhead, mpu uint16, linkLayer uint8) transmission {
	t := transmission{multiplier: 1, overhead: uint64(overhead), mpu: uint64(mpu), atm: linkLayer == LinkATM}
	if rate == 0 {
		return t
	}
	for factor := uint64(1e9); ; factor <<= 1 {
		t.multiplier = uint64(uint32(factor / rate))
		if t.multiplier&(1<<31) != 0 || factor&(1<<63) != 0 {
			return t
		}
		t.shift++
	}
}

// nanos is the time for a packet of size bytes.
func (t transmission) nanos(size uint32) uint64 {
	n := max(uint64(size)+t.overhead, t.mpu)
	if t.atm {
		n = (n + 47) / 48 * 53
	}
	return n * t.multiplier >> t.shift
}

// ticks is the time in ticks for size bytes. The kernel shows it in 32 bits,
// which ends at 274 s.
func (t transmission) ticks(size uint32) uint32 {
	return uint32(min(t.nanos(size)>>tickShift, math.MaxUint32))
}
