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
		recorded := same && r.RootKind == root.Kind && (r.RootHandle == root.Handle || r.RootHandle == 0)
		o.Root = recorded || root.Handle == cakeHandle
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
	}
	r.Set = p.Configured
	for _, t := range p.Targets {
		if t.Device != link.Name {
			continue
		}
		switch t.Root {
		case Set:
			r.RootKind, r.RootHandle = t.Tree.Root.Kind, t.Tree.Root.Handle
		case Clear:
			r.RootKind, r.RootHandle = "", 0
		}
		switch {
		case t.Redirect == Set:
			r.Hook = d == nil || d.Hook == nil || r.Hook
		case t.DropHook:
			r.Hook = false
		}
	}
	return r
}
