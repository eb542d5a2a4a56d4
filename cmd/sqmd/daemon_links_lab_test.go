// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"sqmd/tc"
)

// A queue waits for its device, and is shaped within a second of its being there.
func TestDaemonDeviceComesLate(t *testing.T) {
	for _, c := range []struct {
		name string
		come func(r *router)
	}{
		{"made", func(r *router) { r.plug("eth1") }},
		{"renamed", func(r *router) {
			r.plug("new0")
			r.must(netlink.LinkSetName(r.link("new0"), "eth1"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRouter(t, wanQueue())
			r.unplug("eth1")
			r.start()
			r.expectState("eth1", "waiting")
			r.expectVerb(1, "status")
			c.come(r)
			r.within("from the device to its being shaped", r.untilShaped("eth1", upKbit, downKbit), appearTime)
			r.begun = r.used()
			r.number("eth1", "wan0")
			r.expectShaped("eth1", upKbit, downKbit)
			if said := r.direction("eth1", "upload").LastChange; !strings.HasPrefix(said, "shaped at ") {
				t.Errorf("status says %q", said)
			}
		})
	}
}

// A line that is dialled anew a hundred times has another device each time.
func TestDaemonRedial(t *testing.T) {
	const redials = 100
	r := newRouter(t, wanQueue())
	r.started()
	indexes := map[int]bool{}
	for i := range redials {
		r.unplug("eth1")
		r.plug("eth1")
		r.within("from the device to its being shaped", r.untilShaped("eth1", upKbit, downKbit), appearTime)
		indexes[r.link("eth1").Attrs().Index] = true
		r.number("eth1", "wan0")
		if i%25 == 24 {
			r.expectPackets(upKbit, downKbit)
		}
	}
	if len(indexes) != redials {
		t.Errorf("%d different indexes in %d redials", len(indexes), redials)
	}
	r.expectShaped("eth1", upKbit, downKbit)
	if n := len(r.ingressFilters("eth1")); n != 1 {
		t.Errorf("%d filters on arriving packets, want 1", n)
	}
	report := r.report()
	if report.Queues[0].Link.Ifindex != r.link("eth1").Attrs().Index {
		t.Errorf("status says index %d", report.Queues[0].Link.Ifindex)
	}
	if report.Daemon.Repairs != 0 {
		t.Errorf("%d repairs are counted, and nobody undid anything", report.Daemon.Repairs)
	}
}

func (r *router) ingressFilters(device string) []tc.Filter {
	r.t.Helper()
	filters, err := r.kernel.Filters(r.link(device).Attrs().Index, tc.IngressHook)
	r.must(err)
	return filters
}

// A carrier that flaps disturbs nothing: the qdiscs stay, with their counters,
// and the kernel is asked for no change.
func TestDaemonCarrierFlaps(t *testing.T) {
	const flaps = 20
	r := newRouter(t, wanQueue())
	tap := r.tap()
	r.before = r.snapshot()
	r.started()
	r.expectPackets(upKbit, downKbit)
	up, down := r.direction("eth1", "upload"), r.direction("eth1", "download")
	tap()
	r.inPeer(func() {
		for range flaps {
			r.must(netlink.LinkSetDown(r.link("wan0")))
			time.Sleep(10 * time.Millisecond)
			r.must(netlink.LinkSetUp(r.link("wan0")))
			time.Sleep(10 * time.Millisecond)
		}
		r.must(netlink.LinkSetDown(r.link("wan0")))
	})
	r.eventually("status says that there is no carrier", func() bool { return !r.report().Queues[0].Link.Carrier })
	r.expectState("eth1", "shaped")
	r.inPeer(func() { r.must(netlink.LinkSetUp(r.link("wan0"))) })
	r.eventually("status says that the carrier is back", func() bool { return r.report().Queues[0].Link.Carrier })
	r.expectShaped("eth1", upKbit, downKbit)
	if n := tap(); n != 0 {
		t.Errorf("%d requests for a change", n)
	}
	upAfter, downAfter := r.direction("eth1", "upload"), r.direction("eth1", "download")
	if upAfter.SentBytes < up.SentBytes || downAfter.SentBytes < down.SentBytes {
		t.Errorf("counters went back: upload %d to %d bytes, download %d to %d", up.SentBytes, upAfter.SentBytes, down.SentBytes, downAfter.SentBytes)
	}
	if report := r.report(); report.Daemon.Repairs != 0 {
		t.Errorf("%d repairs", report.Daemon.Repairs)
	}
	if len(r.logged("the carrier is lost")) == 0 {
		t.Errorf("not a word of the carrier")
	}
}

// layout is a device to shape that is not a plain Ethernet port.
type layout struct {
	name, device string
	make         string // from eth1
	peer         string // the peer's device, and what makes it from wan0
	makePeer     string
	remake       func(r *router) // makes the device anew
}

// Bridges, their ports and VLANs are devices as others are.
func TestDaemonStackedDevices(t *testing.T) {
	const bridge = "ip link add br-wan type bridge; ip link set eth1 up master br-wan"
	for _, l := range []layout{
		{"bridge port", "eth1", bridge, "wan0", "true", nil},
		{"bridge", "br-wan", bridge, "wan0", "true", func(r *router) {
			r.must(netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: "br-wan", TxQLen: 1000}}))
		}},
		{"VLAN", "eth1.7", "ip link set eth1 up; ip link add link eth1 name eth1.7 type vlan id 7", "wan0.7",
			"ip link set wan0 up; ip link add link wan0 name wan0.7 type vlan id 7",
			func(r *router) {
				attributes := netlink.LinkAttrs{Name: "eth1.7", ParentIndex: r.link("eth1").Attrs().Index, TxQLen: 1000}
				r.must(netlink.LinkAdd(&netlink.Vlan{LinkAttrs: attributes, VlanId: 7}))
			}},
	} {
		t.Run(l.name, func(t *testing.T) { testLayout(t, l) })
	}
}

func testLayout(t *testing.T, l layout) {
	r := newRouter(t, queueOn("wan", l.device, upKbit, downKbit))
	r.sh("ip addr flush dev eth1; " + l.make)
	r.inPeer(func() { r.sh("ip addr flush dev wan0; " + l.makePeer) })
	carrier := l.device // of the router's address
	if l.name == "bridge port" {
		carrier = "br-wan"
	}
	r.number(carrier, l.peer)
	r.before = r.snapshot()
	r.start()
	r.untilShaped(l.device, upKbit, downKbit)
	r.begun = r.used()
	r.expectShaped(l.device, upKbit, downKbit)
	if l.remake == nil {
		return
	}
	r.unplug(l.device)
	l.remake(r)
	r.within("from the device to its being shaped", r.untilShaped(l.device, upKbit, downKbit), appearTime)
	if l.name == "bridge" {
		r.must(netlink.LinkSetMaster(r.link("eth1"), r.link(l.device)))
	}
	r.number(carrier, l.peer)
	time.Sleep(time.Second) // what still waits in the IFB came by the device before, and goes nowhere
	r.expectShaped(l.device, upKbit, downKbit)
	if ifb := fmt.Sprintf("ifb4%s", l.device); r.direction(l.device, "download").Shaper != ifb {
		t.Errorf("download is shaped by %s, want %s", r.direction(l.device, "download").Shaper, ifb)
	}
}
