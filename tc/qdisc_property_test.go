// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// below draws an optional number from 1 on.
func (d draw) below(limit int) *uint32 { return maybe(d, uint32(1+d.Intn(limit-1))) }

// bit draws an optional switch.
func (d draw) bit() *uint32 { return maybe(d, uint32(d.Intn(2))) }

// rate draws bit/s that are whole bytes.
func (d draw) rate() uint64 { return 8 * (1 + d.Uint64()>>(20+d.Intn(40))) }

func (d draw) us() *uint32 { return d.below(1 << (1 + d.Intn(31))) }

// qdisc draws options that tc(8) has words for.
func (d draw) qdisc() Options {
	switch d.Intn(9) {
	case 0:
		o := &FqCodel{Limit: d.below(1e5), Flows: d.below(65536), Quantum: d.below(1e5), Target: d.us(), Interval: d.us(), ECN: d.bit(),
			CEThreshold: d.us(), DropBatch: d.below(100), MemoryLimit: d.us()}
		if d.flip() {
			o.CEThresholdSelector, o.CEThresholdMask = ref(uint32(d.Intn(255))), ref(uint32(d.Intn(256)))
		}
		return o
	case 1:
		return &Codel{Limit: d.below(1e5), Target: d.us(), Interval: d.us(), ECN: d.bit(), CEThreshold: d.us()}
	case 2:
		return &Pie{Limit: d.below(1e5), Target: d.us(), TUpdate: d.us(), Alpha: d.below(33), Beta: d.below(33), ECN: d.bit(),
			ByteMode: d.bit(), DQRateEstimator: d.bit()}
	case 3:
		return &FqPie{Limit: d.below(1e5), Flows: d.below(65536), Target: d.us(), TUpdate: d.us(), Alpha: d.below(33), Beta: d.below(33),
			Quantum: d.below(1e5), MemoryLimit: d.us(), ECNProb: d.below(100), ECN: d.bit(), ByteMode: d.bit(), DQRateEstimator: d.bit()}
	case 4:
		return &HTB{Default: uint32(d.Intn(1 << 16)), R2Q: uint32(1 + d.Intn(1000)), DirectQlen: d.below(1e5), Offload: d.flip()}
	case 5:
		return d.tbf()
	case 6:
		return &Fifo{Name: []string{"pfifo", "bfifo", "pfifo_head_drop"}[d.Intn(3)], Limit: ref(d.Uint32())}
	case 7:
		return &SFQ{Limit: d.below(1e5), Quantum: d.below(1e5), Divisor: d.below(1e5), Flows: d.below(1e5), Depth: d.below(127),
			Perturb: ref(uint32(d.Intn(100))), HeadDrop: ref(uint32(d.Intn(2)))}
	}
	return d.cake()
}

func (d draw) tbf() *TBF {
	o := &TBF{Rate: d.rate(), Burst: 1 + d.Uint32()>>1, Limit: 1 + d.Uint32()>>1, Overhead: uint16(d.Intn(100)), MPU: uint16(d.Intn(100)),
		LinkLayer: uint8(1 + d.Intn(2))}
	if d.flip() {
		o.PeakRate, o.MinBurst = d.rate(), 1+d.Uint32()>>1
	}
	return o
}

func (d draw) cake() *Cake {
	o := &Cake{Rate: maybe(d, d.rate()), Diffserv: maybe(d, uint32(d.Intn(5))), FlowMode: maybe(d, uint32(d.Intn(8))), Framing: maybe(d, uint32(d.Intn(3))),
		MPU: d.below(257), NAT: d.bit(), Wash: d.bit(), Ingress: d.bit(), SplitGSO: d.bit(), AckFilter: maybe(d, uint32(d.Intn(3))),
		Fwmark: d.below(1 << 30), Memory: d.us(), Autorate: d.bit()}
	switch d.Intn(3) {
	case 0:
		o.Raw, o.Overhead, o.Framing = true, ref[int32](0), ref(FramingNone)
	case 1:
		o.Overhead = ref(int32(d.Intn(321) - 64))
	}
	if d.flip() {
		o.setRTT(1 + d.Uint32()>>d.Intn(31))
	}
	if o.Rate != nil && o.Autorate == nil {
		o.Autorate = ref[uint32](0) // as the word "bandwidth" says
	}
	if o.Rate == nil && o.Autorate != nil {
		o.Autorate = ref[uint32](1) // there is no word for 0
	}
	return o
}

