// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// orders pairs a byte order with the golden bytes in it.
func orders(little, big string) map[binary.ByteOrder]string {
	return map[binary.ByteOrder]string{binary.LittleEndian: little, binary.BigEndian: big}
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

func (g goldenQdisc) parse(t testing.TB) (Options, map[string]func() Options) {
	t.Helper()
	kinds, parse := qdiscKinds, func() (Options, error) { return ParseQdiscWords(g.kind, nil, strings.Fields(g.line)) }
	if g.class {
		kinds, parse = classKinds, func() (Options, error) { return ParseClassWords(g.kind, strings.Fields(g.line)) }
	}
	o, err := parse()
	if err != nil {
		t.Fatal(err)
	}
	return o, kinds
}

// We send what tc(8) sends for the same line, and read it again.
func TestQdiscGolden(t *testing.T) {
	for _, g := range qdiscGolden {
		t.Run(g.kind+" "+g.line, func(t *testing.T) {
			want, kinds := g.parse(t)
			for order, text := range orders(g.little, g.big) {
				golden := fromHex(t, text)
				if diff := cmp.Diff(hexOf(golden), hexOf(encoded(t, order, want))); diff != "" {
					t.Errorf("%v (-want +got):\n%s", order, diff)
				}
				got := kinds[g.kind]()
				if err := got.decode(decoder{order, golden}); err != nil {
					t.Fatal(err)
				}
				if !Satisfied(want, got) {
					t.Errorf("%v: %v does not satisfy %v", order, got.Words(nil), want.Words(nil))
				}
				// red keeps no trace of what its table of idling was made from.
				if _, red := got.(*RED); !red {
					if diff := cmp.Diff(hexOf(golden), hexOf(encoded(t, order, got))); diff != "" {
						t.Errorf("%v again (-want +got):\n%s", order, diff)
					}
				}
			}
		})
	}
}

func TestSizeTableGolden(t *testing.T) {
	for _, g := range stabGolden {
		s, rest, err := ParseSizeTable(strings.Fields(g.line))
		if err != nil || len(rest) != 0 {
			t.Fatalf("%s: %v, %q left", g.line, err, rest)
		}
		for order, text := range orders(g.little, g.big) {
			e := newEncoder(order)
			if err := s.encode(e); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hexOf(fromHex(t, text)), hexOf(e.buf)); diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", g.line, order, diff)
			}
			if diff := cmp.Diff(s, decodeSizeTable(decoder{order, e.buf})); diff != "" {
				t.Errorf("%s, %v decoded (-want +got):\n%s", g.line, order, diff)
			}
		}
	}
}

// The table of 512 entries that tc(8) makes of "mtu 2047 tsize 512 mpu 68 overhead
// 44 linklayer atm", by its checksum.
func TestSizeTableATM(t *testing.T) {
	s := &SizeTable{LinkLayer: LinkATM, Overhead: 44, MPU: 68}
	for order, want := range map[binary.ByteOrder]uint32{binary.LittleEndian: 0x4dba51c7, binary.BigEndian: 0xfd399266} {
		e := newEncoder(order)
		if err := s.encode(e); err != nil {
			t.Fatal(err)
		}
		if got := crc32.ChecksumIEEE(e.buf); got != want {
			t.Errorf("%v: checksum %#x, want %#x of %d bytes", order, got, want, len(e.buf))
		}
		entries := e.buf[28+attrHeader:]
		if first := order.Uint16(entries); first != 106 {
			t.Errorf("%v: first entry %d, want two cells", order, first)
		}
	}
}

