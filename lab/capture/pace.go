// SPDX-License-Identifier: GPL-2.0-or-later

package capture

import (
	"fmt"
	"time"
)

// Pace is how fast packets came.
type Pace struct {
	// Bits is the rate in bit/s, over all of the time.
	Bits float64
	// Least and Most are the least and the most that came in a window, in bit/s.
	Least, Most float64
	// Burst is by how many bytes at most the packets of some stretch of time, of any length, were more than the rate
	// given to [Measure] allows: what a token bucket of that rate must hold to let them pass.
	Burst float64
	// Silence is the longest time without a packet.
	Silence time.Duration
}

func (p Pace) String() string {
	return fmt.Sprintf("%.0f bit/s, from %.0f to %.0f in windows, %.0f bytes above the rate at most, silent for %v at most",
		p.Bits, p.Least, p.Most, p.Burst, p.Silence.Round(time.Millisecond))
}

// Measure tells the pace of packets, which are in order of time. Each counts as many bytes as size says; rate is in
// bit/s. Every window begins with a packet, that packet included.
func Measure(packets []Packet, size func(Packet) int, rate float64, window time.Duration) (Pace, error) {
	const few = 2
	if len(packets) < few {
		return Pace{}, fmt.Errorf("measure pace: %d packets, want %d at least", len(packets), few)
	}
	var pace Pace
	first, last := packets[0].At, packets[len(packets)-1].At
	if last-first < window {
		return Pace{}, fmt.Errorf("measure pace: packets of %v, want %v at least", last-first, window)
	}
	total, bucket := 0, 0.0
	for i, p := range packets {
		if i > 0 {
			gap := p.At - packets[i-1].At
			pace.Silence = max(pace.Silence, gap)
			bucket = max(0, bucket-rate/8*gap.Seconds())
		}
		bucket += float64(size(p))
		pace.Burst = max(pace.Burst, bucket)
		total += size(p)
	}
	// The last packet ends the time: its own bytes had theirs before it.
	pace.Bits = float64(total-size(packets[0])) * 8 / (last - first).Seconds()
	pace.Least, pace.Most = windows(packets, size, window)
	return pace, nil
}

// windows gives the least and the most that came in a window, in bit/s.
func windows(packets []Packet, size func(Packet) int, window time.Duration) (least, most float64) {
	last := packets[len(packets)-1].At
	sum, end := 0, 0
	for i, p := range packets {
		if p.At+window > last {
			break
		}
		for ; end < len(packets) && packets[end].At < p.At+window; end++ {
			sum += size(packets[end])
		}
		rate := float64(sum) * 8 / window.Seconds()
		if i == 0 {
			least = rate
		}
		least, most = min(least, rate), max(most, rate)
		sum -= size(p)
	}
	return least, most
}
