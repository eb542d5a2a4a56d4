// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"encoding/json"
	"fmt"

	"sqmd/daemon"
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
	if report, answered, err := in.askPlan(only); err != nil {
		return in.fail(err)
	} else if answered {
		in.tellLines(report.Findings)
		return in.printPlans(report)
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

// askPlan asks the daemon, which knows the devices of networks.
func (in *invocation) askPlan(only string) (report daemon.PlanReport, answered bool, err error) {
	if only != "" {
		only = in.networkDevice(only)
	}
	answered, err = in.ask(daemon.MethodPlan, daemon.Arguments{Device: only}, &report)
	return report, answered, err
}

// print shows what applying the units would do.
func (in *invocation) print(engine *shaping.Engine, units []shaping.Unit) int {
	report, err := daemon.Plan(engine, units)
	if err != nil {
		return in.fail(err)
	}
	return in.printPlans(report)
}

func (in *invocation) printPlans(report daemon.PlanReport) int {
	if in.json {
		return in.printJSON(report)
	}
	for _, p := range report.Plans {
		in.tellLines(p.Findings)
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

// printJSON prints an answer for programs.
func (in *invocation) printJSON(v any) int {
	if err := in.writeJSON(v); err != nil {
		return in.fail(err)
	}
	return exitOK
}

func (in *invocation) writeJSON(v any) error {
	out := json.NewEncoder(in.stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	return nil
}
