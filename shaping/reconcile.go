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
	if complete && !config.Damaged {
		units = append(units, e.leftover(units, links)...)
	} else {
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
// new name.
func (e *Engine) FollowRenames() error {
	links, err := e.Kernel.Links()
	if err != nil {
		return err
	}
	for _, device := range e.Records.Devices() {
		record, err := e.Records.Load(device)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Index == record.Ifindex && l.Name != device {
				if err := e.rename(device, l.Name, record, links); err != nil {
					return fmt.Errorf("follow %s to its new name %s: %w", device, l.Name, err)
				}
			}
		}
	}
	return nil
}

func (e *Engine) rename(from, to string, record Record, links []ifb.Link) error {
	for _, l := range links {
		if owner, ok := ours(l); ok && owner == from {
			if err := e.Kernel.SetAlias(l.Index, ifb.Alias(to)); err != nil {
				return err
			}
		}
	}
	if err := e.Records.Save(to, record); err != nil {
		return err
	}
	return e.Records.Forget(from)
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
