// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"sqmd/ifb"
	"sqmd/tc"
)

// Ownership says which parts of a device's traffic control are ours, and so may
// be removed. The kernel itself tells for the IFB (its alias) and for a cake of
// ours (its handle); for the rest there is a [Record].
type Ownership struct {
	Root bool // the root qdisc
	Hook bool // the ingress qdisc
	// Known is set when there is a record of this very device.
	Known bool
}

// Record is what we remember about a device until the next boot, beside what can
// be seen in the kernel. It is a hint about ownership, never about state: each
// part of it counts only while the kernel still shows the same.
type Record struct {
	Ifindex int `json:"ifindex"`
	// RootKind and RootHandle are the root qdisc that we put there; "" for none.
	RootKind   string    `json:"root_kind,omitempty"`
	RootHandle tc.Handle `json:"root_handle,omitempty"`
	// OldKind and OldHandle are the root qdisc of ours that is to be removed or
	// replaced, while that is under way.
	OldKind   string    `json:"old_kind,omitempty"`
	OldHandle tc.Handle `json:"old_handle,omitempty"`
	// Hook is set when the ingress qdisc was made by us.
	Hook bool `json:"hook,omitempty"`
	// Set are the rates that the configuration asked for when it was last carried
	// out. While it still does, another rate in the kernel is someone else's will.
	Set rates `json:"set"`
}

// owned compares what is remembered with what is there.
func owned(d *Device, r Record) Ownership {
	var o Ownership
	same := r.Ifindex == d.Link.Index
	o.Known = same
	if d.Root != nil {
		root := d.Root.Root
		is := func(kind string, handle tc.Handle) bool {
			return same && kind == root.Kind && (handle == root.Handle || handle == 0)
		}
		o.Root = is(r.RootKind, r.RootHandle) || is(r.OldKind, r.OldHandle) || root.Handle == cakeHandle
	}
	if d.Hook != nil {
		o.Hook = same && r.Hook && d.Hook.Kind == "ingress"
	}
	return o
}

// recordOf is what to remember once the plan is carried out on a device that
// looks like d before: parts that the plan leaves alone keep their record.
func recordOf(p Plan, link ifb.Link, d *Device, before Record) Record {
	r := Record{Ifindex: link.Index}
	if before.Ifindex == link.Index {
		r = before
		r.OldKind, r.OldHandle = "", 0
	}
	for _, t := range p.Targets {
		if t.Device != link.Name {
			if t.Root == Set {
				r.Set.Download = p.Configured.Download
			}
			continue
		}
		switch t.Root {
		case Set:
			r.RootKind, r.RootHandle = t.Tree.Root.Kind, t.Tree.Root.Handle
			r.Set.Upload = p.Configured.Upload
		case Clear:
			r.RootKind, r.RootHandle = "", 0
			r.Set.Upload = 0
		}
		switch {
		case t.Redirect == Set:
			r.Hook = d == nil || d.Hook == nil || r.Hook
		case t.DropHook:
			r.Hook = false
			r.Set.Download = 0
		}
	}
	return r
}

// underWay is what to remember while operations lead from one record to another,
// so that whoever is killed in between, or fails, leaves nothing that is nobody's:
// all that is ours before or after, and no rate of a direction that changes.
func underWay(from, to Record, ops []Op) Record {
	r := to
	if from.Ifindex == to.Ifindex {
		r.Hook = from.Hook || to.Hook
		if from.RootKind != to.RootKind || from.RootHandle != to.RootHandle {
			r.OldKind, r.OldHandle = from.RootKind, from.RootHandle
		}
	}
	for _, d := range []Direction{Upload, Download} {
		if remaining(ops, d) != nil {
			*r.Set.of(d) = 0
		}
	}
	return r
}
