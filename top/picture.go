// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"time"

	"sqmd/daemon"
)

// picture is what is drawn: the last report, and what the one before adds to it.
type picture struct {
	report  daemon.Report
	reading reading
	rates   map[counted]uint64 // kbit/s
	// drawn tells that there is a report, failure that asking for the next one
	// failed.
	drawn   bool
	failure error
}

// add takes in the answer to a fetch.
func (p *picture) add(r daemon.Report, err error, at time.Time) {
	p.failure = err
	if err != nil {
		return
	}
	now := read(r, at)
	p.rates = now.since(p.reading)
	p.report, p.reading, p.drawn = r, now, true
}

// measured is a throughput in kbit/s that may not be known yet.
type measured struct {
	kbit  uint64
	known bool
}

// throughput is what a direction sends. A report without a daemon has counters
// only.
func (p *picture) throughput(q daemon.QueueReport, d daemon.DirectionReport) measured {
	if p.report.Daemon != nil {
		return measured{d.ThroughputKbit, true}
	}
	return p.counterRate(counted{q.Queue, q.Device, d.Direction, ""})
}

// counterRate is what the counters say about a tin, a class or a direction.
func (p *picture) counterRate(key counted) measured {
	kbit, known := p.rates[key]
	return measured{kbit, known}
}

// delayOf is the largest average delay of a direction's tins in microseconds.
func delayOf(d daemon.DirectionReport) (average, peak uint32) {
	for _, t := range d.Tins {
		average, peak = max(average, t.AvgDelayUs), max(peak, t.PeakDelayUs)
	}
	return average, peak
}

// marksOf are the ECN marks of a direction, which only tins count.
func marksOf(d daemon.DirectionReport) (marks uint64) {
	for _, t := range d.Tins {
		marks += uint64(t.Marks)
	}
	return marks
}
