// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"cmp"
	"fmt"
	"slices"

	"sqmd/ifb"
	"sqmd/shaping"
	"sqmd/tc"
)

// object is one thing that a kernel's dumps show, with devices named and without
// what the kernel numbers anew: indexes, and handles of u32's tables and of
// actions.
type object struct {
	place   string // what and where it is
	options tc.Options
	stab    *tc.SizeTable
	text    string // all of it
}

// objects is all that the dumps show, sorted.
func objects(k shaping.Kernel) ([]object, error) {
	links, err := k.Links()
	if err != nil {
		return nil, err
	}
	qdiscs, err := k.Qdiscs()
	if err != nil {
		return nil, err
	}
	names := linkNames{}
	for _, l := range links {
		names[l.Index] = l.Name
	}
	var all []object
	for _, l := range links {
		here, err := objectsOf(k, l, qdiscs, names)
		if err != nil {
			return nil, err
		}
		all = append(all, here...)
	}
	slices.SortFunc(all, func(a, b object) int { return cmp.Compare(a.place, b.place) })
	return all, nil
}

func objectsOf(k shaping.Kernel, l ifb.Link, qdiscs []tc.Qdisc, names tc.Names) ([]object, error) {
	all := []object{{place: fmt.Sprintf("link %s %s alias %q up %v mtu %d header %d queues %d", l.Name, l.Kind, l.Alias, l.Up, l.MTU, l.Header, l.TxQueues)}}
	var parents []tc.Handle
	for _, q := range qdiscs {
		if q.Ifindex != l.Index || q.Default() && q.Parent != tc.Root {
			continue
		}
		all = append(all, qdiscObject(q, names))
		if !q.Default() {
			parents = append(parents, q.Handle)
		}
		if q.Parent == tc.IngressParent {
			parents = append(parents, tc.IngressHook, tc.EgressHook)
		}
	}
	classes, err := k.Classes(l.Index)
	if err != nil {
		return nil, err
	}
	for _, c := range classes {
		if o, ok := c.Options.(*tc.HTBClass); ok {
			place := fmt.Sprintf("class on %s: %s %s parent %s leaf %s level %d", l.Name, c.Kind, c.Handle, c.Parent, c.Leaf, o.Level)
			all = append(all, object{place: place, options: o, text: c.Command("add", names)})
		}
	}
	for _, parent := range parents {
		filters, err := k.Filters(l.Index, parent)
		if err != nil {
			return nil, err
		}
		for i, f := range filters {
			all = append(all, filterObject(f, i, parent, names))
		}
	}
	return all, nil
}

// qdiscObject: which default a kernel gives is its own choice.
func qdiscObject(q tc.Qdisc, names tc.Names) object {
	if q.Default() && q.Kind != "noqueue" {
		return object{place: "default root on " + names.Name(q.Ifindex)}
	}
	place := fmt.Sprintf("qdisc on %s: %s %s parent %s", names.Name(q.Ifindex), q.Kind, q.Handle, q.Parent)
	return object{place: place, options: q.Options, stab: q.Stab, text: q.Command("add", names)}
}

func filterObject(f tc.Filter, at int, under tc.Handle, names tc.Names) object {
	handle := f.Handle
	if f.Kind == "u32" {
		handle &= u32NodeMask
	}
	place := fmt.Sprintf("filter on %s: %03d under %s, parent %s pref %d protocol %x chain %d %s handle %x",
		names.Name(f.Ifindex), at, under, f.Parent, f.Pref, f.Protocol, f.Chain, f.Kind, handle)
	again := f.Again()
	return object{place: place, options: again.Options, text: again.Command("add", names)}
}

// shown is the objects as lines.
func shown(k shaping.Kernel) ([]string, error) {
	all, err := objects(k)
	lines := make([]string, len(all))
	for i, o := range all {
		lines[i] = o.place + "; " + o.text
	}
	return lines, err
}

// linkNames is the names of links by index.
type linkNames map[int]string

func (n linkNames) Name(index int) string { return n[index] }

func (n linkNames) Index(name string) int {
	for index, known := range n {
		if known == name {
			return index
		}
	}
	return 0
}
