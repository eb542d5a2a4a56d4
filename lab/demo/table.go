// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"
	"io"
	"text/tabwriter"

	"sqmd/lab/traffic"
)

// String returns the measurement as one line.
func (m Measurement) String() string {
	return fmt.Sprintf("%s, %s: goodput %s down, %s up, wire %s and %s Mbit/s, ping %v",
		m.Shaper.Name, m.Load.Name, megabits(m.Down.Goodput), megabits(m.Up.Goodput), megabits(m.Down.Wire), megabits(m.Up.Wire), m.Ping)
}

// WriteTable writes the measurements for people: rates in Mbit/s, pings in ms.
func WriteTable(to io.Writer, all []Measurement) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "load\tshaper\tgoodput down\tup\twire down\tup\tping median\tp95\tp99\tlost\t")
	for _, load := range Loads() {
		for _, m := range all {
			if m.Load != load {
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t%.1f\t%d\t\n", load.Name, m.Shaper.Name,
				megabits(m.Down.Goodput), megabits(m.Up.Goodput), megabits(m.Down.Wire), megabits(m.Up.Wire),
				traffic.Milliseconds(m.Ping.Median), traffic.Milliseconds(m.Ping.P95), traffic.Milliseconds(m.Ping.P99), m.Ping.Lost)
		}
	}
	return table.Flush()
}

// megabits formats a rate in bit/s; a direction that carried nothing is a dash.
func megabits(rate float64) string {
	if rate == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", rate/bitsPerMegabit)
}
