// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"time"
)

// Report says what became of a Stream's packets.
type Report struct {
	// Summary holds the delays one way.
	Summary
	// Reordered counts packets that arrived after one with a higher number (RFC 4737, section 3), Duplicated those that
	// arrived again.
	Reordered, Duplicated int
	// Gap is the longest time between two arrivals.
	Gap time.Duration
}

// numbered is the arrival of a packet, by time since the start.
type numbered struct {
	number uint32
	at     time.Duration
}

// newReport compares when each packet was sent, by number, with the arrivals in their order.
func newReport(sent []time.Duration, arrivals []numbered) Report {
	var r Report
	var delays []time.Duration
	seen := make([]bool, len(sent))
	var highest uint32
	for i, arrival := range arrivals {
		if i > 0 {
			r.Gap = max(r.Gap, arrival.at-arrivals[i-1].at)
		}
		if int(arrival.number) >= len(sent) {
			continue // a stray packet that is not ours
		}
		if seen[arrival.number] {
			r.Duplicated++
			continue
		}
		seen[arrival.number] = true
		if arrival.number < highest {
			r.Reordered++
		}
		highest = max(highest, arrival.number)
		delays = append(delays, arrival.at-sent[arrival.number])
	}
	r.Summary = Summarize(delays, len(sent))
	return r
}

// String returns the report as one line.
func (r Report) String() string {
	return fmt.Sprintf("%v, %d reordered, %d duplicated, longest gap %.1f ms", r.Summary, r.Reordered, r.Duplicated, Milliseconds(r.Gap))
}
