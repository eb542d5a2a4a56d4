// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import "sqmd/ifb"

// Commands are the operations as lines for a shell, in order. links are the
// devices that exist.
func Commands(ops []Op, links map[string]ifb.Link) []string {
	names := newNaming(links)
	lines := make([]string, len(ops))
	for i, o := range ops {
		lines[i] = o.resolved(names.Index).Command(names)
	}
	return lines
}

// Desired are the commands that would make all of the plan from nothing.
func (p Plan) Desired(links map[string]ifb.Link) []string {
	return Commands(Diff(p.Targets, State{}), links)
}

// naming gives devices that do not exist yet an index to be written about.
type naming struct {
	index map[string]int
	name  map[int]string
}

func newNaming(links map[string]ifb.Link) *naming {
	n := &naming{map[string]int{}, map[int]string{}}
	for _, l := range links {
		n.index[l.Name], n.name[l.Index] = l.Index, l.Name
	}
	return n
}

// Name is the device with an index.
func (n *naming) Name(ifindex int) string { return n.name[ifindex] }

// Index is the device's index, a negative one if it does not exist.
func (n *naming) Index(name string) int {
	if _, known := n.index[name]; !known {
		n.index[name] = -1 - len(n.index)
		n.name[n.index[name]] = name
	}
	return n.index[name]
}
