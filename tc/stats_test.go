// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// structure writes 32-bit numbers one behind the other.
func structure(order binary.ByteOrder, numbers ...uint32) []byte {
	e := newEncoder(order)
	e.raw(numbers...)
	return e.buf
}

// wide writes a 64-bit number.
func wide(order binary.ByteOrder, n uint64) []byte {
	b := make([]byte, 8)
	order.PutUint64(b, n)
	return b
}

// minus is a negative number in a structure.
func minus(n uint32) uint32 { return -n }

// appStatsCases are a kind's own statistics as the kernel's structures have them
// (linux/pkt_sched.h), with 1, 2, 3 and so on in their fields.
var appStatsCases = []struct {
	kind    string
	numbers []uint32
	want    Stats
}{
	{"codel", []uint32{1, 2, 3, 4, minus(5), 6, 7, 1, 9}, Stats{Codel: &CodelStats{MaxPacket: 1, Count: 2, LastCount: 3, DelayUs: 4, DropNextUs: -5,
		DropOverlimit: 6, Marks: 7, Dropping: true, CEMarks: 9}}},
	{"fq_codel", []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Stats{FqCodel: &FqCodelStats{MaxPacket: 1, DropOverlimit: 2, Marks: 3, NewFlowCount: 4,
		NewFlows: 5, OldFlows: 6, CEMarks: 7, MemoryUsed: 8, DropOvermemory: 9}}},
	{"fq_codel class", []uint32{1, minus(1), 2, 3, 4, 1, minus(6)}, Stats{FqCodelFlow: &FqCodelFlowStats{Deficit: -1, DelayUs: 2, Count: 3, LastCount: 4,
		Dropping: true, DropNextUs: -6}}},
	{"fq_codel", []uint32{2, 1}, Stats{}}, // neither of the two types
	{"fq_pie", []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}, Stats{FqPie: &FqPieStats{PacketsIn: 1, Drops: 2, DropOverlimit: 3, DropOvermemory: 4, Marks: 5,
		NewFlowCount: 6, NewFlows: 7, OldFlows: 8, MemoryUsed: 9}}},
	{"htb class", []uint32{1, 2, 3, minus(4), 5}, Stats{HTBClass: &HTBClassStats{Lends: 1, Borrows: 2, Tokens: -4, CTokens: 5}}},
	{"red", []uint32{1, 2, 3, 4}, Stats{RED: &REDStats{Early: 1, PDrop: 2, Other: 3, Marks: 4}}},
	{"sfq class", []uint32{minus(1)}, Stats{SFQFlow: &SFQFlowStats{Allot: -1}}},
	{"htb", []uint32{1, 2}, Stats{}}, // has none
}

func TestAppStats(t *testing.T) {
	for _, c := range appStatsCases {
		for _, order := range bothOrders {
			for _, tail := range [][]uint32{nil, {0xdead, 0xbeef}} {
				e := newEncoder(order)
				e.bytes(statsApp, structure(order, append(append([]uint32{}, c.numbers...), tail...)...))
				if diff := cmp.Diff(&c.want, decodeStats(c.kind, &value{order, e.buf}, nil)); diff != "" {
					t.Errorf("%s, %v, %d more (-want +got):\n%s", c.kind, order, len(tail), diff)
				}
			}
			// Older kernels have a shorter structure, and it may come alone.
			short := structure(order, c.numbers...)
			decodeStats(c.kind, &value{order, nil}, &value{order, short[:len(short)-2]})
		}
	}
}

