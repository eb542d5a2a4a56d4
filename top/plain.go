// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sqmd/daemon"
)

// runLines prints the rounds one below the other.
func runLines(ctx context.Context, o Options) error {
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	var p picture
	for round := 1; ; round++ {
		report, err := o.fetch(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && round == 1:
			return err
		}
		at := time.Now()
		p.add(report, err, at)
		if _, err := o.Out.WriteString(p.plain(at)); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		if round == o.Count {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// mostText bounds a text of the report in a line.
const mostText = 1000

// plain are the lines of a round: the time, device, direction, state, and figures
// with their names and units as in the JSON of the report.
func (p *picture) plain(at time.Time) string {
	clock := at.Format(time.TimeOnly)
	if p.failure != nil {
		return clock + " no report: " + clip(p.failure.Error(), mostText) + "\n"
	}
	if len(p.report.Queues) == 0 {
		return clock + " no queue is enabled\n"
	}
	var out strings.Builder
	for _, q := range p.report.Queues {
		name := q.Device
		if name == "" {
			name = q.Queue
		}
		for _, d := range q.Directions {
			fmt.Fprintf(&out, "%s %s %s %s", clock, clip(name, mostText), clip(d.Direction, mostText), clip(d.State, mostText))
			if d.Qdisc != "" {
				out.WriteString(p.figures(q, d))
			}
			if d.Reason != "" {
				fmt.Fprintf(&out, " reason=\"%s\"", strings.ReplaceAll(clip(d.Reason, mostText), `"`, `'`))
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

func (p *picture) figures(q daemon.QueueReport, d daemon.DirectionReport) string {
	var out strings.Builder
	fmt.Fprintf(&out, " rate_kbit=%d", d.RateKbit)
	if now := p.throughput(q, d); now.known {
		fmt.Fprintf(&out, " throughput_kbit=%d", now.kbit)
	}
	fmt.Fprintf(&out, " drops=%d", d.Drops)
	if len(d.Tins) > 0 {
		average, _ := delayOf(d)
		fmt.Fprintf(&out, " marks=%d delay_us=%d", marksOf(d), average)
	}
	fmt.Fprintf(&out, " backlog_bytes=%d", d.BacklogBytes)
	return out.String()
}
