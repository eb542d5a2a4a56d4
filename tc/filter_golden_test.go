// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// devices resolves the names that tests use.
type devices map[string]int

func (d devices) Index(name string) int { return d[name] }

func (d devices) Name(ifindex int) string {
	for name, i := range d {
		if i == ifindex {
			return name
		}
	}
	return ""
}

var testDevices = devices{"eth1": 7, "ifb4eth1": 2, "wan;1": 9}

// sameOptions compares decoded options field by field.
var sameOptions = cmp.Options{
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
	cmp.AllowUnexported(Raw{}, None{}),
}

func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "")), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encoded(t testing.TB, order binary.ByteOrder, o Options) []byte {
	t.Helper()
	e := newEncoder(order)
	if err := o.encode(e); err != nil {
		t.Fatalf("encode %#v: %v", o, err)
	}
	return e.buf
}

// filterGolden are the options that iproute2 6.1.0 sends for tc lines, on a
// little-endian machine, and the same on a big-endian one.
var filterGolden = []struct {
	name        string
	line        string // words behind the kind
	protocol    uint16
	options     Options
	little, big string
}{
	{
		name:     "matchall restores the DSCP, then redirects",
		line:     "action ctinfo dscp 0x3f 0x80 action mirred egress redirect dev ifb4eth1",
		protocol: ProtocolAll,
		options: &Matchall{Actions: Actions{
			{Options: &CtInfo{DSCPMask: 0x3f, DSCPStateMask: 0x80, Control: ControlPipe.Ptr()}},
			{Options: &Mirred{Ifindex: 2, Control: ControlStolen.Ptr()}},
		}},
		little: `7c000200 44000100 0b000100 6374696e666f0000 34000280
			18000300 00000000 00000000 03000000 00000000 00000000
			06000400 00000000 08000500 3f000000 08000600 80000000
			34000200 0b000100 6d69727265640000 24000280
			20000200 00000000 00000000 04000000 00000000 00000000 01000000 02000000`,
		big: `007c0002 00440001 000b0001 6374696e666f0000 00348002
			00180003 00000000 00000000 00000003 00000000 00000000
			00060004 00000000 00080005 0000003f 00080006 00000080
			00340002 000b0001 6d69727265640000 00248002
			00200002 00000000 00000000 00000004 00000000 00000000 00000001 00000002`,
	},
	{
		name:     "u32 redirects everything",
		line:     "match u32 0 0 flowid 1:1 action mirred egress redirect dev ifb4eth1",
		protocol: ProtocolAll,
		options: &U32{ClassID: MakeHandle(1, 1), Keys: []U32Key{{}}, Terminal: true,
			Actions: Actions{{Options: &Mirred{Ifindex: 2, Control: ControlStolen.Ptr()}}}},
		little: `08000100 01000100 | 38000700 34000100 0b000100 6d69727265640000 24000280
			20000200 00000000 00000000 04000000 00000000 00000000 01000000 02000000
			| 24000500 01000100 00000000 00000000 00000000 00000000 00000000 00000000 00000000`,
		big: `00080001 00010001 | 00380007 00340001 000b0001 6d69727265640000 00248002
			00200002 00000000 00000000 00000004 00000000 00000000 00000001 00000002
			| 00240005 01000100 00000000 00000000 00000000 00000000 00000000 00000000 00000000`,
	},
	{
		name:     "u32 matches a DSCP of IPv6",
		line:     "match ip6 priority 0xb8 0xfc flowid 1:11",
		protocol: ProtocolIPv6,
		options:  &U32{ClassID: MakeHandle(1, 0x11), Keys: []U32Key{U32DSCP(ProtocolIPv6, 46)}, Terminal: true},
		little: `08000100 11000100
			24000500 01000100 00000000 00000000 00000000 0fc00000 0b800000 00000000 00000000`,
		big: `00080001 00010011
			00240005 01000100 00000000 00000000 00000000 0fc00000 0b800000 00000000 00000000`,
	},
	{
		name:     "fw",
		line:     "classid 1:11",
		protocol: ProtocolIPv4,
		options:  &Fw{ClassID: MakeHandle(1, 0x11), Mask: 0xff},
		little:   `08000500 ff000000 | 08000100 11000100`,
		big:      `00080005 000000ff | 00080001 00010011`,
	},
	{
		name:     "flower matches a DSCP",
		line:     "ip_tos 0xb8/0xfc classid 1:11",
		protocol: ProtocolIPv4,
		options:  &Flower{ClassID: MakeHandle(1, 0x11), TOS: &FlowerByte{0xb8, 0xfc}, EthType: ProtocolIPv4},
		little:   `05004900 b8000000 | 05004a00 fc000000 | 08000100 11000100 | 08001600 00000000 | 06000800 08000000`,
		big:      `00050049 b8000000 | 0005004a fc000000 | 00080001 00010011 | 00080016 00000000 | 00060008 08000000`,
	},
	{
		// tc sends the options of csum without NLA_F_NESTED (20000200), which is
		// the one difference.
		name:     "matchall clears the DSCP",
		line:     "action pedit ex munge ip dsfield set 0 retain 0xfc pipe action csum ip4h",
		protocol: ProtocolIPv4,
		options: &Matchall{Actions: Actions{
			{Options: &Pedit{Keys: []PeditKey{{Header: PeditIPv4, Keep: 0xff03ffff}}, Control: ControlPipe.Ptr()}},
			{Options: &Csum{Update: CsumIPv4, Control: ControlOK.Ptr()}},
		}},
		little: `94000200 60000100 0a000100 7065646974000000 50000280
			34000400 00000000 00000000 03000000 00000000 00000000 01000000
			ff03ffff 00000000 00000000 00000000 00000000 00000000
			18000580 14000680 06000100 02000000 06000200 00000000
			30000200 09000100 6373756d00000000 20000280
			1c000100 00000000 00000000 00000000 00000000 00000000 01000000`,
		big: `00940002 00600001 000a0001 7065646974000000 00508002
			00340004 00000000 00000000 00000003 00000000 00000000 01000000
			ff03ffff 00000000 00000000 00000000 00000000 00000000
			00188005 00148006 00060001 00020000 00060002 00000000
			00300002 00090001 6373756d00000000 00208002
			001c0001 00000000 00000000 00000000 00000000 00000000 00000001`,
	},
	{
		name:     "matchall edits the packet's metadata",
		line:     "action skbedit priority 1:4 mark 0x10/0xf0",
		protocol: ProtocolAll,
		options: &Matchall{Actions: Actions{{Options: &Skbedit{
			Priority: ref(MakeHandle(1, 4)), Mark: ref[uint32](0x10), MarkMask: ref[uint32](0xf0), Control: ControlPipe.Ptr(),
		}}}},
		little: `48000200 44000100 0c000100 736b626564697400 34000280
			18000200 00000000 00000000 03000000 00000000 00000000
			08000300 04000100 08000500 10000000 08000800 f0000000`,
		big: `00480002 00440001 000c0001 736b626564697400 00348002
			00180002 00000000 00000000 00000003 00000000 00000000
			00080003 00010004 00080005 00000010 00080008 000000f0`,
	},
	{
		name:     "u32 follows a linked table",
		line:     "ht 2:3: link 4: match ip protocol 6 0xff offset plus 8 at 0 mask 0x0f00 shift 6 eat hashkey mask 0xffff at 20",
		protocol: ProtocolIPv4,
		options: &U32{Hash: 0x00203000, Link: 0x00400000, Keys: []U32Key{{Mask: 0xff0000, Value: 0x060000, Offset: 8}},
			Next: &U32Next{Fixed: true, Variable: true, Eat: true, Plus: 8, Mask: 0x0f00, Shift: 6, HashMask: 0xffff, HashAt: 20}},
		little: `08000300 00004000 | 08000200 00302000
			| 24000500 0e060100 0f000800 00001400 0000ffff 00ff0000 00060000 08000000 00000000`,
		big: `00080003 00400000 | 00080002 00203000
			| 00240005 0e060100 0f000008 00000014 0000ffff 00ff0000 00060000 00000008 00000000`,
	},
}

