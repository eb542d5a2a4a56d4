// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"slices"
	"syscall"

	"sqmd/tc"
)

// block is the filters in one place, by rising preference.
type block struct {
	heads []*head
	// parent is the one of the last request for a filter, under which dumps show
	// all of them.
	parent tc.Handle
}

// head is all filters of one preference, which have one kind and one protocol.
type head struct {
	chain          uint32
	pref, protocol uint16
	kind           string
	filters        []*filter
	table          uint32 // of u32: the hash table that the kernel made
}

type filter struct {
	tc.Filter
	foreign bool
	bound   bool // to the class that it names
}

func (b *block) all() []*filter {
	var all []*filter
	for _, h := range b.heads {
		all = append(all, h.filters...)
	}
	return all
}

// filterKinds are the kinds that can be made.
var filterKinds = []string{"flower", "fw", "matchall", "u32"}

// blockOf finds the filters of a parent (__tcf_qdisc_find and __tcf_block_find,
// net/sched/cls_api.c).
func (d *device) blockOf(parent tc.Handle) (*qdisc, *block, error) {
	q := d.root
	if parent != 0 {
		q = d.lookup(parent)
	}
	switch {
	case q == nil:
		return nil, nil, refusal(syscall.EINVAL)
	case q.Kind == "ingress":
		return q, &q.ingress, nil
	case q.Kind == "clsact" && parent == tc.IngressHook:
		return q, &q.ingress, nil
	case q.Kind == "clsact" && parent == tc.EgressHook:
		return q, &q.egress, nil
	case slices.Contains([]string{"tbf", "red"}, q.Kind):
		return nil, nil, refusal(syscall.EOPNOTSUPP)
	case !slices.Contains([]string{"htb", "cake", "fq_codel", "fq_pie", "sfq"}, q.Kind):
		return nil, nil, refusal(syscall.EINVAL)
	case parent.Minor() == 0:
		return q, &q.ingress, nil
	case q.class(parent) == nil:
		return nil, nil, refusal(syscall.ENOENT)
	}
	return q, &q.class(parent).filters, nil
}

// setFilter follows tc_new_tfilter (net/sched/cls_api.c).
func (c *change) setFilter(want tc.Filter) error {
	if want.Pref == 0 && !c.creates() {
		return refusal(syscall.ENOENT)
	}
	q, b, err := c.dev.blockOf(want.Parent)
	if err != nil {
		return err
	}
	b.parent = want.Parent
	h, err := b.head(want)
	switch {
	case err != nil:
		return err
	case h != nil && want.Kind != h.kind:
		return refusal(syscall.EINVAL)
	case h == nil && (want.Kind == "" || want.Protocol == 0):
		return refusal(syscall.EINVAL)
	case h == nil && !c.creates():
		return refusal(syscall.ENOENT)
	case !slices.Contains(filterKinds, want.Kind) || c.k.lacking[want.Kind]:
		return refusal(syscall.ENOENT)
	}
	if h == nil {
		h = c.k.newHead(b, want)
	}
	have := h.filter(want.Handle)
	switch {
	case have == nil && !c.creates():
		return refusal(syscall.ENOENT)
	case have != nil && c.excludes():
		return refusal(syscall.EEXIST)
	case h.kind == "matchall" && len(h.filters) > 0, h.matches(want.Options, have):
		return refusal(syscall.EEXIST)
	}
	f, err := c.newFilter(q, h, want, have)
	if err != nil {
		return err
	}
	b.insert(h)
	if have != nil {
		*have = *f
	} else {
		h.insert(f)
	}
	told := f.Handle
	if h.kind == "matchall" {
		told = 0 // it has its number only later
	}
	c.filterChanged(want.Parent, h, told, false)
	return nil
}

// head finds the filters of the preference that a filter names.
func (b *block) head(f tc.Filter) (*head, error) {
	if f.Pref == 0 {
		return nil, nil
	}
	for _, h := range b.heads {
		if h.chain == f.Chain && h.pref == f.Pref {
			if f.Protocol != 0 && f.Protocol != h.protocol {
				return nil, refusal(syscall.EINVAL)
			}
			return h, nil
		}
	}
	return nil, nil
}

// The preferences that the kernel gives to filters without one go down from the
// last of these; the first is where it looks for those given before.
const (
	autoPrefFrom = 0x8000
	autoPrefLast = 0xc000
)

