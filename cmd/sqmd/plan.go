// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/json"
	"fmt"

	"sqmd/ifb"
	"sqmd/shaping"
)

var planCommand = command{
	name: "plan", arguments: "[IFACE] [--json]",
	summary: "print what apply would do, as commands for a shell",
	details: `For each device the whole desired tree, as comments, and then the commands that
lead there from what the kernel has now. Pasted into a shell they have the same
effect as sqmd apply. Nothing is changed.`,
	run: runPlan,
}

func runPlan(in *invocation) int {
	only, err := in.device()
	if err != nil {
		return in.usage(err)
	}
	engine, done, err := in.engine()
	if err != nil {
		return in.fail(err)
	}
	defer done()
	units, _, err := in.units(engine, only)
	if err != nil {
		return in.fail(err)
	}
	return in.print(engine, units)
}

// preview is one unit of a plan, as printed.
type preview struct {
	Queue    string      `json:"queue"`
	Device   string      `json:"device"`
	Waiting  bool        `json:"waiting,omitempty"`
	Findings []string    `json:"findings,omitempty"`
	Desired  []string    `json:"desired"`
	Changes  []operation `json:"changes"`
}

type operation struct {
	Direction string `json:"direction"`
	Verb      string `json:"verb"`
	Text      string `json:"text"`
	Command   string `json:"command"`
}

func (in *invocation) preview(engine *shaping.Engine, u shaping.Unit) (preview, error) {
	r := engine.Preview(u)
	if r.Err != nil {
		return preview{}, r.Err
	}
	links, err := engine.Kernel.Links()
	if err != nil {
		return preview{}, err
	}
	byName := map[string]ifb.Link{}
	for _, l := range links {
		byName[l.Name] = l
	}
	in.tell(r.Plan.Findings)
	p := preview{Queue: u.Title(), Device: u.Device, Waiting: r.Plan.Waiting, Desired: r.Plan.Desired(byName), Changes: []operation{}}
	for _, f := range r.Plan.Findings {
		p.Findings = append(p.Findings, f.String())
	}
	for i, line := range shaping.Commands(r.Ops, byName) {
		o := r.Ops[i]
		p.Changes = append(p.Changes, operation{o.Direction.String(), string(o.Verb), o.String(), line})
	}
	return p, nil
}

func (in *invocation) printPreviews(previews []preview) int {
	if in.json {
		return in.printJSON(struct {
			Plans []preview `json:"plans"`
		}{previews})
	}
	for _, p := range previews {
		fmt.Fprintf(in.stdout, "# %s (queue '%s')\n", p.Device, p.Queue)
		for _, line := range p.Desired {
			fmt.Fprintf(in.stdout, "#   %s\n", line)
		}
		switch {
		case p.Waiting:
			fmt.Fprintf(in.stdout, "# waits: %s does not exist\n", p.Device)
		case len(p.Changes) == 0:
			fmt.Fprintln(in.stdout, "# nothing to do")
		}
		for _, o := range p.Changes {
			fmt.Fprintln(in.stdout, o.Command)
		}
	}
	return exitOK
}

func (in *invocation) printJSON(v any) int {
	out := json.NewEncoder(in.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return in.fail(fmt.Errorf("write json: %w", err))
	}
	return exitOK
}
