// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import "testing"

// The figures are those that sqm-scripts gives.

func TestFullPacket(t *testing.T) {
	for mtu, want := range map[int64]int64{
		576: 689, 1280: 1484, 1420: 1643, 1488: 1696, 1489: 1749, 1492: 1749, 1500: 1749, 1536: 1749, 1537: 1802, 2048: 2332, 9000: 10017,
	} {
		if got := fullPacket(mtu); got != want {
			t.Errorf("fullPacket(%d) = %d, want %d", mtu, got, want)
		}
	}
}

func TestBurst(t *testing.T) {
	for kbit, want := range map[int64]int64{
		1: 1749, 1000: 1749, 12000: 1749, 13992: 1749, 14000: 1750, 14698: 1837, 20000: 2500, 50000: 6250, 85000: 10625,
		115000: 14375, 900000: 112500, 1000000: 125000, 2500000: 312500,
	} {
		if got := burst(kbit, 1500); got != want {
			t.Errorf("burst(%d) = %d, want %d", kbit, got, want)
		}
	}
}

func TestTargetAndInterval(t *testing.T) {
	for kbit, want := range map[int64][2]int64{
		0: {5000, 100000}, 128: {109312, 204312}, 256: {54656, 149656}, 384: {36437, 131437}, 768: {18218, 113218},
		1000: {13992, 108992}, 1500: {9328, 104328}, 2302: {6078, 101078}, 2798: {5000, 100000}, 12000: {5000, 100000}, 10000000: {5000, 100000},
	} {
		if got := target(kbit); got != want[0] || interval(got) != want[1] {
			t.Errorf("target(%d) = %d with interval %d, want %d", kbit, got, interval(got), want)
		}
	}
}
