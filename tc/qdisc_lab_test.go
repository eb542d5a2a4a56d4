// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"fmt"
	"strings"
	"testing"
)

// qdiscLines are tc(8) lines behind the handle, several of each kind.
var qdiscLines = []string{
	"fq_codel", "fq_codel limit 1001 flows 64 quantum 300 interval 100ms target 5ms noecn memory_limit 4mb drop_batch 8",
	"fq_codel ce_threshold 1ms ce_threshold_selector 0x4/0xfc ecn", "fq_codel target 13992us interval 108992us quantum 100 flows 1024",
	"fq_codel ce_threshold 0us",
	"codel", "codel limit 77 target 3ms interval 33ms ecn", "codel ce_threshold 2ms noecn limit 1",
	"pie", "pie limit 100 target 20ms tupdate 30ms alpha 3 beta 30 ecn bytemode", "pie tupdate 1us dq_rate_estimator noecn nobytemode",
	"pie target 4999us tupdate 12345us",
	"sfq limit 127", "sfq limit 127 perturb 10", "sfq limit 50 quantum 500 divisor 512 flows 40 depth 20 headdrop perturb 3",
	"sfq limit 127 redflowlimit 100000 min 8000 max 60000 probability 0.12 ecn headdrop", "sfq limit 3000 flows 512 divisor 16384 redflowlimit 1514000 avpkt 500 burst 300 harddrop",
	"sfq limit 20 flows 100",
	"red limit 400000 avpkt 1000", "red limit 400kb min 30000 max 90000 avpkt 1000 burst 55 ecn adaptive bandwidth 10mbit probability 0.1",
	"red limit 1mb avpkt 500 ecn nodrop harddrop bandwidth 1gbit", "red limit 60000 min 5000 max 15000 avpkt 1500 bandwidth 256kbit",
	"red limit 400000 avpkt 1000 ecn qevent early_drop block 10 qevent mark block 11",
	"pfifo", "pfifo limit 33", "bfifo", "bfifo limit 33kb", "pfifo_head_drop", "pfifo_head_drop limit 7", "pfifo_fast",
	"htb", "htb default 12", "htb default 0x10 r2q 100 direct_qlen 5", "drr",
	"tbf rate 10mbit burst 5kb latency 300ms", "tbf rate 900mbit burst 112500 limit 1mb", "tbf rate 12mbit burst 1749 latency 300ms overhead 44 mpu 68 linklayer atm mtu 2047",
	"tbf rate 1mbit burst 2000 limit 10000 peakrate 2mbit minburst 1600 mpu 64 overhead 10", "tbf rate 40gbit burst 1mb limit 10mb peakrate 50gbit mtu 9000",
	"tbf rate 33333bit burst 1600/8 limit 3000",
	"cake", "cake bandwidth 20mbit diffserv4 dual-srchost nat wash ack-filter overhead 44 mpu 84 rtt 50ms",
	"cake unlimited besteffort raw", "cake bandwidth 90mbit diffserv3 dual-dsthost ingress conservative fwmark 0xf0 memlimit 4mb no-split-gso autorate-ingress",
	"cake bandwidth 33333bit pppoe-ptm ether-vlan overhead -4 satellite ack-filter-aggressive egress",
}

// stabLines are size tables, and the kinds that people combine them with.
var stabLines = []string{
	"stab overhead 20", "stab linklayer ethernet", "stab mtu 2047 tsize 512 mpu 68 overhead 44 linklayer atm", "stab mpu 64 overhead -14 linklayer ethernet",
	"stab linklayer adsl", "stab mtu 9000 tsize 128 linklayer atm overhead 10", "stab mtu 600000 tsize 16 mpu 64 linklayer atm",
}

