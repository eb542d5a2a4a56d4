// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"

	"sqmd/tc"
)

// addForeign makes a device with qdiscs, classes and filters that are no business of sqmd.
func (r *router) addForeign() {
	r.t.Helper()
	r.sh(`ip link add lan0 type dummy && ip link set lan0 up
tc qdisc add dev lan0 root handle 1: htb default 10 &&
tc class add dev lan0 parent 1: classid 1:10 htb rate 5mbit &&
tc filter add dev lan0 parent 1: protocol ip pref 9 matchall flowid 1:10 &&
tc qdisc add dev lan0 clsact &&
tc filter add dev lan0 ingress protocol ip pref 3 matchall action skbedit priority 7`)
}

// names are those of the links of a snapshot.
type names map[int]string

func (n names) Name(ifindex int) string { return n[ifindex] }

func (n names) Index(name string) int {
	for index, other := range n {
		if other == name {
			return index
		}
	}
	return 0
}

// snapshot is all links and all traffic control, without what the kernel numbers anew. Of the links that are named only
// what is not shaping is told.
func (r *router) snapshot(besides ...string) string {
	r.t.Helper()
	k := openKernel(r.t)
	links, err := k.links.LinkList()
	r.must(err)
	all := names{}
	for _, l := range links {
		all[l.Attrs().Index] = l.Attrs().Name
	}
	qdiscs, err := k.tc.Qdiscs()
	r.must(err)
	var lines []string
	for _, l := range links {
		a := l.Attrs()
		if slices.Contains(besides, a.Name) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s %s alias %q up %v", a.Name, l.Type(), a.Alias, a.Flags&net.FlagUp != 0))
		lines = append(lines, k.control(a, qdiscs, all)...)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// control is the traffic control of a link.
func (k *kernel) control(a *netlink.LinkAttrs, qdiscs []tc.Qdisc, all names) (lines []string) {
	line := func(what string, parent tc.Handle, kind string, options tc.Options) {
		words := ""
		if options != nil {
			words = strings.Join(options.Words(all), " ")
		}
		lines = append(lines, fmt.Sprintf("%s %s at %v: %s %s", a.Name, what, parent, kind, words))
	}
	for _, q := range qdiscs {
		if q.Ifindex == a.Index {
			line("qdisc", q.Parent, q.Kind, q.Options)
		}
	}
	classes, _ := k.tc.Classes(a.Index)
	for _, c := range classes {
		if c.Kind == "htb" {
			line("class", c.Parent, c.Kind, c.Options)
		}
	}
	for _, parent := range []tc.Handle{tc.IngressHook, tc.EgressHook, tc.MakeHandle(1, 0)} {
		filters, _ := k.tc.Filters(a.Index, parent) // there may be no hook
		for _, f := range filters {
			line(fmt.Sprintf("filter %d %#x", f.Pref, f.Protocol), parent, f.Kind, f.Options)
		}
	}
	return lines
}
