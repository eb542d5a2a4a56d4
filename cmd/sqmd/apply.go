// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	"sqmd/daemon"
	"sqmd/shaping"
	"sqmd/uci"
)

var applyCommand = command{
	name: "apply", arguments: "[IFACE]",
	summary: "shape every enabled queue as configured, once",
	details: `Reads the configuration, asks the kernel what it has, and changes only what
differs: a new rate is changed in place, without losing a packet. A queue that
cannot be set up is left as it was. What sqmd shaped before and the configuration
no longer names is set free. With IFACE, only that device or network is touched.
--dry-run prints the commands instead (the same as sqmd plan).
Exit code 0 only if every enabled queue is shaped as asked.`,
	run: runApply,
}

func runApply(in *invocation) int {
	if in.dryRun {
		return runPlan(in)
	}
	only, err := in.device()
	if err != nil {
		return in.usage(err)
	}
	engine, done, err := in.engine()
	if err != nil {
		return in.fail(err)
	}
	defer done()
	if err := in.endHolds(engine, only); err != nil {
		in.fail(err) // a daemon that does not answer is no reason not to shape
	}
	unlock, err := in.records.Lock()
	if err != nil {
		return in.fail(err)
	}
	defer unlock()
	if err := engine.FollowRenames(); err != nil {
		return in.fail(err)
	}
	// Read under the lock: who waited for it must not apply what has changed since.
	units, usable, err := in.units(engine, only)
	if err != nil {
		return in.fail(err)
	}
	if err := in.endStop(engine, only, units); err != nil {
		return in.fail(err)
	}
	failed := !usable
	for _, r := range engine.Apply(units...) {
		failed = !in.report(r) || failed
	}
	if failed {
		return exitFailed
	}
	return exitOK
}

// endHolds has a daemon that runs try anew what it gave up, so that it does not
// undo what is done here. A daemon that works on another file will undo it.
func (in *invocation) endHolds(engine *shaping.Engine, only string) error {
	if in.otherFile {
		if in.daemonRuns() {
			fmt.Fprintf(in.stderr, "sqmd: a daemon runs with another file and will undo this: stop it first\n")
		}
		return nil
	}
	config, err := in.load()
	if err != nil {
		return nil // it is told when the file is read under the lock
	}
	units, _, err := engine.Units(config, only)
	if err != nil || only == "" {
		_, err = in.ask(daemon.MethodReload, nil, nil)
		return err
	}
	for _, u := range units {
		if _, err := in.ask(daemon.MethodReload, daemon.Arguments{Device: u.Device}, nil); err != nil {
			return err
		}
	}
	return nil
}

// endStop takes back what sqmd stop told a daemon that runs.
func (in *invocation) endStop(engine *shaping.Engine, only string, units []shaping.Unit) error {
	if only == "" {
		return in.records.ClearStopped("", nil)
	}
	config, err := in.load()
	if err != nil {
		return err
	}
	all, _, err := engine.Units(config, "")
	if err != nil {
		return err
	}
	var others []string
	for _, u := range all {
		others = append(others, u.Device)
	}
	for _, u := range units {
		if err := in.records.ClearStopped(u.Device, others); err != nil {
			return err
		}
	}
	return nil
}

// units reads the configuration, prints its findings, and gives what it asks for;
// only is one device or network, or "" for all. usable is false when an enabled
// queue in question cannot be used.
func (in *invocation) units(engine *shaping.Engine, only string) (units []shaping.Unit, usable bool, err error) {
	config, err := in.load()
	if err != nil {
		return nil, false, err
	}
	in.tell(config.Findings)
	units, findings, err := engine.Units(config, only)
	if err != nil {
		return nil, false, err
	}
	usable = !in.tell(findings) && !blocks(config, only)
	if only != "" && len(units) == 0 {
		return nil, false, fmt.Errorf("no enabled queue that can be used has interface %s", only)
	}
	return units, usable, nil
}

// blocks reports whether an enabled queue in question cannot be used, or may have
// been lost with a line that cannot be read.
func blocks(config uci.Config, only string) bool {
	if config.Incomplete {
		return true
	}
	for _, q := range config.Queues {
		if q.Enabled && q.Broken && (only == "" || q.Interface == only) {
			return true
		}
	}
	return false
}

// report prints what became of a unit and reports whether all is as asked.
func (in *invocation) report(r shaping.Result) bool {
	in.tell(r.Plan.Findings)
	switch {
	case r.Err != nil:
		in.fail(r.Err)
	case r.Plan.Waiting && r.Unit.Upload == nil && r.Unit.Download == nil:
		return true
	case r.Plan.Waiting:
		in.fail(fmt.Errorf("queue '%s': device %s does not exist; nothing is shaped until it does", r.Unit.Title(), r.Unit.Device))
	case in.verbose && len(r.Ops) == 0 && !r.Plan.Refused():
		fmt.Fprintf(in.stdout, "%s: nothing to do\n", r.Unit.Device)
	case in.verbose:
		for _, o := range r.Ops {
			fmt.Fprintf(in.stdout, "%s: %s\n", r.Unit.Device, o)
		}
	}
	return r.Done()
}