// What is encoded decodes to the same, in both byte orders.
func TestQdiscEncodingProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(1))}
	for range 5000 {
		want := d.qdisc()
		for _, order := range bothOrders {
			got := qdiscKinds[want.Kind()]()
			if err := got.decode(decoder{order, encoded(t, order, want)}); err != nil && !isEmpty(want) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%v (-want +got):\n%s", order, diff)
			}
		}
	}
}

func isEmpty(o Options) bool {
	f, ok := o.(framer)
	if !ok {
		return false
	}
	_, present := f.frame()
	return !present
}

// What is written reads as the same.
func TestQdiscWordsProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(2))}
	for range 5000 {
		want := d.qdisc()
		if s, ok := want.(*SFQ); ok {
			// tc(8) has no word for these as nothing.
			s.Limit, s.HeadDrop = ref(2+uint32(d.Intn(1000))), ref[uint32](1)
		}
		written := want.Words(nil)
		got, err := ParseQdiscWords(want.Kind(), nil, written)
		if err != nil {
			t.Fatalf("%s: %v", show(want), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", show(want), diff)
		}
	}
}

func show(o Options) string { return o.Kind() + " " + strings.Join(o.Words(nil), " ") }

// An htb class keeps its bursts as times: what comes back asks for the same
// times, and comes back unchanged from then on.
func TestHTBClassProperty(t *testing.T) {
	d := draw{rand.New(rand.NewSource(3))}
	for range 3000 {
		want := &HTBClass{Rate: d.rate(), Ceil: d.rate(), Burst: 1 + d.Uint32()>>(4+d.Intn(20)), Cburst: 1 + d.Uint32()>>(4+d.Intn(20)), Quantum: d.Uint32() >> 1,
			Prio: uint32(d.Intn(8)), Overhead: uint16(d.Intn(100)), MPU: uint16(d.Intn(100)), LinkLayer: uint8(1 + d.Intn(2))}
		for _, order := range bothOrders {
			first := &HTBClass{}
			sent := encoded(t, order, want)
			if err := first.decode(decoder{order, sent}); err != nil {
				t.Fatal(err)
			}
			if !Satisfied(want, first) {
				t.Fatalf("%s does not satisfy %s", show(first), show(want))
			}
			if diff := cmp.Diff(hexOf(sent), hexOf(encoded(t, order, first))); diff != "" {
				t.Fatalf("%s becomes %s:\n%s", show(want), show(first), diff)
			}
			parsed, err := ParseClassWords("htb", first.Words(nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, parsed); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", show(first), diff)
			}
		}
	}
}

// Every kind can be a base for words, is satisfied with itself and completes to
// something that it takes for a change of itself.
func TestQdiscKindsAreWhole(t *testing.T) {
	for _, line := range wholeLines {
		list := strings.Fields(line)
		o, err := ParseQdiscWords(list[0], nil, list[1:])
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		copied, err := ParseQdiscWords(list[0], o, nil)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(o, copied); diff != "" || o == copied {
			t.Errorf("%s is not copied (-want +got):\n%s", line, diff)
		}
		full := Complete(o)
		if !Satisfied(o, full) || !Satisfied(full, full) || !Changeable(full, full) {
			t.Errorf("%s: complete %s, but not satisfied or not changeable", line, show(full))
		}
		if diff := cmp.Diff(o, copied); diff != "" {
			t.Errorf("%s was changed by completing it (-want +got):\n%s", line, diff)
		}
	}
}

// wholeLines has a line for every kind that takes words on top of others.
var wholeLines = []string{
	"cake", "cake_mq bandwidth 1gbit", "codel", "fq_codel", "fq_pie", "htb", "pie", "sfq", "sfq redflowlimit 100000", "pfifo", "bfifo limit 9kb", "pfifo_head_drop",
	"red limit 400000 avpkt 1000", "tbf rate 1mbit burst 2000 latency 50ms",
}

