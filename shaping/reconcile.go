// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"slices"

	"sqmd/ifb"
	"sqmd/uci"
)

// Units are the units of a configuration, and with them devices that we shaped
// before and that the configuration no longer names, to be set free. only limits
// both to one device, unless it is "".
func (e *Engine) Units(config uci.Config, only string) ([]Unit, []uci.Finding, error) {
	links, err := e.Kernel.Links()
	if err != nil {
		return nil, nil, err
	}
	exists := func(device string) bool {
		return slices.ContainsFunc(links, func(l ifb.Link) bool { return l.Name == device })
	}
	units, findings, complete := Group(config.Queues, exists, e.Resolve)
	units = append(units, e.leftover(units, links)...)
	if !complete || config.Damaged {
		// A section may be missing only because a line of it is broken, or because its
		// network is down.
		broken := config.Damaged || slices.ContainsFunc(config.Queues, func(q uci.Queue) bool { return q.Enabled && q.Broken })
		for i := range units {
			units[i].Untied = !units[i].Keep && !broken
			units[i].Keep = true
		}
	}
	if only != "" {
		units = slices.DeleteFunc(units, func(u Unit) bool { return u.Device != only && !u.names(only) })
	}
	return units, findings, nil
}

// FollowRenames makes what is remembered of a device, and its IFB, follow it to a
// new name. All is read before anything is written: devices can have exchanged
// their names.
func (e *Engine) FollowRenames() error {
	links, err := e.Kernel.Links()
	if err != nil {
		return err
	}
	var moves []move
	for _, device := range e.Records.Devices() {
		record, err := e.Records.Load(device)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Index == record.Ifindex && l.Name != device {
				moves = append(moves, move{device, l.Name, record})
			}
		}
	}
	if err := e.follow(moves, links); err != nil {
		return fmt.Errorf("follow devices to their new names: %w", err)
	}
	return nil
}

// move is a device with a record that has a new name.
type move struct {
	from, to string
	record   Record
}

func (e *Engine) follow(moves []move, links []ifb.Link) error {
	for _, m := range moves {
		for _, l := range links {
			if owner, ok := ours(l); ok && owner == m.from {
				if err := e.Kernel.SetAlias(l.Index, ifb.Alias(m.to)); err != nil {
					return err
				}
			}
		}
	}
	for _, m := range moves {
		if err := e.Records.Save(m.to, m.record); err != nil {
			return err
		}
	}
	for _, m := range moves {
		if slices.ContainsFunc(moves, func(other move) bool { return other.to == m.from }) {
			continue
		}
		if err := e.Records.Forget(m.from); err != nil {
			return err
		}
	}
	return nil
}

// names reports whether a section of the unit gives name as its interface.
func (u Unit) names(name string) bool {
	return u.Upload != nil && u.Upload.Interface == name || u.Download != nil && u.Download.Interface == name
}

// Owned are units that ask for nothing, for every device that carries something
// of ours: applying them removes it.
func (e *Engine) Owned(only string) ([]Unit, error) {
	links, err := e.Kernel.Links()
	if err != nil {
		return nil, err
	}
	units := e.leftover(nil, links)
	if only != "" {
		units = slices.DeleteFunc(units, func(u Unit) bool { return u.Device != only })
	}
	return units, nil
}

// leftover are devices with something of ours that no unit speaks of.
func (e *Engine) leftover(units []Unit, links []ifb.Link) []Unit {
	devices := e.Records.Devices()
	for _, l := range links {
		if owner, ok := ours(l); ok {
			devices = append(devices, owner)
		}
	}
	var found []Unit
	for _, device := range devices {
		spoken := func(u Unit) bool { return u.Device == device }
		if !slices.ContainsFunc(units, spoken) && !slices.ContainsFunc(found, spoken) {
			found = append(found, Unit{Device: device})
		}
	}
	return found
}
