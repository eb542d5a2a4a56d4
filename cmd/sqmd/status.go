// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"sqmd/daemon"
	"sqmd/metrics"
)

var statusCommand = command{
	name: "status", arguments: "[IFACE] [--json]",
	summary: "say for every queue whether it is shaped, and count",
	details: `Compares the configuration with what the kernel shows now and prints rates,
tins or classes, drops, marks and delays; while the daemon runs, also what it did
last. --openmetrics prints the same for collectors of metrics. Exit code 0 when
every enabled queue is shaped as configured, 1 otherwise.`,
	run: runStatus,
}

func runStatus(in *invocation) int {
	only, err := in.device()
	if err != nil {
		return in.usage(err)
	}
	r, err := in.status(only)
	if err != nil {
		return in.fail(err)
	}
	switch {
	case in.openMetrics:
		err = metrics.Write(in.stdout, r)
	case in.json:
		err = in.writeJSON(r)
	default:
		in.tellLines(r.Findings)
		printStatus(in.stdout, r.Queues)
	}
	if err != nil {
		return in.fail(err)
	}
	if !r.Shaped {
		return exitFailed
	}
	return exitOK
}

// status is the daemon's report or, where none runs, what can be told without
// one; only is a device, a network or a queue, "" for all.
func (in *invocation) status(only string) (daemon.Report, error) {
	var r daemon.Report
	answered, err := in.ask(daemon.MethodStatus, nil, &r)
	if err != nil || !answered {
		if err == nil {
			r, err = in.ownStatus(only)
		}
		return r, err
	}
	if only == "" {
		return r, nil
	}
	if one, ok := r.Only(only); ok {
		return one, nil
	}
	if one, ok := r.Only(in.networkDevice(only)); ok {
		return one, nil
	}
	return r, fmt.Errorf("no enabled queue has interface %s", only)
}

// ownStatus compares the configuration with the kernel without a daemon.
func (in *invocation) ownStatus(only string) (daemon.Report, error) {
	engine, done, err := in.engine()
	if err != nil {
		return daemon.Report{}, err
	}
	defer done()
	units, usable, err := in.units(engine, only)
	if err != nil {
		return daemon.Report{}, err
	}
	engine.RespectRates = true
	statuses, err := engine.Status(units...)
	return daemon.NewReport(version(), usable, statuses), err
}

func printStatus(out io.Writer, queues []daemon.QueueReport) {
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

func printDirection(out io.Writer, d daemon.DirectionReport) {
	fmt.Fprintf(out, "  %-9s %s", d.Direction, d.State)
	if d.Reason != "" {
		fmt.Fprintf(out, ": %s", d.Reason)
	}
	if d.Qdisc != "" {
		fmt.Fprintf(out, "  %s on %s at %s; sent %d bytes in %d packets, %d dropped, %d bytes waiting",
			d.Qdisc, d.Shaper, rate(d.RateKbit), d.SentBytes, d.SentPackets, d.Drops, d.BacklogBytes)
	}
	fmt.Fprintln(out)
	if d.LastChange != "" && (d.Reason == "" || !strings.Contains(d.LastChange, d.Reason)) {
		fmt.Fprintf(out, "            %s ago: %s\n", time.Duration(d.LastChangeAgoS)*time.Second, d.LastChange)
	}
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
