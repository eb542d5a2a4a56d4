// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"slices"

	"sqmd/ifb"
	"sqmd/tc"
)

// Diff gives the operations that bring the kernel from state to the targets, in
// an order in which no packet is led where nothing shapes or nothing carries it:
// first IFBs with their shapers, then root qdiscs, then the redirect; and for
// removal the redirect before the IFB.
func Diff(targets []Target, state State) []Op {
	d := &differ{state: state}
	for _, t := range targets {
		if t.IFB == Set {
			d.createIFB(t)
		}
	}
	for _, t := range targets {
		if t.IFB == Keep {
			d.at(t.Device, Upload).root(t.Root, t.Tree)
			d.at(t.Device, Download).ingress(t)
		}
	}
	for _, t := range targets {
		if t.IFB == Clear {
			if _, exists := state.Links[t.Device]; exists {
				d.at(t.Device, Download).add(Op{Verb: DeleteIFB})
			}
		}
	}
	return d.ops
}

// differ collects operations for one device after the other.
type differ struct {
	state State
	ops   []Op

	name      string
	direction Direction
	device    *Device // what the kernel has; empty for a device to be made
}

func (d *differ) at(device string, direction Direction) *differ {
	d.name, d.direction, d.device = device, direction, d.state.Devices[device]
	if d.device == nil {
		d.device = &Device{}
	}
	return d
}

func (d *differ) add(o Op) {
	o.Device, o.Direction = d.name, d.direction
	d.ops = append(d.ops, o)
}

func (d *differ) createIFB(t Target) {
	link, exists := d.state.Links[t.Device]
	d.at(t.Device, Download)
	if exists && link.TxQueues < t.Queues {
		d.freeRedirects(t)
		d.add(Op{Verb: DeleteIFB})
		d.device, exists, link = &Device{}, false, ifb.Link{}
	}
	if !exists {
		d.add(Op{Verb: CreateIFB, Queues: t.Queues})
	}
	if alias := ifb.Alias(t.Owner); link.Alias != alias {
		d.add(Op{Verb: SetAlias, Alias: alias})
	}
	d.root(t.Root, t.Tree)
	if !link.Up {
		d.add(Op{Verb: SetUp})
	}
}

// freeRedirects removes what leads to an IFB that is to be made anew: unshaped for
// an instant is better than lost.
func (d *differ) freeRedirects(t Target) {
	owner := d.state.Devices[t.Owner]
	if owner == nil {
		return
	}
	d.at(t.Owner, Download)
	for _, f := range owner.Ingress {
		if d.leadsTo(f, t.Device) {
			d.add(Op{Verb: Delete, Filter: &f, To: t.Device})
		}
	}
	d.at(t.Device, Download)
}

// root brings the root qdisc to what is wanted.
func (d *differ) root(action Action, want *Tree) {
	have := d.device.Root
	switch {
	case action == Clear && have != nil:
		d.add(Op{Verb: Delete, Qdisc: &tc.Qdisc{Parent: tc.Root, Handle: have.Root.Handle, Kind: have.Root.Kind}})
	case action == Set && !samePlace(want, have):
		d.build(want, have)
	case action == Set:
		d.alter(want, have)
	}
}

// samePlace reports whether the tree in the kernel can be brought to what is
// wanted without a new root.
func samePlace(want, have *Tree) bool {
	if have == nil || want.Root.Kind != have.Root.Kind || want.Root.Handle != 0 && want.Root.Handle != have.Root.Handle ||
		!want.Root.Stab.Satisfied(have.Root.Stab) || misplaced(want, have) {
		return false
	}
	return tc.Satisfied(want.Root.Options, have.Root.Options) || tc.Changeable(want.Root.Options, have.Root.Options)
}

// misplaced reports whether a class that is wanted stands elsewhere in the tree,
// as when the one above it could not be made: the kernel makes a class whose
// parent is missing directly under the root, and cannot move it.
func misplaced(want, have *Tree) bool {
	for _, w := range want.Classes {
		for _, h := range have.Classes {
			if w.Handle == h.Handle && !sameClass(w, h, want.Root.Handle) {
				return true
			}
		}
	}
	return false
}

