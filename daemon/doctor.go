// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"maps"
	"slices"
	"time"

	"sqmd/doctor"
	"sqmd/shaping"
	"sqmd/uci"
)

// DoctorReport is what `sqmd doctor --json` prints and the method doctor answers.
type DoctorReport struct {
	Findings []doctor.Finding `json:"findings"`
}

// Diagnose looks for what spoils the shaping of units, whose states are given in
// the same order; root is where the files of the system begin.
func Diagnose(root string, records shaping.Records, config uci.Config, units []shaping.Unit, states []shaping.Status) (doctor.Evidence, error) {
	system, err := doctor.Gather(root)
	e := doctor.Evidence{Config: config, System: system, Offloads: map[string]doctor.Offloads{}, ClockFault: doctor.CheckClock(),
		Missing: slices.Sorted(maps.Keys(records.Missing()))}
	for i, u := range units {
		e.Queues = append(e.Queues, doctor.Queue{Unit: u, Status: states[i]})
		if offloads, err := doctor.ReadOffloads(u.Device); err == nil {
			e.Offloads[u.Device] = offloads
		}
	}
	return e, err
}

func (c *core) doctor(now time.Duration) (DoctorReport, error) {
	r, err := c.report(now)
	if err != nil {
		return DoctorReport{}, err
	}
	return c.diagnose(now, r)
}

// diagnose is the doctor's answer about a report that was just made.
func (c *core) diagnose(now time.Duration, r Report) (DoctorReport, error) {
	var units []shaping.Unit
	var states []shaping.Status
	for i, device := range c.order {
		units, states = append(units, c.queues[device].unit), append(states, r.Queues[i].status())
	}
	for _, q := range r.Queues[len(c.order):] {
		units, states = append(units, shaping.Unit{Unusable: q.Sections}), append(states, q.status())
	}
	e, err := Diagnose(c.options.Root, c.engine.Records, c.config.read, units, states)
	e.ClockSteps, e.LostEvents = c.clock.steps, c.lostEvents
	report := DoctorReport{append([]doctor.Finding{}, doctor.Examine(e)...)}
	c.found, c.diagnosed = len(report.Findings), now
	return report, err
}

// status is the report without what only the daemon knows.
func (q QueueReport) status() shaping.Status {
	s := shaping.Status{Queue: q.Queue, Sections: q.Sections, Device: q.Device, Findings: q.Findings}
	for _, d := range q.Directions {
		s.Directions = append(s.Directions, d.DirectionStatus)
	}
	return s
}
