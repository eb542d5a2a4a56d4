// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"slices"
	"syscall"

	"sqmd/tc"
)

// qdisc is one qdisc with a handle, and what hangs under it.
type qdisc struct {
	tc.Qdisc
	foreign bool
	classes []*class // of htb, in the order in which they were made
	leaf    *qdisc   // of tbf, nil for the built-in one
	ingress block    // of every kind that takes filters
	egress  block    // of clsact
}

// appendTo lists the qdisc and all under it.
func (q *qdisc) appendTo(all []*qdisc) []*qdisc {
	if q == nil {
		return all
	}
	all = q.leaf.appendTo(append(all, q))
	for _, c := range q.classes {
		all = c.leaf.appendTo(all)
	}
	return all
}

// blocks is all places for filters.
func (q *qdisc) blocks() []*block {
	list := []*block{&q.ingress, &q.egress}
	for _, c := range q.classes {
		list = append(list, &c.filters)
	}
	return list
}

// qdiscKinds are the kinds that can be made.
var qdiscKinds = []string{"bfifo", "cake", "cake_mq", "clsact", "codel", "fq_codel", "fq_pie", "htb", "ingress", "noqueue", "pfifo",
	"pfifo_fast", "pfifo_head_drop", "pie", "red", "sfq", "tbf"}

// classfulKinds are those that say themselves which classes they have; others
// cannot have a qdisc under them at all.
var classfulKinds = []string{"cake", "cake_mq", "fq_codel", "htb", "sfq"}

// isHook reports whether a kind is for arriving packets.
func isHook(kind string) bool { return kind == "ingress" || kind == "clsact" }

// at finds the qdisc at a parent, and the qdisc that the parent is a class of;
// nil for none and for default ones.
func (c *change) at(parent tc.Handle) (q, under *qdisc, err error) {
	switch parent {
	case tc.Root:
		return c.dev.root, nil, nil
	case tc.IngressParent:
		return c.dev.hook, nil, nil
	}
	if under = c.dev.lookup(parent); under == nil {
		return nil, nil, refusal(syscall.ENOENT)
	}
	class := under.class(parent)
	switch {
	case class != nil:
		q = class.leaf
	case under.Kind == "tbf":
		q = under.leaf
	case slices.Contains(classfulKinds, under.Kind):
		return nil, nil, refusal(syscall.ENOENT)
	}
	return q, under, nil
}

// setQdisc follows tc_modify_qdisc (net/sched/sch_api.c).
func (c *change) setQdisc(want tc.Qdisc) error {
	have, under, err := c.at(want.Parent)
	if err != nil {
		return err
	}
	if have == nil || want.Handle == 0 || have.Handle != want.Handle {
		switch {
		case want.Handle != 0 && have != nil && !c.replaces():
			return refusal(syscall.EEXIST)
		case want.Handle.Minor() != 0:
			return refusal(syscall.EINVAL)
		case want.Handle != 0 && c.dev.lookup(want.Handle) != nil:
			return c.takenHandle(want)
		case want.Handle == 0 && have != nil && want.Kind != have.Kind:
			// Without a handle another kind always comes in place of what is there,
			// even for a change and for an exclusive add.
			return c.createQdisc(want, under)
		case (want.Handle != 0 || have == nil) && !c.creates():
			return refusal(syscall.ENOENT)
		case want.Handle != 0 || have == nil:
			return c.createQdisc(want, under)
		}
	}
	switch {
	case c.excludes():
		return refusal(syscall.EEXIST)
	case want.Kind != have.Kind:
		return refusal(syscall.EINVAL)
	}
	return c.changeQdisc(have, want)
}

// takenHandle: the kernel would move the qdisc with that handle to the new
// parent, which nobody does; only its refusals are here.
func (c *change) takenHandle(want tc.Qdisc) error {
	if c.excludes() {
		return refusal(syscall.EEXIST)
	}
	if c.dev.lookup(want.Handle).Kind != want.Kind {
		return refusal(syscall.EINVAL)
	}
	return refusal(syscall.ELOOP)
}