// build puts a whole tree in place of whatever is there. The kernel takes a root
// with the old one's handle for a change of it, which it refuses here.
func (d *differ) build(want, have *Tree) {
	if have != nil && have.Root.Handle == want.Root.Handle {
		d.root(Clear, nil)
	}
	d.add(Op{Verb: Replace, Qdisc: &want.Root, Feature: featureOf(want.Root.Options)})
	d.alter(want, &Tree{Root: want.Root})
}

// alter brings a tree with the right root to what is wanted. A class gets its
// leaf at once, so that no packet waits in the fifo that the kernel gives a new
// class.
func (d *differ) alter(want, have *Tree) {
	if !tc.Satisfied(want.Root.Options, have.Root.Options) {
		d.add(Op{Verb: Change, Qdisc: withHandle(want.Root, have.Root.Handle)})
	}
	for i := range want.Classes {
		d.class(&want.Classes[i], have, want.Root.Handle)
		for j := range want.Leaves {
			if want.Leaves[j].Parent == want.Classes[i].Handle {
				d.leaf(&want.Leaves[j], have)
			}
		}
	}
	for j := range want.Leaves {
		if !slices.ContainsFunc(want.Classes, func(c tc.Class) bool { return c.Handle == want.Leaves[j].Parent }) {
			d.leaf(&want.Leaves[j], have)
		}
	}
	if want.Root.Kind == "htb" {
		d.filters(want, have)
	}
	for _, c := range have.Classes {
		if isOneOf(c.Handle.String(), recipeClasses...) && !slices.ContainsFunc(want.Classes, func(w tc.Class) bool { return sameClass(w, c, want.Root.Handle) }) {
			d.add(Op{Verb: Delete, Class: &tc.Class{Handle: c.Handle, Parent: c.Parent, Kind: c.Kind}})
		}
	}
}

// recipeClasses are the classes that recipes use; others under our root are
// someone else's.
var recipeClasses = []string{"1:1", "1:10", "1:11", "1:12", "1:13"}

// withHandle is the qdisc under the handle that it has. Its size table goes with
// every change: the kernel takes away one that is not in the request.
func withHandle(q tc.Qdisc, h tc.Handle) *tc.Qdisc {
	q.Handle = h
	return &q
}

// sameClass compares places in the tree. The kernel shows Root as the parent of
// a class directly under the root qdisc.
func sameClass(want, have tc.Class, root tc.Handle) bool {
	parent := have.Parent
	if parent == tc.Root {
		parent = root
	}
	wanted := want.Parent
	if wanted == tc.Root {
		wanted = root
	}
	return want.Handle == have.Handle && wanted == parent && want.Kind == have.Kind
}

func (d *differ) class(want *tc.Class, have *Tree, root tc.Handle) {
	for _, c := range have.Classes {
		if sameClass(*want, c, root) {
			if !tc.Satisfied(want.Options, c.Options) {
				d.add(Op{Verb: Change, Class: want})
			}
			return
		}
	}
	d.add(Op{Verb: Add, Class: want})
}

func (d *differ) leaf(want *tc.Qdisc, have *Tree) {
	for _, q := range have.Leaves {
		if q.Parent != want.Parent || q.Kind != want.Kind || want.Handle != 0 && q.Handle != want.Handle {
			continue
		}
		if tc.Satisfied(want.Options, q.Options) {
			return
		}
		if tc.Changeable(want.Options, q.Options) {
			d.add(Op{Verb: Change, Qdisc: want})
			return
		}
	}
	// A new qdisc cannot have the handle of the one it comes in place of.
	for _, q := range have.Leaves {
		if q.Handle == want.Handle && want.Handle != 0 {
			d.add(Op{Verb: Delete, Qdisc: &tc.Qdisc{Parent: q.Parent, Handle: q.Handle, Kind: q.Kind}})
			break
		}
	}
	d.add(Op{Verb: Replace, Qdisc: want})
}

// place is where a filter stands. All filters of a place go together: with its
// handle only the rule would go, and u32's table stay.
type place struct{ pref, protocol uint16 }

