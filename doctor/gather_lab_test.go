// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package doctor

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// TestRealLinks compares what is gathered with links that were made for it.
func TestRealLinks(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	named := func(name string) netlink.LinkAttrs {
		a := netlink.NewLinkAttrs()
		a.Name = name
		return a
	}
	bridge := &netlink.Bridge{LinkAttrs: named("br-lan")}
	must(netlink.LinkAdd(bridge))
	t.Cleanup(func() { netlink.LinkDel(bridge) })
	veth := &netlink.Veth{LinkAttrs: named("doc0"), PeerName: "doc1"}
	must(netlink.LinkAdd(veth))
	t.Cleanup(func() { netlink.LinkDel(veth) })
	must(netlink.LinkSetMaster(veth, bridge))
	peer, err := netlink.LinkByName("doc1")
	must(err)
	must(netlink.LinkSetUp(veth))
	must(netlink.LinkSetUp(peer))
	vlan := &netlink.Vlan{LinkAttrs: named("doc1.7"), VlanId: 7}
	vlan.ParentIndex = peer.Attrs().Index
	must(netlink.LinkAdd(vlan))
	everywhere := &net.IPNet{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)}
	must(netlink.RouteAdd(&netlink.Route{LinkIndex: peer.Attrs().Index, Scope: unix.RT_SCOPE_LINK, Dst: everywhere}))

	s, err := Gather("/")
	must(err)
	want := map[string]Link{"br-lan": {Kind: "bridge"}, "doc0": {Bridge: "br-lan", SpeedMbit: 10000},
		"doc1": {SpeedMbit: 10000}, "doc1.7": {Kind: "vlan", Lower: []string{"doc1"}, SpeedMbit: 10000}}
	for name, link := range want {
		got := s.Links[name]
		if name == "doc1.7" || name == "br-lan" {
			got.SpeedMbit = link.SpeedMbit // not every kernel gives one that is down
		}
		if diff := cmp.Diff(link, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff([]string{"doc1"}, s.DefaultRoutes); diff != "" {
		t.Errorf("default routes (-want +got):\n%s", diff)
	}
}

// TestRealOffloads reads the offloads of a veth as the kernel makes it.
func TestRealOffloads(t *testing.T) {
	a := netlink.NewLinkAttrs()
	a.Name = "doc0"
	veth := &netlink.Veth{LinkAttrs: a, PeerName: "doc1"}
	if err := netlink.LinkAdd(veth); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { netlink.LinkDel(veth) })
	got, err := ReadOffloads("doc0")
	if err != nil {
		t.Fatal(err)
	}
	if !got.TSO || !got.GSO {
		t.Errorf("a veth segments nothing: %+v", got)
	}
	if lo, err := ReadOffloads("lo"); err != nil || !lo.GSO {
		t.Errorf("lo: %+v, %v", lo, err)
	}
}
