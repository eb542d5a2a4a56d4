// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
)

// A shell that is given our lines builds the same tree as our requests, on a
// device with an awkward name, and takes it down again.
func TestKernelCommands(t *testing.T) {
	b := newBench(t)
	link, err := netlink.LinkByName(b.name)
	if err != nil {
		t.Fatal(err)
	}
	b.name = "a'b$x;*"
	if err := netlink.LinkSetName(link, b.name); err != nil {
		t.Fatal(err)
	}
	names := devices{b.name: b.ifindex}
	handle, class := MakeHandle(1, 0), MakeHandle(1, 0x10)
	qdiscs := []Qdisc{
		{Parent: Root, Handle: handle, Kind: "htb", Options: &HTB{Default: 0x10}, Stab: &SizeTable{LinkLayer: LinkATM, Overhead: 44, MPU: 68}},
		{Parent: class, Handle: MakeHandle(0x110, 0), Kind: "fq_codel", Options: &FqCodel{Limit: ref[uint32](1001), Target: ref[uint32](6000)}},
		{Parent: IngressParent, Handle: IngressHandle, Kind: "clsact", Options: &None{"clsact"}},
	}
	classes := []Class{{Parent: handle, Handle: class, Kind: "htb", Options: &HTBClass{Rate: 10e6, Ceil: 12e6}}}
	filters := []Filter{
		{Parent: handle, Pref: 1, Protocol: ProtocolIPv6, Kind: "u32", Options: &U32{Keys: []U32Key{U32DSCP(ProtocolIPv6, 46)}, ClassID: class}},
		{Parent: handle, Pref: 2, Protocol: ProtocolIPv4, Handle: 3, Kind: "fw", Options: &Fw{Mask: 0xff, ClassID: class}},
		{Parent: IngressHook, Pref: 3, Protocol: ProtocolAll, Handle: 1, Kind: "matchall", Options: &Matchall{Actions: Actions{RedirectTo(b.ifindex)}}},
		{Parent: EgressHook, Pref: 4, Protocol: ProtocolIPv4, Kind: "matchall", Options: &Matchall{Actions: ClearDSCP(ProtocolIPv4)}},
	}
	lines := func(verb string) []string {
		var out []string
		for i, q := range qdiscs {
			q.Ifindex = b.ifindex
			out = append(out, q.Command(verb, names))
			if i == 0 {
				classes[0].Ifindex = b.ifindex
				out = append(out, classes[0].Command(verb, names))
			}
		}
		for _, f := range filters {
			f.Ifindex = b.ifindex
			out = append(out, f.Command(verb, names))
		}
		return out
	}
	shell := func(lines []string) {
		t.Helper()
		if out, err := exec.Command("sh", "-ec", strings.Join(lines, "\n")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, strings.Join(lines, "\n"))
		}
	}
	type tree struct {
		Qdiscs  []Qdisc
		Classes []Class
		Filters [][]Filter
	}
	dump := func() tree {
		got := tree{Qdiscs: b.dump(), Classes: b.classes()}
		for _, parent := range []Handle{handle, IngressHook, EgressHook} {
			got.Filters = append(got.Filters, b.filters(parent))
		}
		return got
	}

	shell(lines("add"))
	byShell := dump()
	deletes := lines("delete")
	for i, j := 0, len(deletes)-1; i < j; i, j = i+1, j-1 {
		deletes[i], deletes[j] = deletes[j], deletes[i] // leaves before their parents
	}
	shell(deletes)
	if left := b.dump(); len(left) != 0 && left[0].Handle != 0 {
		t.Errorf("left over: %+v", left)
	}

	b.qdisc(Add, qdiscs[0])
	r, err := ClassRequest(Add, classes[0])
	if err != nil {
		t.Fatal(err)
	}
	b.do(r)
	b.qdisc(Add, qdiscs[1])
	b.qdisc(Add, qdiscs[2])
	for _, f := range filters {
		b.filter(Add, f)
	}
	b.equal("by netlink", byShell, dump())
}
