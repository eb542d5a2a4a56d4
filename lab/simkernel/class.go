// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"slices"
	"syscall"

	"sqmd/tc"
)

// class is one class of htb, the only kind of which someone makes classes here.
type class struct {
	tc.Class // Parent and Leaf are filled in for dumps
	foreign  bool
	parent   *class // nil for a class directly under the qdisc
	children int
	filters  block  // for packets that are already in the class
	leaf     *qdisc // nil for the fifo that the kernel gives a new class
}

const (
	htbDepth      = 8 // TC_HTB_MAXDEPTH, net/sched/sch_htb.c
	htbPrioMax    = 7
	htbQuantumMin = 1000
	htbQuantumMax = 200000
)

// level is 0 for a leaf, and counts down from the top for classes with children.
func (c *class) level() uint32 {
	switch {
	case c.children == 0:
		return 0
	case c.parent == nil:
		return htbDepth - 1
	}
	return c.parent.level() - 1
}

// class finds a class by its id.
func (q *qdisc) class(id tc.Handle) *class {
	for _, c := range q.classes {
		if c.Handle == id {
			return c
		}
	}
	return nil
}

// classIDs completes the ids of a request and finds the qdisc that they belong
// to, as tc_ctl_tclass does (net/sched/sch_api.c).
func (c *change) classIDs(want *tc.Class) (*qdisc, error) {
	major := want.Handle.Major()
	if want.Parent != tc.Root && want.Parent.Major() != 0 {
		if major != 0 && major != want.Parent.Major() {
			return nil, refusal(syscall.EINVAL)
		}
		major = want.Parent.Major()
	}
	if major == 0 && c.dev.root != nil {
		major = c.dev.root.Handle.Major()
	}
	q := c.dev.lookup(tc.MakeHandle(major, 0))
	switch {
	case want.Handle == 0 && want.Parent != tc.Root:
		return nil, refusal(syscall.EINVAL)
	case q == nil:
		return nil, refusal(syscall.ENOENT)
	case slices.Contains([]string{"codel", "pie", "pfifo", "bfifo", "pfifo_head_drop", "pfifo_fast", "noqueue"}, q.Kind):
		return nil, refusal(syscall.EINVAL)
	}
	want.Handle = tc.MakeHandle(major, want.Handle.Minor())
	return q, nil
}

// setClass follows tc_ctl_tclass and htb_change_class.
func (c *change) setClass(want tc.Class) error {
	q, err := c.classIDs(&want)
	if err != nil {
		return err
	}
	have := q.class(want.Handle)
	switch {
	case have == nil && !c.creates():
		return refusal(syscall.ENOENT)
	case have != nil && c.excludes():
		return refusal(syscall.EEXIST)
	case q.Kind == "tbf" && c.excludes(): // it has every class
		return refusal(syscall.EEXIST)
	case q.Kind != "htb":
		return refusal(syscall.EOPNOTSUPP)
	}
	options, ok := want.Options.(*tc.HTBClass)
	if !ok || options.Rate == 0 || options.Ceil == 0 {
		return refusal(syscall.EINVAL)
	}
	if have != nil {
		have.alter(options, q)
		c.classChanged(have, false)
		return nil
	}
	return c.addClass(q, want, options)
}

func (c *change) addClass(q *qdisc, want tc.Class, options *tc.HTBClass) error {
	parent := q.class(want.Parent)
	if parent != nil && parent.parent != nil && parent.parent.level() < 2 && parent.parent.children > 0 {
		return refusal(syscall.EINVAL)
	}
	made := &class{Class: want, foreign: c.foreign, parent: parent}
	made.Kind, made.Options, made.Stats = "htb", &tc.HTBClass{}, newStats("htb class", nil)
	made.alter(options, q)
	made.Parent = tc.Root
	if parent != nil {
		made.Parent = parent.Handle
		parent.children++
		parent.leaf = nil
	}
	q.classes = append(q.classes, made)
	q.bind(made.Handle, true)
	c.classChanged(made, false)
	return nil
}

// alter gives a class new options. A class with children keeps the quantum and
// priority that it had as a leaf.
func (c *class) alter(want *tc.HTBClass, q *qdisc) {
	next, had := copied(want), c.Options.(*tc.HTBClass)
	if c.level() > 0 {
		next.Quantum, next.Prio = had.Quantum, had.Prio
	} else {
		next.Prio = min(next.Prio, htbPrioMax)
		if next.Quantum == 0 {
			r2q := uint64(q.Options.(*tc.HTB).R2Q)
			next.Quantum = uint32(min(max(next.Rate/8/r2q, htbQuantumMin), htbQuantumMax))
		}
	}
	c.Options = next
}

// deleteClass: a class with children, or one that a filter sends packets to, is
// busy.
func (c *change) deleteClass(want tc.Class) error {
	q, err := c.classIDs(&want)
	if err != nil {
		return err
	}
	have := q.class(want.Handle)
	if have == nil {
		return refusal(syscall.ENOENT)
	}
	bound := q.bound(have.Handle)
	q.bind(have.Handle, false)
	if have.children > 0 || bound {
		return refusal(syscall.EBUSY)
	}
	q.classes = slices.DeleteFunc(q.classes, func(other *class) bool { return other == have })
	if have.parent != nil {
		have.parent.children--
	}
	c.classChanged(have, true)
	return nil
}

// bind ties filters that name the class to it when it is made, and sets them
// loose when its deletion is tried. The kernel goes through the classes for it,
// and forgets the filters of the qdisc itself (tc_bind_tclass).
func (q *qdisc) bind(id tc.Handle, bound bool) {
	for _, c := range q.classes {
		for _, f := range c.filters.all() {
			if classOf(f.Options) == id {
				f.bound = bound
			}
		}
	}
}

func (q *qdisc) bound(id tc.Handle) bool {
	return slices.ContainsFunc(q.blocks(), func(b *block) bool {
		return slices.ContainsFunc(b.all(), func(f *filter) bool { return f.bound && classOf(f.Options) == id })
	})
}