func (k *Kernel) newHead(b *block, f tc.Filter) *head {
	h := &head{chain: f.Chain, pref: f.Pref, protocol: f.Protocol, kind: f.Kind}
	if h.pref == 0 {
		h.pref = autoPrefLast
		for _, other := range b.heads {
			if other.chain == h.chain && other.pref >= autoPrefFrom {
				h.pref = other.pref - 1
				break
			}
		}
	}
	if h.kind == "u32" {
		h.table = b.freeTable()
	}
	return h
}

// insert keeps the order of preferences; an old one stays where it is.
func (b *block) insert(h *head) {
	if slices.Contains(b.heads, h) {
		return
	}
	at := slices.IndexFunc(b.heads, func(other *head) bool { return other.chain == h.chain && other.pref > h.pref })
	if at < 0 {
		at = len(b.heads)
	}
	b.heads = slices.Insert(b.heads, at, h)
}

// matches reports whether there is a flower with the same keys, which the kernel
// does not want twice; insteadOf is the one that makes room.
func (h *head) matches(want tc.Options, insteadOf *filter) bool {
	keys := func(o tc.Options) *tc.Flower {
		f, ok := deepCopy(o).(*tc.Flower)
		if ok {
			f.Actions, f.ClassID = nil, 0
		}
		return f
	}
	mine := keys(want)
	return mine != nil && slices.ContainsFunc(h.filters, func(f *filter) bool { return f != insteadOf && tc.Satisfied(mine, keys(f.Options)) })
}

// newFilter is the filter as the kernel keeps it. One that it comes in place of
// leaves it its handle and its owner.
func (c *change) newFilter(q *qdisc, h *head, want tc.Filter, have *filter) (*filter, error) {
	f := &filter{Filter: want, foreign: c.foreign}
	f.Options, f.Pref = deepCopy(want.Options), h.pref
	if f.Options == nil {
		return nil, refusal(syscall.EINVAL)
	}
	if have != nil {
		f.foreign = have.foreign
	} else if handle, err := h.giveHandle(want.Handle); err != nil {
		return nil, err
	} else {
		f.Handle = handle
	}
	if err := c.k.makeActions(actionsOf(f.Options)); err != nil {
		return nil, err
	}
	f.bound = classOf(f.Options) != 0 && q.class(classOf(f.Options)) != nil
	if u, ok := f.Options.(*tc.U32); ok {
		u.Hash = h.table
	}
	return f, nil
}

// deleteFilter follows tc_del_tfilter and, without a preference, tcf_chain_flush.
func (c *change) deleteFilter(want tc.Filter) error {
	if want.Pref == 0 && (want.Protocol != 0 || want.Handle != 0 || want.Kind != "") {
		return refusal(syscall.ENOENT)
	}
	_, b, err := c.dev.blockOf(want.Parent)
	if err != nil {
		return err
	}
	if want.Pref == 0 {
		for _, h := range slices.Clone(b.heads) {
			if h.chain == want.Chain {
				c.dropHead(b, h, want.Parent)
			}
		}
		return nil
	}
	h, err := b.head(want)
	switch {
	case err != nil:
		return err
	case h == nil:
		return refusal(syscall.ENOENT)
	case want.Kind != "" && want.Kind != h.kind:
		return refusal(syscall.EINVAL)
	case want.Handle == 0:
		c.dropHead(b, h, want.Parent)
		return nil
	}
	have := h.filter(want.Handle)
	if have == nil {
		return refusal(syscall.ENOENT)
	}
	h.filters = slices.DeleteFunc(h.filters, func(f *filter) bool { return f == have })
	if len(h.filters) == 0 && !(h.kind == "u32" && b.count("u32") > 1) {
		b.remove(h)
	}
	c.filterChanged(want.Parent, h, have.Handle, true)
	return nil
}

func (c *change) dropHead(b *block, h *head, parent tc.Handle) {
	b.remove(h)
	c.filterChanged(parent, h, 0, true)
}

func (b *block) remove(h *head) {
	b.heads = slices.DeleteFunc(b.heads, func(other *head) bool { return other == h })
}

// count is how many preferences have filters of a kind. The last rule of u32
// leaves its table while there are others.
func (b *block) count(kind string) int {
	n := 0
	for _, h := range b.heads {
		if h.kind == kind {
			n++
		}
	}
	return n
}
