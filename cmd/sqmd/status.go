// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"sqmd/shaping"
)

var statusCommand = command{
	name: "status", arguments: "[IFACE] [--json]",
	summary: "say for every queue whether it is shaped, and count",
	details: `Compares the configuration with what the kernel shows now and prints rates,
tins or classes, drops, marks and delays. Exit code 0 when every enabled queue is
shaped as configured, 1 otherwise.`,
	run: runStatus,
}

func runStatus(in *invocation) int {
	only, err := in.device()
	if err != nil {
		return in.usage(err)
	}
	engine, done, err := in.engine()
	if err != nil {
		return in.fail(err)
	}
	defer done()
	units, all, err := in.units(engine, only)
	if err != nil {
		return in.fail(err)
	}
	engine.RespectRates = true
	queues, err := engine.Status(units...)
	if err != nil {
		return in.fail(err)
	}
	for _, q := range queues {
		all = all && q.Shaped()
	}
	if in.json {
		in.printJSON(struct {
			Version string           `json:"version"`
			Shaped  bool             `json:"shaped"`
			Queues  []shaping.Status `json:"queues"`
		}{version(), all, queues})
	} else {
		printStatus(in.stdout, queues)
	}
	if !all {
		return exitFailed
	}
	return exitOK
}

func printStatus(out io.Writer, queues []shaping.Status) {
	if len(queues) == 0 {
		fmt.Fprintln(out, "no queue is enabled")
	}
	for _, q := range queues {
		fmt.Fprintf(out, "%s (queue '%s')\n", q.Device, q.Queue)
		for _, d := range q.Directions {
			printDirection(out, d)
		}
		for _, f := range q.Findings {
			fmt.Fprintf(out, "  %s\n", f)
		}
	}
}

func printDirection(out io.Writer, d shaping.DirectionStatus) {
	fmt.Fprintf(out, "  %-9s %s", d.Direction, d.State)
	if d.Reason != "" {
		fmt.Fprintf(out, ": %s", d.Reason)
	}
	if d.Qdisc != "" {
		fmt.Fprintf(out, "  %s on %s at %s; sent %d bytes in %d packets, %d dropped, %d bytes waiting",
			d.Qdisc, d.Shaper, rate(d.RateKbit), d.SentBytes, d.SentPackets, d.Drops, d.BacklogBytes)
	}
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(d.Tins) > 0 {
		fmt.Fprintln(table, "\ttin\tlimit\tpeak delay\taverage\tsparse\tpackets\tbytes\tdrops\tmarks\tacks dropped\tflows\t")
	}
	for _, t := range d.Tins {
		fmt.Fprintf(table, "\t%s\t%s\t%v\t%v\t%v\t%d\t%d\t%d\t%d\t%d\t%d+%d\t\n", t.Name, rate(t.ThresholdKbit),
			us(t.PeakDelayUs), us(t.AvgDelayUs), us(t.SparseDelayUs), t.SentPackets, t.SentBytes, t.Drops, t.Marks, t.AckDrops, t.SparseFlows, t.BulkFlows)
	}
	if len(d.Classes) > 0 {
		fmt.Fprintln(table, "\tclass\trate\tceil\tpackets\tbytes\tdrops\twaiting\t")
	}
	for _, c := range d.Classes {
		fmt.Fprintf(table, "\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t\n", c.Class, rate(c.RateKbit), rate(c.CeilKbit), c.SentPackets, c.SentBytes, c.Drops, c.BacklogBytes)
	}
	table.Flush()
}

func us(n uint32) time.Duration { return time.Duration(n) * time.Microsecond }

// rate writes kbit/s for people.
func rate(kbit uint64) string {
	switch {
	case kbit == 0:
		return "no limit"
	case kbit >= 10000 && kbit%100 == 0:
		return fmt.Sprintf("%d.%d Mbit/s", kbit/1000, kbit%1000/100)
	}
	return fmt.Sprintf("%d kbit/s", kbit)
}