func parseLine(t *testing.T, line string) Qdisc {
	t.Helper()
	q := Qdisc{Parent: Root, Handle: MakeHandle(1, 0)}
	list := strings.Fields(line)
	if list[0] == "stab" {
		var err error
		if q.Stab, list, err = ParseSizeTable(list[1:]); err != nil {
			t.Fatal(err)
		}
	}
	q.Kind = list[0]
	var err error
	if q.Options, err = ParseQdiscWords(q.Kind, nil, list[1:]); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestLabSameAsTC: the kernel holds the same whether tc(8) read a line, tc(8)
// read our words for it, we sent it, tc(8) read our words for what the kernel
// holds, or we sent that.
func TestLabSameAsTC(t *testing.T) {
	b := newBench(t)
	var wanted []Qdisc
	for _, line := range qdiscLines {
		wanted = append(wanted, parseLine(t, line))
	}
	reference := b.leaves(wanted, func() {
		var commands []string
		for i, line := range qdiscLines {
			commands = append(commands, fmt.Sprintf("qdisc add dev %s parent %s handle %s %s", b.name, wanted[i].Parent, wanted[i].Handle, line))
		}
		b.tc(commands...)
	})
	for i, q := range reference {
		if !Satisfied(wanted[i].Options, q.Options) {
			t.Errorf("%s: tc(8)'s %s does not satisfy", qdiscLines[i], show(q.Options))
		}
	}
	for _, way := range []struct {
		what string
		list []Qdisc
		fill func([]Qdisc)
	}{
		{"our words", wanted, b.lines}, {"our request", wanted, b.request},
		{"our words for the dump", reference, b.lines}, {"the dump sent back", reference, b.request},
	} {
		for i, q := range b.leaves(way.list, func() { way.fill(way.list) }) {
			b.equal(qdiscLines[i]+": "+way.what, reference[i], q)
		}
	}
}

// TestLabSizeTables is the same for size tables, which only a root qdisc can have.
func TestLabSizeTables(t *testing.T) {
	b := newBench(t)
	root := func(fill func()) Qdisc {
		fill()
		q := b.dump()[0]
		b.clear()
		return q
	}
	kinds := []string{"htb default 1", "tbf rate 1mbit burst 2000 limit 10000", "cake bandwidth 10mbit", "fq_codel"}
	for i, line := range stabLines {
		line += " " + kinds[i%len(kinds)]
		want := parseLine(t, line)
		want.Ifindex = b.ifindex
		reference := root(func() { b.tc("qdisc add dev " + b.name + " root handle 1: " + line) })
		if !want.Stab.Satisfied(reference.Stab) {
			t.Errorf("%s: tc(8)'s %+v does not satisfy", line, reference.Stab)
		}
		for what, fill := range map[string]func(){
			"our words":              func() { b.lines([]Qdisc{want}) },
			"our request":            func() { b.qdisc(Add, want) },
			"our words for the dump": func() { b.lines([]Qdisc{reference}) },
			"the dump sent back":     func() { b.qdisc(Add, reference) },
		} {
			b.equal(line+": "+what, reference, root(fill))
		}
	}
}

// TestLabChange: what is said to be changeable is, and leads to what was asked;
// Complete undoes what was there before.
func TestLabChange(t *testing.T) {
	b := newBench(t)
	lines := append([]string{"sfq", "sfq perturb 10", "sfq redflowlimit 100000"}, qdiscLines...)
	for _, from := range lines {
		for _, to := range lines {
			have, want := parseLine(t, from), parseLine(t, to)
			if have.Kind != want.Kind {
				continue
			}
			b.qdisc(Add, have)
			living := b.root().Options
			want.Options = Complete(want.Options)
			if Changeable(want.Options, living) {
				if !Satisfied(want.Options, living) {
					b.qdisc(Change, want)
				}
			} else {
				b.clear()
				b.qdisc(Add, want)
			}
			if got := b.root().Options; !Satisfied(want.Options, got) {
				t.Errorf("from %q to %q: %s does not satisfy %s", from, to, show(got), show(want.Options))
			}
			b.clear()
		}
	}
}

// TestLabUnchangeable: the kernel indeed refuses, or does not do, what is said
// not to be changeable.
func TestLabUnchangeable(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ from, to string }{
		{"htb default 12", "htb default 10"},
		{"fq_codel flows 64", "fq_codel"},
		{"fq_codel ce_threshold 1ms", "fq_codel"},
		{"fq_codel quantum 300", "fq_codel"},
		{"codel ce_threshold 1ms", "codel"},
		{"sfq limit 127 redflowlimit 100000 min 8000 max 60000", "sfq"},
		{"sfq flows 40", "sfq"},
		{"red limit 400000 avpkt 1000 qevent mark block 11", "red limit 400000 avpkt 1000"},
	} {
		have, want := parseLine(t, c.from), parseLine(t, c.to)
		b.qdisc(Add, have)
		living := b.root().Options
		want.Options = Complete(want.Options)
		if Satisfied(want.Options, living) || Changeable(want.Options, living) {
			t.Errorf("%s passes for %s or for changeable to it", show(living), c.to)
		}
		want.Ifindex = b.ifindex
		r, err := QdiscRequest(Change, want)
		if err != nil {
			t.Fatal(err)
		}
		results, err := b.conn.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if results[0] == nil && Satisfied(want.Options, b.root().Options) {
			t.Errorf("%s could be changed to %s after all", show(living), c.to)
		}
		b.clear()
	}
}

// TestLabSizeTableIsPartOfTheChange: a change without the size table takes it
// away.
func TestLabSizeTableIsPartOfTheChange(t *testing.T) {
	b := newBench(t)
	q := parseLine(t, "stab overhead 44 linklayer atm tbf rate 1mbit burst 2000 limit 10000")
	b.qdisc(Add, q)
	b.qdisc(Change, q)
	if !q.Stab.Satisfied(b.root().Stab) {
		t.Error("the size table was lost in a change that has it")
	}
	other := q
	other.Stab = &SizeTable{Overhead: 8}
	b.qdisc(Change, other)
	if !other.Stab.Satisfied(b.root().Stab) {
		t.Error("the size table was not changed")
	}
	other.Stab = nil
	b.qdisc(Change, other)
	if b.root().Stab != nil {
		t.Error("the size table stayed after a change without it")
	}
}
