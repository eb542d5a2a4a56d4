// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"sqmd/shaping"
)

// States that only the daemon gives; see its Conflict and Stopped.
const (
	stateConflict = "conflict"
	stateStopped  = "stopped"
)

// managers looks for other shapers that start at boot.
func (x *examination) managers() {
	if !x.asks() {
		return
	}
	for _, m := range x.Managers {
		device := ""
		if m.Devices != nil {
			i := slices.IndexFunc(x.Queues, func(q Queue) bool { return slices.Contains(m.Devices, q.Device) })
			if i < 0 {
				continue
			}
			device = x.Queues[i].Device
		}
		id, problem := otherManager, m.Service+" is enabled and shapes too; each replaces what the other set up"
		if m.RateOnly {
			id, problem = rateTool, m.Service+" is enabled and sets rates; sqmd respects them"
		}
		x.add(Finding{ID: id, Device: device, Problem: problem, Evidence: m.Evidence,
			Remedy: fmt.Sprintf("/etc/init.d/%s disable; /etc/init.d/%s stop%s", m.Service, m.Service, ifUnwanted(m))})
	}
}

func ifUnwanted(m Manager) string {
	if m.RateOnly {
		return " (only if that is not wanted)"
	}
	return ""
}

// foreign looks for others that stand in the way now.
func (x *examination) foreign(q Queue) {
	for _, line := range q.Status.Findings {
		// The words of shaping.NewPlan, where it refuses; the tests hold the two together.
		if strings.Contains(line, "was not made by sqmd") || strings.Contains(line, "another filter (pref") {
			x.findOn(q, foreignShaper, "something else already takes what arrives on "+q.Device+", so that the queue is left alone",
				line, "stop the other shaper of "+q.Device+", then: /etc/init.d/sqmd reload")
			break
		}
	}
	for _, d := range q.Status.Directions {
		if d.State == stateConflict {
			x.findOn(q, shaperConflict, "another program keeps changing the "+d.Direction+" shaper of "+q.Device,
				d.Reason, "stop the other program, then: /etc/init.d/sqmd reload")
		}
	}
}

// outside looks for rates that others have set.
func (x *examination) outside(q Queue) {
	for _, d := range q.Status.Directions {
		if d.State == shaping.Shaped && d.ConfiguredKbit > 0 && d.ConfiguredKbit != d.RateKbit {
			x.findOn(q, outsideRate, fmt.Sprintf("another program set the %s rate, which is respected", d.Direction),
				fmt.Sprintf("the kernel has %d kbit/s, the configuration %d kbit/s", d.RateKbit, d.ConfiguredKbit),
				"nothing if a rate controller runs, else set the rate anew in /etc/config/sqm")
		}
	}
}

// byHand looks for queues that a person set free.
func (x *examination) byHand(q Queue) {
	if slices.ContainsFunc(q.Status.Directions, func(d shaping.DirectionStatus) bool { return d.State == stateStopped }) {
		x.findOn(q, stoppedByHand, q.Device+" was stopped by hand", "the status of the queue is stopped", "run sqmd apply to shape it again")
	}
}

// unexplained tells of directions that are not shaped when no other finding does.
func (x *examination) unexplained(q Queue) {
	for _, d := range q.Status.Directions {
		if d.State != shaping.Unshaped && d.State != shaping.Refused && d.State != shaping.Stale {
			continue
		}
		told := slices.ContainsFunc(x.findings, func(f Finding) bool {
			about := f.ID == foreignShaper || f.ID == moduleMissing || f.ID == shaperConflict || f.ID == twoSections
			return about && f.Device == printable(q.Device) || f.ID == configErrors && d.State == shaping.Refused
		})
		if !told {
			x.findOn(q, notShaped, fmt.Sprintf("%s of %s is %s", d.Direction, q.Device, d.State), d.Reason, "run sqmd apply and read what it says")
		}
	}
}
