// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package shaped_test

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"sqmd/tc"
)

// layout says which bits of a conntrack mark are a DSCP, and which one says that they are valid.
type layout struct {
	dscp, state uint32
}

// The bytes that a DSCP is in differ, and one is in two bytes, so that no mistake about the order of bytes goes unseen.
var layouts = []layout{
	{0xfc000000, 0x01000000},
	{0x0000003f, 0x00000080},
	{0x0003f000, 0x00000800},
}

func (l layout) mark(dscp int) uint32 {
	return uint32(dscp)*(l.dscp&-l.dscp) | l.state
}

// Tins of cake with diffserv4, tc-cake(8).
const (
	bulk = iota
	bestEffort
	video
	voice
	tins
)

// connection is one that conntrack knows, of which packets arrive from the server.
type connection struct {
	dscp    int  // in the conntrack mark
	decided bool // the mark says that its DSCP is valid
	carried int  // the DSCP that packets have on the line
	want    int  // the DSCP that they should have behind the router
	tin     int  // that they should be in
	ipv6    bool
}

var connections = []connection{
	{dscp: 46, decided: true, carried: 0, want: 46, tin: voice},
	{dscp: 46, decided: true, carried: 8, want: 46, tin: voice, ipv6: true},
	{dscp: 8, decided: true, carried: 46, want: 8, tin: bulk},
	{dscp: 34, decided: true, carried: 0, want: 34, tin: video},
	{dscp: 34, decided: true, carried: 0, want: 34, tin: video, ipv6: true},
	{dscp: 0, decided: true, carried: 46, want: 0, tin: bestEffort},
	{dscp: 46, decided: false, carried: 8, want: 8, tin: bulk},
}

// packetsEach is how many packets of a connection arrive.
const packetsEach = 4

// flow is the connection's direction from the server.
func (c connection) flow(r *router, number int) flow {
	return flow{path: r.download(), ipv6: c.ipv6, fromPort: 9000, toPort: uint16(9001 + number), tos: c.carried << 2, size: 200}
}

// TestRestoreFromConntrack marks connections in conntrack and lets packets of them arrive: ctinfo has to write the DSCP of
// the mark before cake looks for a tin.
func TestRestoreFromConntrack(t *testing.T) {
	for _, l := range layouts {
		t.Run(fmt.Sprintf("%#x", l.dscp), func(t *testing.T) {
			r := newRouter(t)
			r.shape(queue("download 4000", "upload 2000", "qdisc cake", "script layer_cake.qos", "squash_dscp 0", "squash_ingress 0",
				"qdisc_advanced 1", "qdisc_really_really_advanced 1", "iqdisc_opts diffserv4"))
			r.restore(l)
			for i, c := range connections {
				r.track(c, i, l)
			}
			before := r.tins()
			for i, c := range connections {
				r.arrive(c, i)
			}
			r.judgeTins(before, r.tins())
			r.judgeAction(l)
		})
	}
}

// restore puts the filter that restores before the one that sqmd's shaping made.
func (r *router) restore(l layout) {
	r.Helper()
	r.kernel(func(c *tc.Conn, devices devices) error {
		request, err := tc.FilterRequest(tc.Add, tc.Filter{
			Ifindex: devices["eth1"], Parent: tc.IngressHook, Pref: 1, Protocol: tc.ProtocolAll, Kind: "matchall",
			Options: &tc.Matchall{Actions: tc.Actions{
				{Options: &tc.CtInfo{DSCPMask: l.dscp, DSCPStateMask: l.state}},
				tc.RedirectTo(devices["ifb4eth1"]),
			}},
		})
		if err != nil {
			return err
		}
		answers, err := c.Do(request)
		if err == nil {
			err = answers[0]
		}
		return err
	})
}

// track makes conntrack know the connection, as if the client had opened it and a rule had marked it.
func (r *router) track(c connection, number int, l layout) {
	r.Helper()
	server, client := c.flow(r, number).addresses()
	mark := l.mark(c.dscp)
	if !c.decided {
		mark &^= l.state
	}
	family := netlink.InetFamily(unix.AF_INET)
	if c.ipv6 {
		family = unix.AF_INET6
	}
	entry := &netlink.ConntrackFlow{
		FamilyType: uint8(family), Mark: mark, TimeOut: 600, Forward: tuple(client, server), Reverse: tuple(server, client),
	}
	r.within(func() error {
		kernel, err := netlink.NewHandle(unix.NETLINK_NETFILTER)
		if err != nil {
			return err
		}
		defer kernel.Close()
		if err := kernel.ConntrackCreate(netlink.ConntrackTable, family, entry); err != nil {
			return fmt.Errorf("track a connection: %w", err)
		}
		known, err := kernel.ConntrackTableList(netlink.ConntrackTable, family)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(known, func(k *netlink.ConntrackFlow) bool {
			return k.Mark == mark && k.Forward.SrcPort == client.Port() && k.Forward.DstPort == server.Port()
		}) {
			return fmt.Errorf("conntrack has no connection from port %d with mark %#x", client.Port(), mark)
		}
		return nil
	})
}

