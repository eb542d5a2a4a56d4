// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"
	"time"

	"sqmd/lab/traffic"
)

// What must hold for the demonstration to have shown anything: the line bloats without sqmd, and with sqmd it neither
// bloats nor wastes its rate.
const (
	leastBloat      = 150 * time.Millisecond
	mostMedian      = 22 * time.Millisecond
	mostP99         = 25 * time.Millisecond
	leastGoodput    = 0.94 // of the configured rate, one direction loaded
	leastWire       = 0.99 // of the configured rate, both directions loaded
	bitsPerMegabit  = 1e6
	percentPerWhole = 100
)

// missed says in words which bars a measurement misses.
func (l Line) missed(m Measurement) []string {
	var missed []string
	atMost := func(what string, is, bar time.Duration) {
		if is > bar {
			missed = append(missed, fmt.Sprintf("ping %s %.0f ms is above %.0f ms", what, traffic.Milliseconds(is), traffic.Milliseconds(bar)))
		}
	}
	atLeast := func(what string, is, rate, part float64) {
		if is < part*rate {
			missed = append(missed, fmt.Sprintf("%s %.1f Mbit/s is below %.0f %% of %.1f", what, is/bitsPerMegabit, part*percentPerWhole, rate/bitsPerMegabit))
		}
	}
	if m.Ping.Lost == m.Ping.Sent {
		return []string{"no ping was answered"}
	}
	if m.Shaper.Script == "" {
		if m.Ping.Median <= leastBloat {
			missed = append(missed, fmt.Sprintf("ping median %.0f ms shows no bloat", traffic.Milliseconds(m.Ping.Median)))
		}
		return missed
	}
	atMost("median", m.Ping.Median, mostMedian)
	atMost("p99", m.Ping.P99, mostP99)
	if m.Load.Down && m.Load.Up {
		atLeast("download on the wire", m.Down.Wire, l.Down, leastWire)
		atLeast("upload on the wire", m.Up.Wire, l.Up, leastWire)
	} else if m.Load.Down {
		atLeast("download goodput", m.Down.Goodput, l.Down, leastGoodput)
	} else {
		atLeast("upload goodput", m.Up.Goodput, l.Up, leastGoodput)
	}
	return missed
}
