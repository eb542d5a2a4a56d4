// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "testing"

// Times that iproute2 6.1 and 6.15 send, and the sizes that we read in them.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		rate         uint64 // byte/s
		size         uint32
		ticks, exact uint32
	}{
		{1250000, 1600, 20000, 20000}, {1250000, 5120, 64000, 64000}, {112500000, 112500, 15625, 15625},
		{1500000, 1749, 18218, 18219}, {125000000, 1600, 187, 200}, {125000000, 999, 109, 125}, {1250000000, 1249, 0, 16},
		{1000, 1, 15625, 15625}, {0, 1600, 0, 0}, {1, 1 << 31, 4294967295, 4294967295},
	} {
		if got := ticks(c.rate, c.size); got != c.ticks {
			t.Errorf("ticks(%d, %d) = %d, want %d", c.rate, c.size, got, c.ticks)
		}
		if got := exactTicks(c.rate, c.size); got != c.exact {
			t.Errorf("exactTicks(%d, %d) = %d, want %d", c.rate, c.size, got, c.exact)
		}
		if back := sizeOfTicks(c.rate, c.ticks); c.rate != 0 && (back < c.size || ticks(c.rate, back) != c.ticks) {
			t.Errorf("sizeOfTicks(%d, %d) = %d, which is %d ticks", c.rate, c.ticks, back, ticks(c.rate, back))
		}
	}
}

// Nanoseconds that the kernel reckons (psched_l2t_ns).
func TestTransmission(t *testing.T) {
	for _, c := range []struct {
		rate          uint64
		overhead, mpu uint16
		linkLayer     uint8
		size          uint32
		nanos         uint64
	}{
		{1250000, 0, 0, LinkEthernet, 1500, 1200000}, {112500000, 0, 0, LinkEthernet, 112500, 999999}, {125000000, 4, 0, LinkEthernet, 1500, 12032},
		{125000, 0, 64, LinkEthernet, 1, 512000}, {125000, 0, 0, LinkATM, 48, 424000}, {125000, 0, 0, LinkATM, 49, 848000}, {125000, 8, 68, LinkATM, 40, 848000},
		{0, 0, 0, LinkEthernet, 9, 9}, {5000000000, 0, 0, LinkEthernet, 1500, 299},
	} {
		if got := newTransmission(c.rate, c.overhead, c.mpu, c.linkLayer).nanos(c.size); got != c.nanos {
			t.Errorf("%+v: %d ns", c, got)
		}
	}
}

func TestRounding(t *testing.T) {
	for given, kept := range map[uint32]uint32{0: 0, 1: 0, 2: 1, 5000: 4999, 15000: 14999, 100000: 99999, 13992: 13991, 1024: 1024, 4294967295: 4294967294} {
		if got := codelRounded(given); got != kept {
			t.Errorf("codel keeps %d as %d, want %d", given, got, kept)
		}
	}
	for given, kept := range map[uint32]uint32{0: 0, 5000: 5000, 4999: 4998, 15000: 15000, 4294968: 0, 4294967: 4294966} {
		if got := ticksRounded(given); got != kept {
			t.Errorf("pie keeps %d as %d, want %d", given, got, kept)
		}
	}
}

// A dump's figures become ones that are rounded to them.
func TestRestore(t *testing.T) {
	for _, c := range []struct{ dumped, restored uint32 }{{4999, 5000}, {99999, 100000}, {13991, 13992}, {0, 1}, {1023, 1023}, {1024, 1024}} {
		o := &Codel{Target: &c.dumped, CEThreshold: ref[uint32](0)}
		o.restore()
		if *o.Target != c.restored || codelRounded(*o.Target) != c.dumped && c.dumped != 1023 {
			t.Errorf("a target of %d becomes %d, want %d", c.dumped, *o.Target, c.restored)
		}
		if *o.CEThreshold != 0 {
			t.Errorf("a threshold of 0 becomes %d", *o.CEThreshold)
		}
	}
}