func tuple(from, to netip.AddrPort) netlink.IPTuple {
	return netlink.IPTuple{
		Protocol: unix.IPPROTO_UDP,
		SrcIP:    net.IP(from.Addr().AsSlice()), SrcPort: from.Port(),
		DstIP: net.IP(to.Addr().AsSlice()), DstPort: to.Port(),
	}
}

// arrive lets packets of the connection arrive and looks at their DSCP behind the router.
func (r *router) arrive(c connection, number int) {
	r.Helper()
	arrived, err := c.flow(r, number).send(packetsEach)
	r.must(err)
	for _, class := range arrived {
		if dscp := class >> 2; dscp != c.want {
			r.Errorf("%+v: a packet arrived with DSCP %d", c, dscp)
		}
	}
}

// tins gives how many packets each tin of the ingress shaper has sent. tc(8) and sqmd's decoder have to agree.
func (r *router) tins() (sent [tins]int) {
	r.Helper()
	theirs, ours := r.atRest(r.shownQdiscs, r.decodedQdiscs)
	const shaper = "ifb4eth1 cake <nil>"
	if diff := cmp.Diff(theirs[shaper], ours[shaper]); diff != "" {
		r.Errorf("statistics (-tc +sqmd):\n%s", diff)
	}
	for i := range sent {
		var err error
		sent[i], err = strconv.Atoi(theirs[shaper][fmt.Sprintf("tins.%d.sent_packets", i)])
		r.must(err)
	}
	return sent
}

// judgeTins compares what came to each tin. The kernel's own packets, such as neighbour solicitations, are best effort.
func (r *router) judgeTins(before, after [tins]int) {
	r.Helper()
	var want, got [tins]int
	for _, c := range connections {
		want[c.tin] += packetsEach
	}
	for i := range got {
		got[i] = after[i] - before[i]
	}
	r.Logf("packets by tin, bulk first: %v", got)
	if own := got[bestEffort] - want[bestEffort]; own > 0 {
		got[bestEffort] -= own
	}
	if got != want {
		r.Errorf("packets by tin, bulk first: %v, want %v", got, want)
	}
}

// shownAction are the words of tc(8) about an action that restores.
var shownAction = regexp.MustCompile(`(?s)dscp 0x([0-9a-f]+) 0x([0-9a-f]+).*DSCP set (\d+) error (\d+)`)

// judgeAction holds masks and counters of the action, as sqmd decodes them, against what tc shows and what happened.
func (r *router) judgeAction(l layout) {
	r.Helper()
	text := r.tool("tc", "-s", "filter", "show", "dev", "eth1", "ingress")
	words := shownAction.FindStringSubmatch(text)
	if words == nil {
		r.Fatalf("tc shows no action that restores:\n%s", text)
	}
	var shown [4]uint64
	for i, base := range []int{16, 16, 10, 10} {
		var err error
		shown[i], err = strconv.ParseUint(words[i+1], base, 64)
		r.must(err)
	}
	var decoded [4]uint64
	r.kernel(func(c *tc.Conn, devices devices) error {
		filters, err := c.Filters(devices["eth1"], tc.IngressHook)
		for _, f := range filters {
			all, ok := f.Options.(*tc.Matchall)
			if !ok || f.Pref != 1 {
				continue
			}
			if restore, ok := all.Actions[0].Options.(*tc.CtInfo); ok {
				decoded = [4]uint64{uint64(restore.DSCPMask), uint64(restore.DSCPStateMask), restore.DSCPSet, restore.DSCPError}
			}
		}
		return err
	})
	if diff := cmp.Diff(shown, decoded); diff != "" {
		r.Errorf("masks and counters of the action (-tc +sqmd):\n%s", diff)
	}
	changed := 0
	for _, c := range connections {
		if c.decided {
			changed += packetsEach
		}
	}
	if want := [4]uint64{uint64(l.dscp), uint64(l.state), uint64(changed), 0}; shown != want {
		r.Errorf("masks and counters of the action are %#x, want %#x", shown, want)
	}
}
