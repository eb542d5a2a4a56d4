// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

// The formulas of the htb and tbf recipes. They are those of sqm-scripts 1.3 and
// later, so that a line that was tuned with it behaves the same. Rates are
// kbit/s, sizes bytes, times microseconds.

const (
	// shaperDuration is how long a shaper may send without looking at the clock.
	// Shorter costs CPU, longer adds jitter.
	shaperDuration = 1000

	// defaultLimit is the packet limit of a leaf qdisc.
	defaultLimit = 1001
	// defaultFlows is the number of flow queues of fq_codel and sfq.
	defaultFlows = 1024
	// directBurst is the burst that tc(8) gives a class without one, on a kernel
	// with high-resolution timers: one packet of the rate table's MTU.
	directBurst = 1600

	// slowTarget is the time 33 ATM cells take at 1 kbit/s: a full packet's.
	slowTarget    = 33 * 53 * 8 * 1000
	minimumTarget = 5000
	// intervalAbove is the interval beyond the target: 100 ms with a 5 ms target.
	intervalAbove = 95000
)

// fullPacket is a packet of mtu with 48 bytes of overhead, in ATM cells.
func fullPacket(mtu int64) int64 { return (mtu + 48 + 47) / 48 * 53 }

// burst is what kbit sends in shaperDuration, at least one full packet. It is
// also the quantum of a class.
func burst(kbit, mtu int64) int64 {
	return max(fullPacket(mtu), shaperDuration*kbit/8000)
}

// target is codel's delay target: long enough for a full packet on a slow link.
func target(kbit int64) int64 {
	if kbit == 0 {
		return minimumTarget
	}
	return max(minimumTarget, slowTarget/kbit)
}

// interval is codel's interval for a target.
func interval(target int64) int64 { return intervalAbove + target }
