// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"sqmd/shaping"
	"sqmd/uci"
)

// report asks the kernel how each queue is now.
func (c *core) report(now time.Duration) (Report, error) {
	if err := c.connect(); err != nil {
		return Report{}, err
	}
	wrong := slices.ContainsFunc(c.groupFindings, func(f uci.Finding) bool { return f.Severity >= uci.Error })
	r := Report{Version: c.options.Version, Shaped: !wrong && !c.config.errors(), Queues: []QueueReport{}}
	var units []shaping.Unit
	for _, device := range c.order {
		units = append(units, c.queues[device].asked)
	}
	statuses, err := c.engine.Status(units...)
	if err != nil {
		c.reopen = true
		return Report{}, err
	}
	for i, s := range statuses {
		q := c.queues[units[i].Device]
		r.Queues = append(r.Queues, c.reportQueue(now, q, s))
	}
	r.Queues = append(r.Queues, c.withoutDevice()...)
	for _, q := range r.Queues {
		r.Shaped = r.Shaped && q.shaped()
	}
	r.Findings = c.findings()
	r.Daemon = c.process(now)
	return r, nil
}

func (c *core) reportQueue(now time.Duration, q *queue, s shaping.Status) QueueReport {
	r := QueueReport{Queue: q.unit.Title(), Sections: q.unit.Sections(), Device: q.device, Findings: q.findings}
	if l, exists := c.links.ByName(q.device); exists {
		r.Link = &LinkReport{Ifindex: l.Index, MTU: l.MTU, Carrier: l.Carrier, OperState: l.OperState, SpeedMbit: l.SpeedMbit}
	}
	for i, d := range directions {
		of := q.direction(d)
		seen := s.Directions[i]
		seen.State, seen.Reason = c.overlay(now, q, d, func(shaping.Direction) (string, string) { return seen.State, seen.Reason })
		if seen.State == shaping.Unshaped && q.failure == "" {
			c.touch(now) // no event told
		}
		r.Directions = append(r.Directions, DirectionReport{
			DirectionStatus: seen, ThroughputKbit: of.throughput, StateForS: int64((now - of.since) / time.Second),
			Repairs: of.repairs, LastChange: of.lastChange, LastChangeAgoS: int64((now - of.lastChangeAt) / time.Second),
		})
	}
	return r
}

// withoutDevice are the enabled queues that could not be tied to a device.
func (c *core) withoutDevice() []QueueReport {
	tied := map[string]bool{}
	for _, q := range c.queues {
		for _, title := range q.unit.Sections() {
			tied[title] = true
		}
	}
	var reports []QueueReport
	for i := range c.config.queues {
		q := &c.config.queues[i]
		if q.Enabled && !tied[q.Section] {
			reports = append(reports, c.untied(q))
		}
	}
	return reports
}

func (c *core) untied(q *uci.Queue) QueueReport {
	state, reason := shaping.Refused, "the configuration has an error"
	at := slices.IndexFunc(c.groupFindings, func(f uci.Finding) bool { return f.Section == q.Section && f.Severity >= uci.Error })
	device := q.Interface
	if known := c.networks.known[q.Interface]; known.device != "" {
		device = known.device
	}
	switch {
	case q.Broken:
	case q.Shapes() == uci.Directions{}:
		state, reason = shaping.Off, "not configured, or rate 0"
	case at >= 0 && c.queues[device] != nil: // another section has its direction
		reason = c.groupFindings[at].Problem
	case c.trouble != "":
		state, reason = shaping.Unshaped, c.trouble
	default:
		state, reason = shaping.Waiting, "network "+q.Interface+" has no device"
		if r := c.networks.known[q.Interface]; r.err != nil {
			reason += ": " + r.err.Error()
		}
	}
	r := QueueReport{Queue: q.Section, Sections: []string{q.Section}}
	for _, d := range directions {
		r.Directions = append(r.Directions, DirectionReport{
			DirectionStatus: shaping.DirectionStatus{Direction: d.String(), State: state, Reason: reason}})
	}
	return r
}

// findings are the mistakes in the configuration, notes left out.
func (c *core) findings() []string {
	found := lines(c.config.read.Findings, c.groupFindings, c.config.more)
	if c.config.problem != "" {
		found = append([]string{c.config.problem}, found...)
	}
	return found
}

// lines are findings for a report, notes left out.
func lines(lists ...[]uci.Finding) []string {
	var lines []string
	for _, list := range lists {
		for _, f := range list {
			if f.Severity > uci.Note {
				lines = append(lines, f.String())
			}
		}
	}
	return lines
}

func (c *core) process(now time.Duration) *ProcessReport {
	return &ProcessReport{
		PID: os.Getpid(), UptimeS: int64(now / time.Second), Bus: c.bus(),
		Reconciles: c.reconciles, Repairs: c.repairs, LostEvents: c.lostEvents, ClockSteps: c.clock.steps,
		MemoryBytes: residentBytes(),
	}
}

// residentBytes is the process's resident memory, from /proc/self/statm (proc(5)):
// the second number, in pages.
func residentBytes() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize())
}