func (c *change) changeQdisc(have *qdisc, want tc.Qdisc) error {
	if want.Options != nil && !isHook(have.Kind) {
		changed, err := changedOptions(have.Options, want.Options)
		if err != nil {
			return err
		}
		have.Options = changed
		have.passLimit()
	}
	have.Stab = copied(want.Stab)
	c.qdiscChanged(have, false)
	return nil
}

func (c *change) createQdisc(want tc.Qdisc, under *qdisc) error {
	switch {
	case !slices.Contains(qdiscKinds, want.Kind) || c.k.lacking[want.Kind]:
		return refusal(syscall.ENOENT)
	case isHook(want.Kind) && want.Parent != tc.IngressParent:
		return refusal(syscall.EOPNOTSUPP)
	case !isHook(want.Kind) && want.Parent == tc.IngressParent:
		return refusal(syscall.EINVAL)
	case want.Kind == "cake_mq" && (want.Parent != tc.Root || c.dev.link.TxQueues < 2):
		return refusal(syscall.EOPNOTSUPP)
	case want.Kind == "cake_mq" && want.Handle != 0:
		return refusal(syscall.EINVAL)
	}
	options, err := newOptions(want, c.dev)
	if err != nil {
		return err
	}
	q := &qdisc{Qdisc: want, foreign: c.foreign}
	q.Options, q.Stab, q.Stats = options, copied(want.Stab), newStats(want.Kind, options)
	switch {
	case want.Parent == tc.IngressParent:
		q.Handle = tc.IngressHandle
	case q.Handle == 0:
		q.Handle = c.k.giveHandle(c.dev)
	}
	return c.graft(q, want.Parent, under)
}

// giveHandle chooses a handle that is free on the device.
func (k *Kernel) giveHandle(d *device) tc.Handle {
	for {
		k.autoHandle++
		if k.autoHandle == 0xffff || k.autoHandle < firstAutoHandle-1 {
			k.autoHandle = firstAutoHandle - 1
		}
		if h := tc.MakeHandle(k.autoHandle, 0); d.lookup(h) == nil {
			return h
		}
	}
}

// graft puts a qdisc in place of what is there, or with nil takes that away.
func (c *change) graft(q *qdisc, parent tc.Handle, under *qdisc) error {
	place, err := c.place(parent, under)
	if err != nil {
		return err
	}
	old := *place
	*place = q
	if q != nil && parent == tc.IngressParent {
		c.dev.hooked = true
	}
	if parent == tc.Root {
		c.dev.active = q != nil || c.dev.link.Up
	}
	if old != nil {
		c.qdiscChanged(old, true)
	}
	if q != nil {
		c.qdiscChanged(q, false)
	}
	return nil
}

// place is where a qdisc is kept.
func (c *change) place(parent tc.Handle, under *qdisc) (**qdisc, error) {
	switch {
	case parent == tc.Root:
		return &c.dev.root, nil
	case parent == tc.IngressParent:
		return &c.dev.hook, nil
	case under.Kind == "tbf":
		return &under.leaf, nil
	case under.Kind != "htb":
		return nil, refusal(syscall.EOPNOTSUPP)
	}
	class := under.class(parent)
	switch {
	case class == nil:
		return nil, refusal(syscall.ENOENT)
	case class.level() > 0:
		return nil, refusal(syscall.EINVAL)
	}
	return &class.leaf, nil
}

// deleteQdisc follows tc_get_qdisc (net/sched/sch_api.c).
func (c *change) deleteQdisc(want tc.Qdisc) error {
	if want.Parent == 0 {
		return refusal(syscall.EINVAL)
	}
	have, under, err := c.at(want.Parent)
	switch {
	case err != nil:
		return err
	case have == nil && want.Parent == tc.IngressParent && !c.dev.hooked, have == nil && want.Handle == 0:
		return refusal(syscall.ENOENT)
	case have == nil && under != nil && under.Kind != "tbf" && under.Kind != "htb":
		return refusal(syscall.ENOENT)
	case have == nil, want.Handle != 0 && have.Handle != want.Handle, want.Kind != "" && have.Kind != want.Kind:
		return refusal(syscall.EINVAL)
	}
	return c.graft(nil, want.Parent, under)
}
