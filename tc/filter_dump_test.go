// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A dump has more than a request: indexes, references, times and counters.
func TestActionDump(t *testing.T) {
	want := Actions{
		{
			Options: &CtInfo{DSCPMask: 0x3f, Zone: 1, Control: ControlPipe.Ptr(), DSCPSet: 1 << 40, DSCPError: 2, CPMarkSet: 3},
			Index:   7, Cookie: []byte{1, 2},
			Stats: &Stats{Bytes: 1 << 33, Packets: 1 << 34, Drops: 4, Overlimits: 5},
		},
		{Options: &Raw{kind: "sample", Data: []byte{1, 2, 3}}},
		{Options: &Raw{kind: "vlan"}},
	}
	for _, order := range bothOrders {
		e := newEncoder(order)
		e.nest(1, func() {
			e.str(actKind, "ctinfo")
			e.nestF(actOptions, func() {
				gen := e.space(ctinfoAct, genSize)
				for i, n := range []uint32{7, 0, uint32(ControlPipe), 1, 1} {
					order.PutUint32(gen[4*i:], n)
				}
				e.space(2, 32) // times
				e.u16(ctinfoZone, 1)
				e.u32(ctinfoDSCPMask, 0x3f)
				e.u32(ctinfoStateMask, 0)
				e.u64(ctinfoDSCPSet, 1<<40)
				e.u64(ctinfoDSCPError, 2)
				e.u64(ctinfoCPMarkSet, 3)
			})
			e.bytes(actCookie, []byte{1, 2})
			e.nest(actStats, func() {
				order.PutUint64(e.space(statsBasic, 16), 1<<33)
				e.u64(statsPkt64, 1<<34)
				queue := e.space(statsQueue, 20)
				order.PutUint32(queue[8:], 4)
				order.PutUint32(queue[16:], 5)
			})
			e.u32(10, 0) // TCA_ACT_IN_HW_COUNT
		})
		e.nest(2, func() { e.str(actKind, "sample"); e.bytes(actOptions, []byte{1, 2, 3}) })
		e.nest(3, func() { e.str(actKind, "vlan") })
		if diff := cmp.Diff(want, decodeActions(decoder{order, e.buf}), sameOptions); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
	}
}

// Options that a known kind refuses are kept as they came, and so is an action
// without its main attribute.
func TestActionRefused(t *testing.T) {
	order := binary.BigEndian
	for name, options := range map[string]func(e *encoder){
		"mirred in an unknown direction": func(e *encoder) { e.space(mirredParms, genSize+8)[genSize+3] = 9 },
		"mirred without parameters":      func(e *encoder) { e.space(1, 32) },
	} {
		e := newEncoder(order)
		options(e)
		data := e.buf
		e = newEncoder(order)
		e.nest(1, func() { e.str(actKind, "mirred"); e.bytes(actOptions, data) })
		want := Actions{{Options: &Raw{kind: "mirred", Data: data}}}
		if diff := cmp.Diff(want, decodeActions(decoder{order, e.buf}), sameOptions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFlowerUnknownAttributes(t *testing.T) {
	want := &Flower{TOS: &FlowerByte{0xb8, 0xfc}, Unknown: []RawAttr{{95, []byte{0, 0, 0, 1}}, {0x8000 | 84, []byte{1, 2}}, {flowerIPv4Src, []byte{1}}}}
	for _, order := range bothOrders {
		e := newEncoder(order)
		e.u32(flowerInHWCount, 0)
		e.bytes(95, []byte{0, 0, 0, 1})
		e.bytes(0x8000|84, []byte{1, 2})
		e.u8(flowerTOS, 0xb8)
		e.bytes(flowerIPv4Src, []byte{1})
		e.u8(flowerTOS+1, 0xfc)
		got := &Flower{}
		if err := got.decode(decoder{order, e.buf}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, sameOptions); diff != "" {
			t.Errorf("%v (-want +got):\n%s", order, diff)
		}
		again := &Flower{}
		if err := again.decode(decoder{order, encoded(t, order, got)}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, again, sameOptions); diff != "" {
			t.Errorf("%v put back (-want +got):\n%s", order, diff)
		}
	}
}

func TestU32KeyString(t *testing.T) {
	for want, k := range map[string]U32Key{
		"00b80000/00fc0000 at 0":         U32DSCP(ProtocolIPv4, 46),
		"0b800000/0fc00000 at 0":         U32DSCP(ProtocolIPv6, 46),
		"00000000/00000000 at -8":        {Offset: -8},
		"00000050/0000ffff at nexthdr+0": {Mask: 0xffff, Value: 80, OffMask: -1},
	} {
		if got := k.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
