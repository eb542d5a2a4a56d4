// SPDX-License-Identifier: GPL-2.0-or-later

package tc

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

// Kind is "tbf".
func (t *TBF) Kind() string { return "tbf" }