func TestPieStats(t *testing.T) {
	for _, order := range bothOrders {
		e := newEncoder(order)
		e.bytes(statsApp, append(wide(order, 1<<63), structure(order, 1, 2, 3, 4, 5, 6, 7, 8)...))
		want := &Stats{Pie: &PieStats{DropProb: 1 << 63, DelayUs: 1, DQRate: 2, PacketsIn: 4, Drops: 5, Overlimit: 6, MaxQueue: 7, Marks: 8}}
		if diff := cmp.Diff(want, decodeStats("pie", &value{order, e.buf}, nil)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
	}
}

func TestSFQStats(t *testing.T) {
	for _, order := range bothOrders {
		numbers := make([]uint32, 18)
		for i := range 6 {
			numbers[12+i] = uint32(i + 1)
		}
		e := tcmsg(order, 2, 0x10000, Root, 0)
		e.str(tcaKind, "sfq")
		e.bytes(tcaOptions, structure(order, numbers...))
		e.nest(tcaStats2, func() {})
		q, err := decodeQdisc(order, e.buf)
		if err != nil {
			t.Fatal(err)
		}
		want := &Stats{SFQ: &SFQStats{ProbDrop: 1, ForcedDrop: 2, ProbMark: 3, ForcedMark: 4, ProbMarkHead: 5, ForcedMarkHead: 6}}
		if diff := cmp.Diff(want, q.Stats); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
	}
}

// A count of packets in 64 bits is better than one in 32, whichever comes first.
func TestBasicStats(t *testing.T) {
	for _, order := range bothOrders {
		basic := func(e *encoder) { e.bytes(statsBasic, append(wide(order, 1<<40), structure(order, 7)...)) }
		want := &Stats{Bytes: 1 << 40, Packets: 1<<32 + 7, Qlen: 1, Backlog: 2, Drops: 3, Requeues: 4, Overlimits: 5}
		for _, first := range []bool{true, false} {
			e := newEncoder(order)
			if first {
				e.u64(statsPkt64, 1<<32+7)
			}
			basic(e)
			if !first {
				e.u64(statsPkt64, 1<<32+7)
			}
			e.bytes(statsQueue, structure(order, 1, 2, 3, 4, 5))
			e.bytes(77, []byte{1, 2, 3})
			if diff := cmp.Diff(want, decodeStats("fifo", &value{order, e.buf}, nil)); diff != "" {
				t.Errorf("%v (-want +got):\n%s", order, diff)
			}
		}
	}
	if decodeStats("cake", nil, nil) != nil {
		t.Error("statistics out of nothing")
	}
}

func TestCakeStats(t *testing.T) {
	for _, order := range bothOrders {
		e := newEncoder(order)
		e.nest(statsApp, func() {
			e.u64(2, 1250000)
			for typ := uint16(3); typ <= 9; typ++ {
				e.u32(typ, uint32(typ))
			}
			e.u32(17, 4)
			e.nest(10, func() {
				e.nest(1, func() {
					for typ := uint16(2); typ <= 26; typ++ {
						switch typ {
						case 3, 12:
							e.u64(typ, uint64(typ)<<32)
						default:
							e.u32(typ, uint32(typ))
						}
					}
				})
				e.nest(3, func() { e.u32(4, 9) })
				e.nest(9, func() { e.u32(4, 9) }) // more tins than there are
			})
		})
		want := &Stats{Cake: &CakeStats{CapacityBits: 10e6, MemoryLimit: 3, MemoryUsed: 4, AvgNetOffset: 5, MinNet: 6, MaxNet: 7, MinAdjusted: 8, MaxAdjusted: 9,
			ActiveQueues: 4, Tins: []CakeTin{{SentPackets: 2, SentBytes: 3 << 32, Drops: 4, AckDrops: 6, Marks: 8, BacklogPackets: 10, BacklogBytes: 11,
				ThresholdBits: 8 * 12 << 32, TargetUs: 13, IntervalUs: 14, WayHits: 15, WayMisses: 16, WayCollisions: 17, PeakDelayUs: 18, AvgDelayUs: 19,
				SparseDelayUs: 20, SparseFlows: 21, BulkFlows: 22, Unresponsive: 23, MaxPacket: 24, FlowQuantum: 25}, {}, {Drops: 9}}}}
		if diff := cmp.Diff(want, decodeStats("cake", &value{order, e.buf}, nil)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}

		flow := newEncoder(order)
		flow.nest(statsApp, func() {
			for typ := uint16(11); typ <= 16; typ++ {
				flow.u32(typ, minus(uint32(typ)))
			}
		})
		wantFlow := &Stats{CakeFlow: &CakeFlowStats{Deficit: -11, CobaltCount: minus(12), Dropping: true, DropNextUs: -14, DropProb: minus(15), BlueTimerUs: -16}}
		if diff := cmp.Diff(wantFlow, decodeStats("cake class", &value{order, flow.buf}, nil)); diff != "" {
			t.Errorf("flow, %v (-want +got):\n%s", order, diff)
		}
	}
}

func FuzzStats(f *testing.F) {
	for _, c := range appStatsCases {
		for i, order := range bothOrders {
			e := newEncoder(order)
			e.bytes(statsApp, structure(order, c.numbers...))
			f.Add(c.kind, i == 1, e.buf)
		}
	}
	f.Add("cake", false, []byte{12, 0, 4, 0, 8, 0, 10, 0, 4, 0, 1, 0})
	f.Fuzz(func(t *testing.T, kind string, big bool, b []byte) {
		order := bothOrders[0]
		if big {
			order = bothOrders[1]
		}
		if s := decodeStats(kind, &value{order, b}, &value{order, b}); s.Cake != nil && len(s.Cake.Tins) > maxCakeTins {
			t.Fatalf("%d tins", len(s.Cake.Tins))
		}
	})
}
