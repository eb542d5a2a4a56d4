// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	const ms = time.Millisecond
	sent := []time.Duration{0, 10 * ms, 20 * ms, 30 * ms}
	tests := map[string]struct {
		arrivals []numbered
		want     Report
	}{
		"all lost": {want: Report{Summary: Summary{Sent: 4, Lost: 4}}},
		"in order": {
			arrivals: []numbered{{0, 5 * ms}, {1, 15 * ms}, {2, 25 * ms}, {3, 36 * ms}},
			want:     Report{Summary: Summary{Sent: 4, Median: 5 * ms, P95: 6 * ms, P99: 6 * ms, Max: 6 * ms}, Gap: 11 * ms},
		},
		"one lost": {
			arrivals: []numbered{{0, 5 * ms}, {1, 15 * ms}, {3, 35 * ms}},
			want:     Report{Summary: Summary{Sent: 4, Lost: 1, Median: 5 * ms, P95: 5 * ms, P99: 5 * ms, Max: 5 * ms}, Gap: 20 * ms},
		},
		"one overtaken by two": {
			arrivals: []numbered{{0, 5 * ms}, {2, 25 * ms}, {3, 35 * ms}, {1, 40 * ms}},
			want:     Report{Summary: Summary{Sent: 4, Median: 5 * ms, P95: 30 * ms, P99: 30 * ms, Max: 30 * ms}, Reordered: 1, Gap: 20 * ms},
		},
		"one twice": {
			arrivals: []numbered{{0, 5 * ms}, {1, 15 * ms}, {1, 16 * ms}, {2, 25 * ms}, {3, 35 * ms}},
			want:     Report{Summary: Summary{Sent: 4, Median: 5 * ms, P95: 5 * ms, P99: 5 * ms, Max: 5 * ms}, Duplicated: 1, Gap: 10 * ms},
		},
		"a stray one": {
			arrivals: []numbered{{0, 5 * ms}, {77, 6 * ms}, {1, 15 * ms}, {2, 25 * ms}, {3, 35 * ms}},
			want:     Report{Summary: Summary{Sent: 4, Median: 5 * ms, P95: 5 * ms, P99: 5 * ms, Max: 5 * ms}, Gap: 10 * ms},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, newReport(sent, test.arrivals)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReceivedBytes(t *testing.T) {
	const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     152       2    0    0    0     0          0         0      152       2    0    0    0     0       0          0
  eth1:123456789012 12 0    0    0     0          0         0       98       1    0    0    0     0       0          0
  eth10: x
`
	tests := map[string]struct {
		device string
		want   uint64
		fails  bool
	}{
		"first":             {device: "lo", want: 152},
		"without space":     {device: "eth1", want: 123456789012},
		"not a number":      {device: "eth10", fails: true},
		"absent":            {device: "eth", fails: true},
		"words of the head": {device: "face |bytes", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := receivedBytes(text, test.device)
			if (err != nil) != test.fails || got != test.want {
				t.Errorf("got %d, %v; want %d, failure %v", got, err, test.want, test.fails)
			}
		})
	}
}