func TestFilterGolden(t *testing.T) {
	for _, test := range filterGolden {
		for _, way := range []struct {
			order binary.ByteOrder
			hex   string
		}{{binary.LittleEndian, test.little}, {binary.BigEndian, test.big}} {
			t.Run(test.name+" "+way.order.String(), func(t *testing.T) {
				want := fromHex(t, way.hex)
				if diff := cmp.Diff(hex.EncodeToString(want), hex.EncodeToString(encoded(t, way.order, test.options))); diff != "" {
					t.Errorf("encoded (-want +got):\n%s", diff)
				}
				got := decodeOptions(filterKinds, test.options.Kind(), &value{way.order, want})
				if diff := cmp.Diff(test.options, got, sameOptions); diff != "" {
					t.Errorf("decoded (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Words make the bytes that tc(8) makes of them.
func TestFilterGoldenWords(t *testing.T) {
	for _, test := range filterGolden {
		t.Run(test.name, func(t *testing.T) {
			o, err := ParseFilterWords(test.options.Kind(), strings.Fields(test.line), testDevices)
			if err != nil {
				t.Fatal(err)
			}
			if fw, ok := o.(*Fw); ok {
				fw.Mask = 0xff // stands with the handle, before the kind
			}
			f := Filter{Ifindex: 7, Parent: MakeHandle(1, 0), Pref: 10, Protocol: test.protocol, Kind: o.Kind(), Options: o}
			body, err := f.message(binary.LittleEndian)
			if err != nil {
				t.Fatal(err)
			}
			h, err := decodeHeader(binary.LittleEndian, body)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hex.EncodeToString(fromHex(t, test.little)), hex.EncodeToString(h.options.b)); diff != "" {
				t.Errorf("bytes (-want +got):\n%s", diff)
			}
		})
	}
}

// The header of a filter's message: preference and protocol share a word, the
// protocol in network order.
func TestFilterHeader(t *testing.T) {
	f := Filter{Ifindex: 7, Parent: IngressHook, Pref: 10, Protocol: ProtocolAll, Handle: 1, Chain: 3, Kind: "matchall", Options: &Matchall{}}
	for _, way := range []struct {
		order binary.ByteOrder
		hex   string
	}{
		{binary.LittleEndian, "00000000 07000000 01000000 f2ffffff 00030a00 | 0d000100 6d61746368616c6c00000000 | 08000b00 03000000 | 04000200"},
		{binary.BigEndian, "00000000 00000007 00000001 fffffff2 000a0003 | 000d0001 6d61746368616c6c00000000 | 0008000b 00000003 | 00040002"},
	} {
		body, err := f.message(way.order)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(hex.EncodeToString(fromHex(t, way.hex)), hex.EncodeToString(body)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", way.order, diff)
		}
		got, err := decodeFilter(way.order, body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got, sameOptions); diff != "" {
			t.Errorf("%v decoded (-want +got):\n%s", way.order, diff)
		}
	}
}
