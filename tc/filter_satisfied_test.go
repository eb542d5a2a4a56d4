// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the kernel chooses, counts or fills in does not make a filter another
// one; everything else does.
func TestFilterSatisfied(t *testing.T) {
	redirect := func(ifindex int) *Matchall { return &Matchall{Actions: Actions{RedirectTo(ifindex)}} }
	with := func(change func(*Matchall)) *Matchall {
		m := &Matchall{Actions: Actions{{Options: &Mirred{Ifindex: 2, Control: ControlStolen.Ptr()}, Index: 9, Stats: &Stats{Packets: 5}}}, Flags: NotInHardware}
		change(m)
		return m
	}
	dscp := U32DSCP(ProtocolIPv4, 46)
	for _, test := range []struct {
		name       string
		want, have Options
		satisfied  bool
	}{
		{"as dumped", redirect(2), with(func(*Matchall) {}), true},
		{"another device", redirect(3), with(func(*Matchall) {}), false},
		{"another control", redirect(2), with(func(m *Matchall) { m.Actions[0].Options.(*Mirred).Control = ControlPipe.Ptr() }), false},
		{"an action more", redirect(2), with(func(m *Matchall) { m.Actions = append(m.Actions, RedirectTo(3)) }), false},
		{"a class more", redirect(2), with(func(m *Matchall) { m.ClassID = 1 }), false},
		{"not in hardware", redirect(2), with(func(m *Matchall) { m.Flags |= SkipHardware }), false},
		{"a cookie more", redirect(2), with(func(m *Matchall) { m.Actions[0].Cookie = []byte{1} }), false},
		{"the index asked for", &Matchall{Actions: Actions{{Options: &Mirred{Ifindex: 2}, Index: 9}}}, with(func(*Matchall) {}), true},
		{"another index than asked for", &Matchall{Actions: Actions{{Options: &Mirred{Ifindex: 2}, Index: 8}}}, with(func(*Matchall) {}), false},
		{"another kind", redirect(2), &U32{}, false},
		{"an action that is not known", redirect(2), with(func(m *Matchall) { m.Actions[0].Options = &Raw{kind: "mirred"} }), false},

		{"ctinfo's counters", &Matchall{Actions: Actions{{Options: &CtInfo{DSCPMask: 0x3f}}}},
			&Matchall{Actions: Actions{{Options: &CtInfo{DSCPMask: 0x3f, Control: ControlPipe.Ptr(), DSCPSet: 7}}}}, true},
		{"skbedit of the whole mark", &Matchall{Actions: Actions{{Options: &Skbedit{Mark: ref[uint32](1), MarkMask: ref[uint32](0xffffffff)}}}},
			&Matchall{Actions: Actions{{Options: &Skbedit{Mark: ref[uint32](1)}}}}, true},
		{"skbedit of a part of the mark", &Matchall{Actions: Actions{{Options: &Skbedit{Mark: ref[uint32](1), MarkMask: ref[uint32](0xff)}}}},
			&Matchall{Actions: Actions{{Options: &Skbedit{Mark: ref[uint32](1)}}}}, false},
		{"pedit of another field", &Matchall{Actions: ClearDSCP(ProtocolIPv4)}, &Matchall{Actions: ClearDSCP(ProtocolIPv6)}, false},

		{"u32 in the table that the kernel made", &U32{Keys: []U32Key{dscp}, ClassID: 1}, &U32{Keys: []U32Key{dscp}, ClassID: 1, Terminal: true, Hash: 0x80100000}, true},
		{"u32 in a table of somebody's", &U32{Keys: []U32Key{dscp}, ClassID: 1}, &U32{Keys: []U32Key{dscp}, ClassID: 1, Terminal: true, Hash: 0x00100000}, false},
		{"u32 in a bucket", &U32{Keys: []U32Key{dscp}, ClassID: 1}, &U32{Keys: []U32Key{dscp}, ClassID: 1, Terminal: true, Hash: 0x80003000}, false},
		{"u32 without keys", &U32{ClassID: 1}, &U32{ClassID: 1, Terminal: true, Keys: []U32Key{{}}}, true},
		{"u32 with bits outside the mask", &U32{Keys: []U32Key{{Mask: 0xf0, Value: 0x11}}}, &U32{Keys: []U32Key{{Mask: 0xf0, Value: 0x10}}}, true},
		{"u32 with a key more", &U32{Keys: []U32Key{dscp}}, &U32{Keys: []U32Key{dscp, {Offset: 4}}}, false},
		{"u32 at another offset", &U32{Keys: []U32Key{dscp}}, &U32{Keys: []U32Key{{Mask: dscp.Mask, Value: dscp.Value, Offset: 4}}}, false},
		{"u32 that also looks at a mark", &U32{Keys: []U32Key{dscp}}, &U32{Keys: []U32Key{dscp}, Mark: &U32Mark{1, 1}}, false},
		{"a table of u32", &U32{Keys: []U32Key{{}}}, &U32{Divisor: 1}, false},

		{"fw without a mask", &Fw{ClassID: 1}, &Fw{ClassID: 1, Mask: 0xffffffff}, true},
		{"fw with another mask", &Fw{ClassID: 1, Mask: 0xff}, &Fw{ClassID: 1}, false},
		{"fw of another device", &Fw{ClassID: 1, InDev: "eth1"}, &Fw{ClassID: 1}, false},

		{"flower with the filter's protocol", &Flower{TOS: &FlowerByte{0xb9, 0xfc}}, &Flower{TOS: &FlowerByte{0xb8, 0xfc}, EthType: ProtocolIPv4, Flags: NotInHardware}, true},
		{"flower with another protocol", &Flower{EthType: ProtocolIPv6}, &Flower{EthType: ProtocolIPv4}, false},
		{"flower with an empty mask", &Flower{TOS: &FlowerByte{1, 0}, SrcMAC: &FlowerMAC{}, Src: FlowerPrefix(netip.MustParsePrefix("10.0.0.0/0"))}, &Flower{}, true},
		{"flower in the same network", &Flower{Src: FlowerPrefix(netip.MustParsePrefix("10.1.0.0/8"))}, &Flower{Src: FlowerPrefix(netip.MustParsePrefix("10.2.0.0/8"))}, true},
		{"flower in another network", &Flower{Src: FlowerPrefix(netip.MustParsePrefix("10.1.0.0/16"))}, &Flower{Src: FlowerPrefix(netip.MustParsePrefix("10.2.0.0/16"))}, false},
		{"flower from the other side", &Flower{Src: FlowerPrefix(netip.MustParsePrefix("10.1.0.0/16"))}, &Flower{Dst: FlowerPrefix(netip.MustParsePrefix("10.1.0.0/16"))}, false},
		{"flower with one port", &Flower{DstPort: &FlowerPort{First: 443}}, &Flower{DstPort: &FlowerPort{443, 443, 0xffff}}, true},
		{"flower with other ports", &Flower{DstPort: &FlowerPort{First: 443}}, &Flower{DstPort: &FlowerPort{443, 444, 0xffff}}, false},
		{"flower with any port", &Flower{}, &Flower{DstPort: &FlowerPort{443, 443, 0xffff}}, false},
		{"flower with a key that is not known", &Flower{}, &Flower{Unknown: []RawAttr{{95, []byte{1, 0, 0, 0}}}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Satisfied(test.want, test.have); got != test.satisfied {
				t.Errorf("%v, want %v", got, test.satisfied)
			}
		})
	}
}

