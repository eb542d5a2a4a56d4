// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"math/rand"
	"testing"
)

// sampleRates and sampleSizes are bit/s and bytes from the smallest to beyond 32
// bits of byte/s.
func sampleRates(r *rand.Rand, n int) []uint64 {
	out := []uint64{8000, 256000, 1e6, 12e6, 33333333, 100e6, 115e6, 900e6, 1e9, 2.5e9, 10e9, 34359738360, 34359738368, 40e9}
	for len(out) < n {
		out = append(out, 8000+r.Uint64()%(uint64(1000)<<(3*(len(out)%9))))
	}
	return out
}

func sampleSizes(r *rand.Rand, n int) []uint32 {
	out := []uint32{1, 300, 1514, 1600, 1749, 14375, 112500, 5120, 1 << 20}
	for len(out) < n {
		out = append(out, 1+r.Uint32()%(1500<<(len(out)%12)))
	}
	return out
}

// TestLabHTBClasses: for many rates and bursts, tc(8) reads our words as we sent
// them, and our words for what the kernel shows lead there again.
func TestLabHTBClasses(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewSource(1))
	rates, sizes := sampleRates(r, 40), sampleSizes(r, 25)
	var wanted []Class
	for i, rate := range rates {
		for j, size := range sizes {
			o := &HTBClass{Rate: rate, Ceil: rates[(i+j)%len(rates)], Burst: size, Cburst: sizes[(i+j)%len(sizes)],
				Quantum: 1000 + r.Uint32()%60000, Prio: uint32(j % 9), Overhead: uint16(i), MPU: uint16(j), LinkLayer: uint8(1 + i%2)}
			// Beyond 2^32 ticks, iproute2 before 6.15 overflows.
			if j == 0 || uint64(o.Burst)*8/o.Rate > 200 || uint64(o.Cburst)*8/o.Ceil > 200 {
				o.Ceil, o.Burst, o.Cburst = 0, 0, 0
			}
			wanted = append(wanted, Class{Ifindex: b.ifindex, Parent: MakeHandle(1, 0), Handle: MakeHandle(1, uint16(len(wanted)+1)), Kind: "htb", Options: o})
		}
	}
	root := parseLine(t, "htb")

	b.qdisc(Add, root)
	var requests []Request
	for _, c := range wanted {
		request, err := ClassRequest(Add, c)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, request)
	}
	b.do(requests...)
	ours := b.classes()
	b.clear()
	for i, c := range ours {
		if !Satisfied(wanted[i].Options, c.Options) {
			t.Errorf("%s does not satisfy %s", show(c.Options), show(wanted[i].Options))
		}
	}
	for what, list := range map[string][]Class{"our words": wanted, "our words for the dump": ours} {
		b.qdisc(Add, root)
		var lines []string
		for _, c := range list {
			lines = append(lines, c.Command("add", devices{b.name: b.ifindex})[len("tc "):])
		}
		b.tc(lines...)
		b.equal(what, ours, b.classes())
		b.clear()
	}
}

// TestLabHTBClassChange: a living class takes every change; of an inner class
// quantum and priority stay.
func TestLabHTBClassChange(t *testing.T) {
	b := newBench(t)
	b.qdisc(Add, parseLine(t, "htb"))
	class := func(mode Mode, id, parent Handle, o *HTBClass) {
		t.Helper()
		request, err := ClassRequest(mode, Class{Ifindex: b.ifindex, Handle: id, Parent: parent, Kind: "htb", Options: o})
		if err != nil {
			t.Fatal(err)
		}
		b.do(request)
	}
	top, leaf := MakeHandle(1, 1), MakeHandle(1, 0x11)
	first := &HTBClass{Rate: 10e6, Burst: 1749, Quantum: 1749}
	class(Add, top, MakeHandle(1, 0), first)
	class(Add, leaf, top, first)
	second := &HTBClass{Rate: 50e9, Ceil: 60e9, Burst: 50000, Cburst: 60000, Quantum: 3000, Prio: 3, Overhead: 44, MPU: 64, LinkLayer: LinkATM}
	class(Change, top, MakeHandle(1, 0), second)
	class(Change, leaf, top, second)
	for _, c := range b.classes() {
		if !Satisfied(second, c.Options) {
			t.Errorf("class %s: %s does not satisfy %s", c.Handle, show(c.Options), show(second))
		}
	}
	class(Change, leaf, top, first)
	for _, c := range b.classes() {
		if c.Handle == leaf && !Satisfied(first, c.Options) {
			t.Errorf("class %s: %s does not satisfy %s", c.Handle, show(c.Options), show(first))
		}
	}
}

// TestLabRounding: what the kernel gives back for many times and bursts is
// foreseen exactly, and our words for it lead there again.
func TestLabRounding(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewSource(2))
	var wanted []Qdisc
	add := func(o Options) { wanted = append(wanted, Qdisc{Kind: o.Kind(), Options: o}) }
	rates, sizes := sampleRates(r, 60), sampleSizes(r, 20)
	for i, rate := range rates {
		for j, size := range sizes[:10+i%10] {
			o := &TBF{Rate: rate, Burst: size, Limit: size + r.Uint32()%100000, Overhead: uint16(i), MPU: uint16(j * i % 100), LinkLayer: uint8(1 + j%2)}
			if uint64(o.Burst)*9/o.Rate > 200 {
				continue
			}
			if j%3 == 0 {
				o.PeakRate, o.MinBurst = rate+8000+rate/7, 1+size/2
			}
			add(o)
		}
	}
	for range 400 {
		us := func() *uint32 { return ref(1 + r.Uint32()>>(r.Uint32()%32)) }
		// A time of more than 4.29 s wraps in pie's dump.
		add(&FqCodel{Target: us(), Interval: us(), CEThreshold: us(), Quantum: ref(1 + r.Uint32()%9000), MemoryLimit: us(), Flows: ref[uint32](1)})
		add(&Pie{Target: us(), TUpdate: ref(1 + r.Uint32()>>(2+r.Uint32()%30))})
	}

	ours := b.leaves(wanted, func() { b.request(wanted) })
	for i, q := range ours {
		if !Satisfied(wanted[i].Options, q.Options) {
			t.Errorf("%s does not satisfy %s", show(q.Options), show(wanted[i].Options))
		}
	}
	b.equal("our words", ours, b.leaves(wanted, func() { b.lines(wanted) }))
	b.equal("our words for the dump", ours, b.leaves(ours, func() { b.lines(ours) }))
}
