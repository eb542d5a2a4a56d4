// SPDX-License-Identifier: GPL-2.0-or-later

package capture

import (
	"math"
	"testing"
	"time"
)

// train makes packets of a size at an interval.
func train(from time.Duration, count, size int, interval time.Duration) []Packet {
	var packets []Packet
	for i := range count {
		packets = append(packets, Packet{At: from + time.Duration(i)*interval, Length: size})
	}
	return packets
}

func length(p Packet) int { return p.Length }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, b) }

func TestMeasure(t *testing.T) {
	const rate = 1e6 // 125 bytes a ms
	steady := train(0, 2001, 1250, 10*time.Millisecond)
	// What the silence held back comes at once.
	caughtUp := append(train(0, 500, 1250, 10*time.Millisecond), train(5200*time.Millisecond, 21, 1250, 0)...)
	caughtUp = append(caughtUp, train(5210*time.Millisecond, 500, 1250, 10*time.Millisecond)...)
	double := train(0, 2001, 1250, 5*time.Millisecond)
	for name, test := range map[string]struct {
		packets []Packet
		want    Pace
	}{
		"steady": {steady, Pace{Bits: rate, Least: rate, Most: rate, Burst: 1250, Silence: 10 * time.Millisecond}},
		"twice the rate": {double, Pace{Bits: 2 * rate, Least: 2 * rate, Most: 2 * rate,
			Burst: 1250 + 2000*625, Silence: 5 * time.Millisecond}},
		"caught up": {caughtUp, Pace{Bits: rate, Least: 0.8 * rate, Most: 1.2 * rate, Burst: 21 * 1250,
			Silence: 210 * time.Millisecond}},
	} {
		got, err := Measure(test.packets, length, rate, time.Second)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !near(got.Bits, test.want.Bits) || !near(got.Burst, test.want.Burst) || got.Silence != test.want.Silence ||
			math.Abs(got.Least-test.want.Least) > 0.02*rate || math.Abs(got.Most-test.want.Most) > 0.02*rate {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	cells, err := Measure(steady, func(p Packet) int { return 2 * p.Length }, rate, time.Second)
	if err != nil || !near(cells.Bits, 2*rate) {
		t.Errorf("with packets that count double: %v and %v", cells, err)
	}
}

func TestMeasureRefuses(t *testing.T) {
	for name, packets := range map[string][]Packet{
		"no packets":     nil,
		"one packet":     train(0, 1, 100, 0),
		"too short time": train(0, 10, 100, time.Millisecond),
	} {
		if pace, err := Measure(packets, length, 1e6, time.Second); err == nil {
			t.Errorf("%s: %v", name, pace)
		}
	}
}