// What tc(8) has no words for is written so that it cannot be read as something
// else.
func TestFilterWithoutWords(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{doing(&Pedit{Keys: []PeditKey{{Header: PeditIPv4, Offset: 20, Keep: 0xffffff00, Value: 1}}}), "action pedit ex munge ip+20 u32 set 0x1 retain 0xff"},
		{doing(&Pedit{Keys: []PeditKey{{Header: PeditEthernet, Keep: 0, Value: 1}}}), "action pedit ex munge eth+0 u32 set 0x1"},
		{doing(&Pedit{Keys: []PeditKey{{Header: 9, Offset: 4, Keep: 0, Value: 1}}}), "action pedit ex munge header9+4 u32 set 0x1"},
		{doing(&Raw{kind: "police", Data: []byte{1}}), "action police"},
		{doing(&Mirred{Ifindex: 99}), "action mirred egress redirect dev *"},
		{&Flower{Unknown: []RawAttr{{0x8000 | 84, []byte{1}}}}, "attr84 01"},
	} {
		if diff := cmp.Diff(test.want, strings.Join(test.options.Words(testDevices), " ")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	// Inverting some bits and setting others takes two keys.
	mixed := doing(&Pedit{Keys: []PeditKey{{Keep: 0xff00, Value: 0x1201}}})
	if diff := cmp.Diff("action pedit munge offset 0 u32 set 0x1 retain 0xffff00ff munge offset 0 u32 invert retain 0x1200", strings.Join(mixed.Words(nil), " ")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFilterEncodeErrors(t *testing.T) {
	many := make(Actions, 33)
	for i := range many {
		many[i] = Action{Options: &Gact{}}
	}
	big := make(Actions, 32)
	for i := range big {
		big[i] = Action{Options: &Pedit{Keys: make([]PeditKey, 128)}}
	}
	for _, test := range []struct {
		options Options
		want    string
	}{
		{&Matchall{Actions: many}, "33 actions, the kernel takes 32"},
		{&Matchall{Actions: big}, "actions of 99844 bytes, an attribute holds 65535"},
		{&Matchall{Actions: Actions{{}}}, "an action without options has no kind"},
		{&Matchall{Actions: Actions{{Options: &Gact{}, Cookie: make([]byte, 17)}}}, "cookie of 17 bytes, the kernel takes 16"},
		{doing(&Pedit{}), "pedit with 0 keys, the kernel takes 1 to 128"},
		{&U32{Keys: make([]U32Key, 129)}, "129 keys, the most are 128"},
		{&Flower{DstPort: &FlowerPort{First: 80}}, "ports need an ip_proto of tcp, udp or sctp"},
		{&Flower{Src: &FlowerAddr{Addr: netip.IPv6Unspecified(), Mask: netip.IPv4Unspecified()}}, "an address and its mask must be of one family"},
	} {
		_, err := FilterRequest(Add, Filter{Kind: test.options.Kind(), Options: test.options})
		if err == nil {
			t.Errorf("%s: no error", test.want)
			continue
		}
		if diff := cmp.Diff("filter "+test.options.Kind()+": "+test.want, err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
