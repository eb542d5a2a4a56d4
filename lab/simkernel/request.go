// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"syscall"

	"sqmd/tc"
)

// Do carries out requests in order and gives each one's result. The second
// result is set for a request that cannot be read, which is a mistake of the
// encoder and not the kernel's refusal.
func (k *Kernel) Do(requests ...tc.Request) ([]error, error) {
	if err := k.asks("send"); err != nil {
		return nil, err
	}
	results := make([]error, len(requests))
	for i, r := range requests {
		d, err := r.Decode()
		if err != nil {
			return nil, err
		}
		if results[i] = k.asks("%s", k.describe(d)); results[i] == nil {
			results[i] = k.carryOut(d, false)
		}
	}
	if err := k.asks("receive"); err != nil {
		return nil, err
	}
	return results, nil
}

// describe names a request for the hook of [Kernel.Fail].
func (k *Kernel) describe(d tc.Decoded) string {
	verb := map[tc.Mode]string{tc.Add: "add", tc.Replace: "replace", tc.Change: "change"}[d.Mode]
	if d.Delete {
		verb = "delete"
	}
	object, kind, ifindex := "", "", 0
	switch {
	case d.Qdisc != nil:
		object, kind, ifindex = "qdisc", d.Qdisc.Kind, d.Qdisc.Ifindex
	case d.Class != nil:
		object, kind, ifindex = "class", d.Class.Kind, d.Class.Ifindex
	case d.Filter != nil:
		object, kind, ifindex = "filter", d.Filter.Kind, d.Filter.Ifindex
	}
	if kind != "" {
		object += " " + kind
	}
	return fmt.Sprintf("%s %s on %s", verb, object, k.nameOf(ifindex))
}

// carryOut does one request on behalf of sqmd or of an outside hand.
func (k *Kernel) carryOut(d tc.Decoded, foreign bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	on := func(ifindex int, do func(*change) error) error {
		dev := k.byIndex(ifindex)
		if dev == nil {
			return refusal(syscall.ENODEV)
		}
		return do(&change{k, dev, d.Mode, foreign})
	}
	switch {
	case d.Qdisc != nil && d.Delete:
		return on(d.Qdisc.Ifindex, func(c *change) error { return c.deleteQdisc(*d.Qdisc) })
	case d.Qdisc != nil:
		return on(d.Qdisc.Ifindex, func(c *change) error { return c.setQdisc(*d.Qdisc) })
	case d.Class != nil && d.Delete:
		return on(d.Class.Ifindex, func(c *change) error { return c.deleteClass(*d.Class) })
	case d.Class != nil:
		return on(d.Class.Ifindex, func(c *change) error { return c.setClass(*d.Class) })
	case d.Filter != nil && d.Delete:
		return on(d.Filter.Ifindex, func(c *change) error { return c.deleteFilter(*d.Filter) })
	}
	return on(d.Filter.Ifindex, func(c *change) error { return c.setFilter(*d.Filter) })
}

// change is one request being carried out on a device.
type change struct {
	k       *Kernel
	dev     *device
	mode    tc.Mode
	foreign bool
}

func (c *change) creates() bool  { return c.mode == tc.Add || c.mode == tc.Replace }
func (c *change) excludes() bool { return c.mode == tc.Add }
func (c *change) replaces() bool { return c.mode == tc.Replace }
