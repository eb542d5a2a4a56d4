// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import "sqmd/tc"

// Qdiscs is the qdiscs of all devices, with statistics: default roots with the
// handle 0, but not the fifos that the kernel gives to classes and hides.
func (k *Kernel) Qdiscs() ([]tc.Qdisc, error) {
	if err := k.asks("dump qdiscs"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []tc.Qdisc
	for _, d := range k.devices {
		if d.root == nil && d.active {
			all = append(all, d.defaults()...)
		}
		for _, q := range d.qdiscs() {
			dumped := q.Qdisc
			dumped.Ifindex, dumped.Options, dumped.Stab, dumped.Stats = d.link.Index, deepCopy(q.Options), copied(q.Stab), copied(q.Stats)
			all = append(all, dumped)
		}
	}
	return all, nil
}

// defaults is the root that the kernel gives a device, and what is under it.
func (d *device) defaults() []tc.Qdisc {
	made := func(kind string, parent tc.Handle) tc.Qdisc {
		options, _ := newOptions(tc.Qdisc{Kind: kind}, d)
		return tc.Qdisc{Ifindex: d.link.Index, Parent: parent, Kind: kind, Options: options, Stats: newStats(kind, options)}
	}
	switch {
	case d.noQueue:
		return []tc.Qdisc{made("noqueue", tc.Root)}
	case d.link.TxQueues > 1:
		all := []tc.Qdisc{made("mq", tc.Root)}
		for i := range d.link.TxQueues {
			all = append(all, made("fq_codel", tc.MakeHandle(0, uint16(i+1))))
		}
		return all
	}
	return []tc.Qdisc{made("fq_codel", tc.Root)}
}

// Classes is the classes of htb on a device, with statistics. Those that other
// kinds have by themselves are not simulated.
func (k *Kernel) Classes(ifindex int) ([]tc.Class, error) {
	if err := k.asks("dump classes"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byIndex(ifindex)
	if d == nil {
		return nil, nil
	}
	var all []tc.Class
	for _, q := range d.qdiscs() {
		for _, c := range q.classes {
			all = append(all, c.dumped(ifindex))
		}
	}
	return all, nil
}

func (c *class) dumped(ifindex int) tc.Class {
	dumped := c.Class
	options := copied(c.Options.(*tc.HTBClass))
	options.Level = c.level()
	dumped.Ifindex, dumped.Options, dumped.Stats = ifindex, options, copied(c.Stats)
	if c.leaf != nil {
		dumped.Leaf = c.leaf.Handle
	}
	return dumped
}

// Filters is the filters under one parent of a device; none when there is no such
// parent.
func (k *Kernel) Filters(ifindex int, parent tc.Handle) ([]tc.Filter, error) {
	if err := k.asks("dump filters"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byIndex(ifindex)
	if d == nil {
		return nil, nil
	}
	_, b, err := d.blockOf(parent)
	if err != nil {
		return nil, nil
	}
	var all []tc.Filter
	for _, f := range b.all() {
		dumped := f.Filter
		dumped.Ifindex, dumped.Parent, dumped.Options = ifindex, b.parent, deepCopy(f.Options)
		all = append(all, dumped)
	}
	return all, nil
}
