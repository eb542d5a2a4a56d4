// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	order "cmp"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
)

// These tests run as root in a virtual machine (scripts/lab go-test ./tc) and
// compare what the kernel makes of this package's requests with what it makes of
// tc(8)'s.

// bench is a device of its own and the means to put qdiscs on it. The device is
// down: on one that is up, the kernel takes long to remove a qdisc.
type bench struct {
	t       *testing.T
	conn    *Conn
	name    string
	ifindex int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, name: "bench0"}
	link := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: b.name, TxQLen: 1000}}
	if err := netlink.LinkAdd(link); err != nil {
		t.Fatalf("add dummy device: %v", err)
	}
	t.Cleanup(func() { _ = netlink.LinkDel(link) })
	b.ifindex = link.Attrs().Index
	conn, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	b.conn = conn
	return b
}

// do sends requests in portions that an ordinary receive buffer can answer.
func (b *bench) do(requests ...Request) {
	b.t.Helper()
	for portion := range slices.Chunk(requests, 50) {
		results, err := b.conn.Do(portion...)
		if err != nil {
			b.t.Fatal(err)
		}
		for i, err := range results {
			if err != nil {
				b.t.Fatalf("request %d of %d: %v", i, len(portion), err)
			}
		}
	}
}

func (b *bench) qdisc(mode Mode, q Qdisc) {
	b.t.Helper()
	q.Ifindex = b.ifindex
	r, err := QdiscRequest(mode, q)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(r)
}

func (b *bench) clear() {
	b.t.Helper()
	b.do(QdiscDelete(Qdisc{Ifindex: b.ifindex, Parent: Root}))
}

// tc runs tc(8) lines, each behind "tc".
func (b *bench) tc(lines ...string) {
	b.t.Helper()
	cmd := exec.Command("tc", "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("tc: %v: %s\n%s", err, out, strings.Join(lines[:min(len(lines), 5)], "\n"))
	}
}

// dump gives the qdiscs of the device without counters, by parent.
func (b *bench) dump() []Qdisc {
	b.t.Helper()
	all, err := b.conn.Qdiscs()
	if err != nil {
		b.t.Fatal(err)
	}
	var own []Qdisc
	for _, q := range all {
		if q.Ifindex == b.ifindex {
			if q.Stats == nil {
				b.t.Errorf("qdisc %s has no statistics", q.Kind)
			}
			q.Stats = nil
			own = append(own, q)
		}
	}
	slices.SortFunc(own, func(a, b Qdisc) int { return order.Compare(a.Parent, b.Parent) })
	return own
}

// root gives the root qdisc.
func (b *bench) root() Qdisc {
	b.t.Helper()
	for _, q := range b.dump() {
		if q.Parent == Root {
			return q
		}
	}
	b.t.Fatal("no root qdisc")
	return Qdisc{}
}

// classes gives the classes of the device without counters, by id.
func (b *bench) classes() []Class {
	b.t.Helper()
	all, err := b.conn.Classes(b.ifindex)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range all {
		if all[i].Stats == nil {
			b.t.Errorf("class %s has no statistics", all[i].Handle)
		}
		all[i].Stats = nil
	}
	slices.SortFunc(all, func(a, b Class) int { return order.Compare(a.Handle, b.Handle) })
	return all
}

func (b *bench) equal(what string, want, got any) {
	b.t.Helper()
	if diff := cmp.Diff(want, got, sameOptions); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// leaves makes an htb with a class for each qdisc, whose parents are changed to
// fit, lets fill put the qdiscs there and gives what the kernel then has.
func (b *bench) leaves(list []Qdisc, fill func()) []Qdisc {
	b.t.Helper()
	b.qdisc(Add, parseLine(b.t, "htb"))
	var requests []Request
	for i := range list {
		q := &list[i]
		q.Ifindex, q.Parent, q.Handle = b.ifindex, MakeHandle(1, uint16(i+1)), MakeHandle(uint16(0x1000+i), 0)
		o := &HTBClass{Rate: 1e6, Quantum: 1500}
		r, err := ClassRequest(Add, Class{Ifindex: b.ifindex, Parent: MakeHandle(1, 0), Handle: q.Parent, Kind: "htb", Options: o})
		if err != nil {
			b.t.Fatal(err)
		}
		requests = append(requests, r)
	}
	b.do(requests...)
	fill()
	got := b.dump()[:len(list)]
	b.clear()
	return got
}

// request sends the qdiscs.
func (b *bench) request(list []Qdisc) {
	b.t.Helper()
	var requests []Request
	for _, q := range list {
		r, err := QdiscRequest(Add, q)
		if err != nil {
			b.t.Fatal(err)
		}
		requests = append(requests, r)
	}
	b.do(requests...)
}

// lines sends the qdiscs' words by tc(8).
func (b *bench) lines(list []Qdisc) {
	b.t.Helper()
	var lines []string
	for _, q := range list {
		lines = append(lines, q.Command("add", devices{b.name: b.ifindex})[len("tc "):])
	}
	b.tc(lines...)
}
