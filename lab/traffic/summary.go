// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"slices"
	"time"
)

// Summary describes the delays of a series of packets.
type Summary struct {
	// Sent counts packets, Lost those of them that never arrived.
	Sent, Lost int
	// The delays of those that arrived; zero if none did.
	Median, P95, P99, Max time.Duration
}

// Summarize returns what delays amount to when sent packets were sent.
func Summarize(delays []time.Duration, sent int) Summary {
	sorted := slices.Sorted(slices.Values(delays))
	return Summary{
		Sent:   sent,
		Lost:   sent - len(sorted),
		Median: percentile(sorted, 50),
		P95:    percentile(sorted, 95),
		P99:    percentile(sorted, 99),
		Max:    percentile(sorted, 100),
	}
}

// percentile returns the smallest of the sorted values that at least p percent do not exceed (the nearest-rank method),
// 0 < p <= 100.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100
	return sorted[rank-1]
}

// String returns the summary as one line, in milliseconds.
func (s Summary) String() string {
	return fmt.Sprintf("median %.1f ms, p95 %.1f, p99 %.1f, max %.1f, lost %d of %d",
		Milliseconds(s.Median), Milliseconds(s.P95), Milliseconds(s.P99), Milliseconds(s.Max), s.Lost, s.Sent)
}

// Milliseconds returns d as a number of milliseconds.
func Milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}
