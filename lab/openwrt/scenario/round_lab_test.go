// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"sqmd/lab/openwrt"
	"sqmd/tc"
)

// A package's whole life in one round, short enough for a router's own processor: installed over sqm-scripts, upgraded,
// stopped, started, removed. Packets pass all the time, through the shapers where there are some.
func TestRound(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
		r.awaitShape(5000, 20000)
		before := r.snapshot()
		w := r.watch()
		r.install(m, oldVersion)
		r.takenOver()
		r.passes(true)
		was, version := r.daemon(), r.report().Version
		r.install(m, newVersion)
		r.mustRun(was)
		r.mustBeShaped(5000, 20000)
		r.unwatch(w, "takeover and upgrade", noGap)
		if now := r.report().Version; now == version {
			t.Errorf("upgraded, but version %s still runs", now)
		}
		r.passes(true)
		r.sh("/etc/init.d/sqmd stop")
		r.mustNotRun()
		r.mustBeBare()
		r.passes(false)
		r.sh("/etc/init.d/sqmd start")
		r.mustRun(0)
		r.mustBeShaped(5000, 20000)
		r.remove(m)
		r.mustNotRun()
		r.awaitShape(5000, 20000)
		if diff := cmp.Diff(before, r.snapshot()); diff != "" {
			t.Errorf("given back, the kernel is not as before:\n%s", diff)
		}
	})
}

// traffic is how many packets of 1000 bytes are sent to see whether they pass.
const traffic = 20

// passes sends packets out of the WAN and into it. They have to arrive, and where the line is shaped, both shapers have
// to count them.
func (r *router) passes(shaped bool) {
	r.t.Helper()
	for _, way := range []struct{ from, to, shaper string }{{device, "wan0", device}, {"wan0", device, "ifb4" + device}} {
		had, counted := r.received(way.to), r.shaped(way.shaper)
		r.send(way.from)
		r.await("packets arrive at "+way.to, func() bool { return r.received(way.to) >= had+traffic })
		if !shaped {
			continue
		}
		r.await("the shaper of "+way.shaper+" counts packets", func() bool { return r.shaped(way.shaper) >= counted+traffic })
	}
}

// send sends the packets out of a device, as IPv4 that no stack takes.
func (r *router) send(name string) {
	r.t.Helper()
	link, err := netlink.LinkByName(name)
	r.must(err)
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	r.must(err)
	defer unix.Close(socket)
	const version4, header, udp = 0x40, 5, 17
	packet := make([]byte, 1000)
	packet[0], packet[2], packet[3], packet[8], packet[9] = version4|header, byte(len(packet)>>8), byte(len(packet)&0xff), 1, udp
	inNetworkOrder := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_IP))
	to := &unix.SockaddrLinklayer{Protocol: inNetworkOrder, Ifindex: link.Attrs().Index, Halen: 6, Addr: [8]byte{2, 0, 0, 0, 0, 1}}
	for range traffic {
		r.must(unix.Sendto(socket, packet, 0, to))
	}
}

// received is how many packets a device has received.
func (r *router) received(name string) uint64 {
	r.t.Helper()
	link, err := netlink.LinkByName(name)
	r.must(err)
	return link.Attrs().Statistics.RxPackets
}

// shaped is how many packets the root qdisc of a device has sent.
func (r *router) shaped(name string) uint64 {
	r.t.Helper()
	link, err := netlink.LinkByName(name)
	if err != nil {
		return 0 // there is no IFB
	}
	all, err := openKernel(r.t).tc.Qdiscs()
	r.must(err)
	for _, q := range all {
		if q.Ifindex == link.Attrs().Index && q.Parent == tc.Root && q.Stats != nil {
			return q.Stats.Packets
		}
	}
	return 0
}