// Whole messages, for what stands around the options.
func TestQdiscMessage(t *testing.T) {
	for _, c := range []struct {
		name        string
		qdisc       Qdisc
		little, big string
	}{
		{
			"ingress", Qdisc{Ifindex: 2, Handle: IngressHandle, Parent: IngressParent, Kind: "ingress", Options: &None{"ingress"}},
			"00000000 02000000 0000ffff f1ffffff 00000000 | 0c000100 696e6772 65737300",
			"00000000 00000002 ffff0000 fffffff1 00000000 | 000c0001 696e6772 65737300",
		},
		{
			"clsact", Qdisc{Ifindex: 2, Handle: IngressHandle, Parent: IngressParent, Kind: "clsact"},
			"00000000 02000000 0000ffff f1ffffff 00000000 | 0b000100 636c7361 63740000",
			"00000000 00000002 ffff0000 fffffff1 00000000 | 000b0001 636c7361 63740000",
		},
		{
			"htb with a size table that is only an overhead",
			Qdisc{Ifindex: 2, Handle: 0x10000, Parent: Root, Kind: "htb", Options: &HTB{Default: 0x12}, Stab: &SizeTable{LinkLayer: LinkEthernet, Overhead: -4}},
			"00000000 02000000 00000100 ffffffff 00000000 | 08000100 68746200 | 1c000200 18000200 03000000 0a000000 12000000 00000000 00000000 | 20000800 1c000100 00000000 fcffffff 01000000 00000000 00000000 00000000",
			"00000000 00000002 00010000 ffffffff 00000000 | 00080001 68746200 | 001c0002 00180002 00000003 0000000a 00000012 00000000 00000000 | 00200008 001c0001 00000000 fffffffc 00000001 00000000 00000000 00000000",
		},
		{
			"pfifo without a limit", Qdisc{Ifindex: 2, Parent: Root, Kind: "pfifo", Options: &Fifo{}},
			"00000000 02000000 00000000 ffffffff 00000000 | 0a000100 70666966 6f000000",
			"00000000 00000002 00000000 ffffffff 00000000 | 000a0001 70666966 6f000000",
		},
		{
			"sfq without options", Qdisc{Ifindex: 2, Parent: Root, Kind: "sfq", Options: &SFQ{}},
			"00000000 02000000 00000000 ffffffff 00000000 | 08000100 73667100",
			"00000000 00000002 00000000 ffffffff 00000000 | 00080001 73667100",
		},
		{
			"fq_pie wants the nest marked", Qdisc{Ifindex: 2, Parent: Root, Kind: "fq_pie", Options: &FqPie{Limit: ref[uint32](9)}},
			"00000000 02000000 00000000 ffffffff 00000000 | 0b000100 66715f70 69650000 | 0c000280 08000100 09000000",
			"00000000 00000002 00000000 ffffffff 00000000 | 000b0001 66715f70 69650000 | 000c8002 00080001 00000009",
		},
		{
			"shared blocks", Qdisc{Ifindex: 2, Handle: IngressHandle, Parent: IngressParent, Kind: "clsact", IngressBlock: 10, EgressBlock: 11},
			"00000000 02000000 0000ffff f1ffffff 00000000 | 0b000100 636c7361 63740000 | 08000d00 0a000000 | 08000e00 0b000000",
			"00000000 00000002 ffff0000 fffffff1 00000000 | 000b0001 636c7361 63740000 | 0008000d 0000000a | 0008000e 0000000b",
		},
	} {
		for order, text := range orders(c.little, c.big) {
			body, err := c.qdisc.message(order)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hexOf(fromHex(t, text)), hexOf(body)); diff != "" {
				t.Errorf("%s, %v (-want +got):\n%s", c.name, order, diff)
			}
			got, err := decodeQdisc(order, body)
			if err != nil {
				t.Fatal(err)
			}
			if got.Options == nil || !Satisfied(c.qdisc.Options, got.Options) {
				got.Options = nil
			}
			want := c.qdisc
			want.Options, got.Options = nil, nil
			if diff := cmp.Diff(want, got, sameOptions); diff != "" {
				t.Errorf("%s, %v decoded (-want +got):\n%s", c.name, order, diff)
			}
		}
	}
}

// A change leaves out what the kernel takes only at creation; nothing else does.
func TestChangeLeavesOutFlows(t *testing.T) {
	for _, o := range []Options{&FqCodel{}, &FqPie{}} {
		full := Complete(o)
		q := Qdisc{Ifindex: 2, Parent: Root, Kind: o.Kind(), Options: full}
		for mode, want := range map[Mode]bool{Add: true, Replace: true, Change: false} {
			r, err := QdiscRequest(mode, q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := decodeQdisc(binary.NativeEndian, r.body)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Join(got.Options.Words(nil), " ")
			if strings.Contains(words, "flows") != want || !strings.Contains(words, "limit") {
				t.Errorf("%s, mode %#x: %s", o.Kind(), uint16(mode), words)
			}
		}
		if !strings.Contains(strings.Join(full.Words(nil), " "), "flows") {
			t.Errorf("%s: the options themselves were changed", o.Kind())
		}
	}
}
