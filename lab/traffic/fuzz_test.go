// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"testing"
	"time"
)

func FuzzReceivedBytes(f *testing.F) {
	f.Add("  eth1: 12 0 0\n    lo: 3", "eth1")
	f.Add("Inter-|   Receive\n face |bytes\n", "face |bytes")
	f.Add("eth1:", "eth1")
	f.Fuzz(func(t *testing.T, text, device string) {
		bytes, err := receivedBytes(text, device)
		if err != nil && bytes != 0 {
			t.Errorf("failed and yet returned %d", bytes)
		}
	})
}

// FuzzReport holds for any order of arrivals that every packet is counted once.
func FuzzReport(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, uint8(4))
	f.Add([]byte{3, 3, 0, 200}, uint8(4))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, numbers []byte, sent uint8) {
		arrivals := make([]numbered, len(numbers))
		stray := 0
		for i, number := range numbers {
			arrivals[i] = numbered{uint32(number), time.Duration(i) * time.Millisecond}
			if number >= sent {
				stray++
			}
		}
		r := newReport(make([]time.Duration, sent), arrivals)
		arrived := r.Sent - r.Lost
		if r.Lost < 0 || arrived+r.Duplicated+stray != len(numbers) || r.Reordered > max(0, arrived-1) {
			t.Errorf("%v of %d arrivals, %d of them strays", r, len(numbers), stray)
		}
	})
}

// FuzzLatest holds that a request is found by the half of its number that a message holds, the latest if there are more.
func FuzzLatest(f *testing.F) {
	f.Add(uint32(0), uint16(0))
	f.Add(uint32(65540), uint16(2))
	f.Add(uint32(3), uint16(4))
	f.Fuzz(func(t *testing.T, last uint32, half uint16) {
		number, ok := latest(last, half)
		if !ok {
			if uint32(half) <= last {
				t.Errorf("did not find %d up to %d", half, last)
			}
			return
		}
		if uint16(number) != half || number > last || last-number > 0xffff {
			t.Errorf("found request %d up to %d for %d", number, last, half)
		}
	})
}
