// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	"sqmd/link"
	"sqmd/shaping"
)

var stopCommand = command{
	name: "stop", arguments: "[IFACE]",
	summary: "remove all that sqmd put in place, and nothing else",
	details: `Removes our root qdiscs, the redirect, and our IFBs, in the order in which no
packet is lost. Qdiscs, filters and devices of others stay. The configuration is
not read, so that stop works after it was changed. A daemon that runs leaves the
devices alone until sqmd apply, or until it is told to reload. Exit code 0 also when
there was nothing to remove. --dry-run prints the commands instead.`,
	run: runStop,
}

func runStop(in *invocation) int {
	only, err := in.device()
	if err != nil {
		return in.usage(err)
	}
	engine, done, err := in.engine()
	if err != nil {
		return in.fail(err)
	}
	defer done()
	if in.dryRun {
		units, err := in.owned(engine, only)
		if err != nil {
			return in.fail(err)
		}
		return in.print(engine, units)
	}
	unlock, err := in.records.Lock()
	if err != nil {
		return in.fail(err)
	}
	defer unlock()
	if err := engine.FollowRenames(); err != nil {
		return in.fail(err)
	}
	units, err := in.owned(engine, only)
	if err != nil {
		return in.fail(err)
	}
	if only != "" && len(units) == 0 {
		fmt.Fprintf(in.stderr, "sqmd: nothing of sqmd is on %s\n", only)
	}
	if err := in.markStopped(only, units); err != nil {
		return in.fail(err)
	}
	ok := true
	for _, r := range engine.Apply(units...) {
		ok = in.report(r) && ok
	}
	if !ok {
		return exitFailed
	}
	if only == "" {
		in.records.ForgetMissing()
	}
	return exitOK
}

// markStopped keeps a daemon that runs from shaping anew what is set free here, and
// what it has not shaped yet.
func (in *invocation) markStopped(only string, units []shaping.Unit) error {
	if only == "" {
		return in.records.SetStopped("")
	}
	for _, u := range units {
		if err := in.records.SetStopped(u.Device); err != nil {
			return err
		}
	}
	if device := in.networkDevice(only); len(units) == 0 && link.IsName(device) {
		return in.records.SetStopped(device)
	}
	return nil
}

// owned are the devices with something of ours; only is a device's name or a
// network's.
func (in *invocation) owned(engine *shaping.Engine, only string) ([]shaping.Unit, error) {
	units, err := engine.Owned(only)
	if only != "" && len(units) == 0 && err == nil {
		units, err = engine.Owned(in.networkDevice(only))
	}
	return units, err
}