// A fuzzed decoder may meet anything; what it does read has to stay what it is.
func FuzzQdiscDecode(f *testing.F) {
	for _, g := range qdiscGolden {
		f.Add(g.kind, g.class, false, fromHex(f, g.little))
		f.Add(g.kind, g.class, true, fromHex(f, g.big))
	}
	f.Fuzz(func(t *testing.T, kind string, class, big bool, b []byte) {
		order, kinds := bothOrders[0], qdiscKinds
		if big {
			order = bothOrders[1]
		}
		if class {
			kinds = classKinds
		}
		first := decodeOptions(kinds, kind, &value{order, b})
		if _, raw := first.(*Raw); raw {
			return
		}
		first.Words(nil)
		Satisfied(first, first)
		Changeable(first, first)
		e := newEncoder(order)
		if first.encode(e) != nil {
			return // says what the kernel would never give back
		}
		again := kinds[kind]()
		if err := again.decode(decoder{order, e.buf}); err != nil && len(e.buf) > 0 {
			t.Fatalf("what was encoded does not decode: %#v: %v", first, err)
		}
		if !Satisfied(first, again) && !Satisfied(again, first) && settles(first) {
			t.Fatalf("%s became %s", show(first), show(again))
		}
	})
}

// settles leaves out what only a broken dump has: flows of sfq beyond the limits
// that the kernel keeps, and bursts beyond the times it can hold.
func settles(o Options) bool {
	switch o := o.(type) {
	case *SFQ, *RED:
		return false
	case *HTBClass:
		return o.Burst < 1<<31 && o.Cburst < 1<<31
	}
	return true
}

func FuzzQdiscMessage(f *testing.F) {
	for _, g := range qdiscGolden {
		o, _ := g.parse(f)
		for _, order := range bothOrders {
			body, err := Qdisc{Ifindex: 7, Parent: Root, Kind: g.kind, Options: o, Stab: &SizeTable{LinkLayer: LinkATM, TSize: 4}}.message(order)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, order := range bothOrders {
			if q, err := decodeQdisc(order, body); err == nil {
				q.Command("add", testDevices)
				_, _ = q.message(order)
			}
			if c, err := decodeClass(order, body); err == nil {
				c.Command("add", testDevices)
				_, _ = c.message(order)
			}
		}
	})
}

func FuzzQdiscWords(f *testing.F) {
	for _, g := range qdiscGolden {
		f.Add(g.kind, g.class, g.line)
	}
	for _, line := range wholeLines {
		kind, rest, _ := strings.Cut(line, " ")
		f.Add(kind, false, rest)
	}
	f.Add("sfq", false, "limit 10 depth 200")
	f.Add("htb", true, "rate 100bit ceil 1bit")
	f.Fuzz(func(t *testing.T, kind string, class bool, line string) {
		parse := func(list []string) (Options, error) {
			if class {
				return ParseClassWords(kind, list)
			}
			return ParseQdiscWords(kind, nil, list)
		}
		first, err := parse(strings.Fields(line))
		if err != nil {
			return
		}
		again, err := parse(first.Words(nil))
		if err != nil {
			t.Fatalf("%q: %v", first.Words(nil), err)
		}
		if !Satisfied(again, first) {
			t.Fatalf("%q reads as %q", first.Words(nil), again.Words(nil))
		}
		e := newEncoder(bothOrders[0])
		if err := first.encode(e); err != nil {
			t.Fatalf("%s was read but cannot be sent: %v", show(first), err)
		}
	})
}

func FuzzSizeTableWords(f *testing.F) {
	for _, g := range stabGolden {
		f.Add(g.line)
	}
	f.Add("overhead 4 htb default 12")
	f.Fuzz(func(t *testing.T, line string) {
		first, _, err := ParseSizeTable(strings.Fields(line))
		if err != nil {
			return
		}
		again, rest, err := ParseSizeTable(first.Words())
		if err != nil || len(rest) != 0 || !first.Satisfied(again) {
			t.Fatalf("%q reads as %+v and leaves %q: %v", first.Words(), again, rest, err)
		}
	})
}
