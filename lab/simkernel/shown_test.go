// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"slices"

	"sqmd/shaping"
	"sqmd/tc"
)

// shown is all that a kernel's dumps show, a line for each object, with devices
// named and without what the kernel numbers anew: indexes, handles of u32 and
// actions. Default qdiscs other than noqueue are "default".
func shown(k shaping.Kernel) ([]string, error) {
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
	var lines []string
	for _, l := range links {
		lines = append(lines, fmt.Sprintf("link %s %s alias %q up %v mtu %d header %d queues %d", l.Name, l.Kind, l.Alias, l.Up, l.MTU, l.Header, l.TxQueues))
		parents := []tc.Handle{}
		for _, q := range qdiscs {
			if q.Ifindex != l.Index || q.Default() && q.Parent != tc.Root {
				continue
			}
			lines = append(lines, qdiscLine(q, names))
			if !q.Default() {
				parents = append(parents, q.Handle)
			}
			if q.Parent == tc.IngressParent {
				parents = append(parents, tc.IngressHook, tc.EgressHook)
			}
		}
		under, err := underLines(k, l.Index, parents, names)
		if err != nil {
			return nil, err
		}
		lines = append(lines, under...)
	}
	slices.Sort(lines)
	return lines, nil
}

func qdiscLine(q tc.Qdisc, names tc.Names) string {
	if q.Default() && q.Kind != "noqueue" {
		return "default root on " + names.Name(q.Ifindex)
	}
	return fmt.Sprintf("%s # %s", q.Command("add", names), q.Handle)
}

func underLines(k shaping.Kernel, ifindex int, parents []tc.Handle, names tc.Names) ([]string, error) {
	classes, err := k.Classes(ifindex)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, c := range classes {
		if o, ok := c.Options.(*tc.HTBClass); ok {
			lines = append(lines, fmt.Sprintf("%s # leaf %s level %d", c.Command("add", names), c.Leaf, o.Level))
		}
	}
	for _, parent := range parents {
		filters, err := k.Filters(ifindex, parent)
		if err != nil {
			return nil, err
		}
		for i, f := range filters {
			handle := f.Handle
			if f.Kind == "u32" {
				handle &= u32NodeMask
			}
			lines = append(lines, fmt.Sprintf("%s # %d of %s, handle %x", f.Again().Command("add", names), i, parent, handle))
		}
	}
	return lines, nil
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
