// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// upTo returns 1 ms, 2 ms... in an order that is not sorted.
func upTo(n int) []time.Duration {
	var delays []time.Duration
	for i := range n {
		delays = append(delays, time.Duration(n-i)*time.Millisecond)
	}
	return delays
}

func TestSummarize(t *testing.T) {
	const ms = time.Millisecond
	tests := map[string]struct {
		delays []time.Duration
		sent   int
		want   Summary
	}{
		"nothing sent":    {want: Summary{}},
		"nothing arrived": {sent: 3, want: Summary{Sent: 3, Lost: 3}},
		"one":             {delays: upTo(1), sent: 1, want: Summary{Sent: 1, Median: ms, P95: ms, P99: ms, Max: ms}},
		"two":             {delays: upTo(2), sent: 2, want: Summary{Sent: 2, Median: ms, P95: 2 * ms, P99: 2 * ms, Max: 2 * ms}},
		"ten, two lost":   {delays: upTo(10), sent: 12, want: Summary{Sent: 12, Lost: 2, Median: 5 * ms, P95: 10 * ms, P99: 10 * ms, Max: 10 * ms}},
		"a hundred":       {delays: upTo(100), sent: 100, want: Summary{Sent: 100, Median: 50 * ms, P95: 95 * ms, P99: 99 * ms, Max: 100 * ms}},
		"a thousand":      {delays: upTo(1000), sent: 1000, want: Summary{Sent: 1000, Median: 500 * ms, P95: 950 * ms, P99: 990 * ms, Max: 1000 * ms}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Summarize(test.delays, test.sent)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSummarizeKeepsOrder(t *testing.T) {
	delays := upTo(5)
	Summarize(delays, 5)
	if diff := cmp.Diff(upTo(5), delays); diff != "" {
		t.Errorf("delays were changed (-before +after):\n%s", diff)
	}
}

func TestSummaryString(t *testing.T) {
	s := Summary{Sent: 5, Lost: 1, Median: 20500 * time.Microsecond, P95: 21 * time.Millisecond, P99: 22 * time.Millisecond, Max: time.Second}
	if diff := cmp.Diff("median 20.5 ms, p95 21.0, p99 22.0, max 1000.0, lost 1 of 5", s.String()); diff != "" {
		t.Errorf("summary in words (-want +got):\n%s", diff)
	}
}

func TestRoundTrips(t *testing.T) {
	const ms = time.Millisecond
	echoes := []Echo{
		{Sent: 0, RoundTrip: 900 * ms},
		{Sent: 20 * ms, RoundTrip: 30 * ms},
		{Sent: 40 * ms},
		{Sent: 60 * ms, RoundTrip: 40 * ms},
		{Sent: 80 * ms, RoundTrip: 900 * ms},
	}
	want := Summary{Sent: 3, Lost: 1, Median: 30 * ms, P95: 40 * ms, P99: 40 * ms, Max: 40 * ms}
	if diff := cmp.Diff(want, RoundTrips(echoes, 20*ms, 80*ms)); diff != "" {
		t.Errorf("summary of the window (-want +got):\n%s", diff)
	}
}

func TestLatest(t *testing.T) {
	tests := map[string]struct {
		last  uint32
		half  uint16
		want  uint32
		found bool
	}{
		"first":             {last: 2, half: 0, want: 0, found: true},
		"last":              {last: 2, half: 2, want: 2, found: true},
		"not sent yet":      {last: 2, half: 3},
		"before the wrap":   {last: 65537, half: 65535, want: 65535, found: true},
		"after the wrap":    {last: 65537, half: 1, want: 65537, found: true},
		"older than a wrap": {last: 65537, half: 2, want: 2, found: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, found := latest(test.last, test.half)
			if found != test.found || found && got != test.want {
				t.Errorf("found %d, %v; want %d, %v", got, found, test.want, test.found)
			}
		})
	}
}
