// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import "sqmd/shaping"

// PlanReport is what `sqmd plan --json` prints and the method plan answers.
type PlanReport struct {
	Plans []UnitPlan `json:"plans"`
	// Findings are what is wrong with the configuration, a line each.
	Findings []string `json:"findings,omitempty"`
}

// UnitPlan is what would be done about one device.
type UnitPlan struct {
	Queue    string   `json:"queue"`
	Device   string   `json:"device"`
	Waiting  bool     `json:"waiting,omitempty"` // the device does not exist
	Findings []string `json:"findings,omitempty"`
	// Desired are the commands that would make all of it from nothing, Changes
	// what is to be done now.
	Desired []string        `json:"desired"`
	Changes []PlannedChange `json:"changes"`
}

// PlannedChange is one operation.
type PlannedChange struct {
	Direction string `json:"direction"`
	Verb      string `json:"verb"`
	Text      string `json:"text"`    // for people
	Command   string `json:"command"` // for a shell
}

// Plan says what applying the units would do.
func Plan(engine *shaping.Engine, units []shaping.Unit) (PlanReport, error) {
	report := PlanReport{Plans: []UnitPlan{}}
	for _, r := range engine.PreviewAll(units...) {
		if r.Err != nil {
			return PlanReport{}, r.Err
		}
		report.Plans = append(report.Plans, unitPlan(r))
	}
	return report, nil
}

func unitPlan(r shaping.Result) UnitPlan {
	links := r.Before.Links
	p := UnitPlan{Queue: r.Unit.Title(), Device: r.Unit.Device, Waiting: r.Plan.Waiting, Findings: lines(r.Plan.Findings),
		Desired: r.Plan.Desired(links), Changes: []PlannedChange{}}
	for i, line := range shaping.Commands(r.Ops, links) {
		o := r.Ops[i]
		p.Changes = append(p.Changes, PlannedChange{o.Direction.String(), string(o.Verb), o.String(), line})
	}
	return p
}