// filters: those up to lastOwnPref under our root are the recipe's; a filter
// cannot be changed in place.
func (d *differ) filters(want, have *Tree) {
	emptied := map[place]bool{}
	wantedAt, haveAt := countPlaces(want.Filters), countPlaces(have.Filters)
	for _, f := range have.Filters {
		at := place{f.Pref, f.Protocol}
		wanted := haveAt[at] == wantedAt[at] && slices.ContainsFunc(want.Filters, func(w tc.Filter) bool { return sameFilter(w, f) })
		if f.Pref <= lastOwnPref && !wanted && !emptied[at] {
			emptied[at] = true
			f.Handle = 0
			d.add(Op{Verb: Delete, Filter: &f})
		}
	}
	for i, w := range want.Filters {
		there := slices.ContainsFunc(have.Filters, func(f tc.Filter) bool { return sameFilter(w, f) })
		if !there || emptied[place{w.Pref, w.Protocol}] {
			d.add(Op{Verb: Add, Filter: &want.Filters[i], Feature: filterFeature(w)})
		}
	}
}

func countPlaces(filters []tc.Filter) map[place]int {
	n := map[place]int{}
	for _, f := range filters {
		n[place{f.Pref, f.Protocol}]++
	}
	return n
}

func sameFilter(want, have tc.Filter) bool {
	return want.Pref == have.Pref && want.Protocol == have.Protocol && want.Kind == have.Kind && tc.Satisfied(want.Options, have.Options)
}

// ingress brings the redirect of arriving packets to what is wanted.
func (d *differ) ingress(t Target) {
	if t.Redirect == Keep && !t.DropHook {
		return
	}
	if t.Redirect == Set {
		d.redirect(t)
		return
	}
	var others []tc.Filter
	for _, f := range d.device.Ingress {
		if t.Redirect == Clear && d.leadsTo(f, t.To) {
			d.add(Op{Verb: Delete, Filter: &f, To: t.To})
		} else {
			others = append(others, f)
		}
	}
	if t.DropHook && d.device.Hook != nil && len(others) == 0 {
		d.add(Op{Verb: Delete, Qdisc: hookQdisc()})
	}
}

// redirect keeps one redirect of ours and removes what is left of others. A
// filter of someone else that also leads to our IFB does no harm.
func (d *differ) redirect(t Target) {
	if d.device.Hook == nil {
		d.add(Op{Verb: Add, Qdisc: hookQdisc()})
	}
	to := d.state.Links[t.To].Index
	kept := false
	var others []tc.Filter
	for _, f := range d.device.Ingress {
		own := isRedirect(f, to)
		switch {
		case d.replaces(t.To) && d.leadsTo(f, t.To):
			// It went before its IFB.
		case own && !kept:
			kept = true
		case own || deadRedirect(f):
			d.add(Op{Verb: Delete, Filter: &f, To: t.To})
		default:
			others = append(others, f)
		}
	}
	if !kept {
		f := ifb.Redirect(0, ifb.FreePref(others), 0)
		d.add(Op{Verb: Add, Filter: &f, To: t.To})
	}
}

// replaces reports whether an operation so far removes the device.
func (d *differ) replaces(device string) bool {
	return slices.ContainsFunc(d.ops, func(o Op) bool { return o.Verb == DeleteIFB && o.Device == device })
}

// isRedirect reports whether the filter is the redirect that we make: all
// packets, whatever they are.
func isRedirect(f tc.Filter, to int) bool {
	return to != 0 && f.Kind == "matchall" && f.Protocol == tc.ProtocolAll && f.Chain == 0 && tc.Satisfied(redirectOptions(to), f.Options)
}

// deadRedirect reports whether the filter has the form of ours and leads to a
// device that is gone, so that every packet is lost.
func deadRedirect(f tc.Filter) bool {
	to, ok := redirectTarget(f)
	return ok && to == 0 && f.Kind == "matchall"
}

// leadsTo reports whether packets are lost by the filter once the IFB is gone.
func (d *differ) leadsTo(f tc.Filter, ifbName string) bool {
	to, ok := redirectTarget(f)
	return deadRedirect(f) || ok && to != 0 && to == d.state.Links[ifbName].Index
}

func hookQdisc() *tc.Qdisc {
	return &tc.Qdisc{Parent: tc.IngressParent, Handle: tc.IngressHandle, Kind: "ingress"}
}

func redirectOptions(to int) tc.Options { return ifb.Redirect(0, 0, to).Options }

func featureOf(o tc.Options) Feature {
	if o != nil && o.Kind() == string(FeatureMQ) {
		return FeatureMQ
	}
	return ""
}

// filterFeature: the only action of our own filters on a root is the washing.
func filterFeature(f tc.Filter) Feature {
	if o, ok := f.Options.(*tc.U32); ok && len(o.Actions) > 0 {
		return FeatureWash
	}
	return ""
}
