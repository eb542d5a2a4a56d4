// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func key(mask, value uint32, offset int32) U32Key {
	return U32Key{Mask: mask, Value: value, Offset: offset}
}

func next(k U32Key) U32Key { k.OffMask = -1; return k }

func matching(keys ...U32Key) *U32 {
	return &U32{Keys: keys, ClassID: MakeHandle(1, 0x12), Terminal: true}
}

func doing(actions ...Options) *Matchall {
	m := &Matchall{}
	for _, a := range actions {
		m.Actions = append(m.Actions, Action{Options: a})
	}
	return m
}

// filterLines are tc(8) words with what they mean, and how they are written when
// that differs.
var filterLines = []struct {
	line    string
	options Options
	written string
}{
	// u32: every field that "match" knows.
	{"match u32 0 0 flowid 1:12", matching(key(0, 0, 0)), "match u32 0x0 0x0 at 0 flowid 1:12"},
	{"match u32 0x1234 ffff at nexthdr+4 flowid 1:12", matching(next(key(0xffff, 0x1234, 4))), "match u32 0x1234 0xffff at nexthdr+4 flowid 1:12"},
	{"match u32 0x12345678 0xff00ff00 at -4 flowid 1:12", matching(key(0xff00ff00, 0x12005600, -4)), "match u32 0x12005600 0xff00ff00 at -4 flowid 1:12"},
	{"match u16 0x0800 ffff at -2 flowid 1:12", matching(key(0xffff, 0x0800, -4)), "match u32 0x800 0xffff at -4 flowid 1:12"},
	{"match u16 0x12 ff at 8 flowid 1:12", matching(key(0xff<<16, 0x12<<16, 8)), "match u32 0x120000 0xff0000 at 8 flowid 1:12"},
	{"match u8 6 ff at 9 flowid 1:12", matching(key(0xff<<16, 6<<16, 8)), "match u32 0x60000 0xff0000 at 8 flowid 1:12"},
	{"match u8 6 ff at 11 flowid 1:12", matching(key(0xff, 6, 8)), "match u32 0x6 0xff at 8 flowid 1:12"},
	{"match ip tos 0xb8 0xfc classid 1:12", matching(key(0xfc0000, 0xb80000, 0)), "match u32 0xb80000 0xfc0000 at 0 flowid 1:12"},
	{"match ip dsfield 0x00 0xfc flowid 1:12", matching(U32DSCP(ProtocolIPv4, 0)), "match u32 0x0 0xfc0000 at 0 flowid 1:12"},
	{"match ip6 priority 0x20 0xfc flowid 1:12", matching(U32DSCP(ProtocolIPv6, 8)), "match u32 0x2000000 0xfc00000 at 0 flowid 1:12"},
	{"match ip protocol 1 0xff flowid 1:12", matching(key(0xff0000, 0x010000, 8)), "match u32 0x10000 0xff0000 at 8 flowid 1:12"},
	{"match ip6 protocol 58 0xff flowid 1:12", matching(key(0xff00, 58<<8, 4)), "match u32 0x3a00 0xff00 at 4 flowid 1:12"},
	{"match ip ihl 5 f flowid 1:12", matching(key(0x0f000000, 0x05000000, 0)), "match u32 0x5000000 0xf000000 at 0 flowid 1:12"},
	{"match ip src 10.0.0.0/8 match ip dst 192.0.2.1 flowid 1:12", matching(key(0xff000000, 0x0a000000, 12), key(0xffffffff, 0xc0000201, 16)),
		"match u32 0xa000000 0xff000000 at 12 match u32 0xc0000201 0xffffffff at 16 flowid 1:12"},
	{"match ip dst 192.0.2.0/255.255.255.0 at 20 flowid 1:12", matching(key(0xffffff00, 0xc0000200, 20)), "match u32 0xc0000200 0xffffff00 at 20 flowid 1:12"},
	{"match ip src any flowid 1:12", matching(key(0, 0, 12)), "match u32 0x0 0x0 at 12 flowid 1:12"},
	{"match ip6 src 2001:db8::/33 flowid 1:12", matching(key(0xffffffff, 0x20010db8, 8), key(0x80000000, 0, 12)),
		"match u32 0x20010db8 0xffffffff at 8 match u32 0x0 0x80000000 at 12 flowid 1:12"},
	{"match ip6 dst 2001:db8::1/128 flowid 1:12", matching(key(0xffffffff, 0x20010db8, 24), key(0xffffffff, 0, 28), key(0xffffffff, 0, 32), key(0xffffffff, 1, 36)),
		"match u32 0x20010db8 0xffffffff at 24 match u32 0x0 0xffffffff at 28 match u32 0x0 0xffffffff at 32 match u32 0x1 0xffffffff at 36 flowid 1:12"},
	{"match ip sport 53 0xffff match ip dport 443 0xffff flowid 1:12", matching(key(0xffffffff, 53<<16|443, 20)), "match u32 0x3501bb 0xffffffff at 20 flowid 1:12"},
	{"match ip6 sport 53 0xffff flowid 1:12", matching(key(0xffff0000, 53<<16, 40)), "match u32 0x350000 0xffff0000 at 40 flowid 1:12"},
	{"match ip icmp_type 8 ff match ip icmp_code 0 ff flowid 1:12", matching(key(0xffff0000, 0x08000000, 20)), "match u32 0x8000000 0xffff0000 at 20 flowid 1:12"},
	{"match ip nofrag flowid 1:12", matching(key(0x3fff, 0, 4)), "match u32 0x0 0x3fff at 4 flowid 1:12"},
	{"match ip firstfrag match ip df flowid 1:12", matching(key(0x7fff, 0x6000, 4)), "match u32 0x6000 0x7fff at 4 flowid 1:12"},
	{"match ip6 flowlabel 0x12345 0xfffff flowid 1:12", matching(key(0xfffff, 0x12345, 0)), "match u32 0x12345 0xfffff at 0 flowid 1:12"},
	{"match tcp dst 80 0xffff match udp src 53 ffff flowid 1:12", matching(next(key(0xffffffff, 53<<16|80, 0))), "match u32 0x350050 0xffffffff at nexthdr+0 flowid 1:12"},
	{"match icmp type 3 ff flowid 1:12", matching(next(key(0xff000000, 0x03000000, 0))), "match u32 0x3000000 0xff000000 at nexthdr+0 flowid 1:12"},
	{"match ether src 02:00:00:00:00:01 flowid 1:12", matching(key(0xffffffff, 0x02000000, -8), key(0xffff0000, 0x00010000, -4)),
		"match u32 0x2000000 0xffffffff at -8 match u32 0x10000 0xffff0000 at -4 flowid 1:12"},
	{"match ether dst 02:00:00:00:00:01 flowid 1:12", matching(key(0xffff, 0x0200, -16), key(0xffffffff, 0x00000001, -12)),
		"match u32 0x200 0xffff at -16 match u32 0x1 0xffffffff at -12 flowid 1:12"},
	{"match mark 1 0xff flowid 1:12", &U32{Mark: &U32Mark{1, 0xff}, ClassID: MakeHandle(1, 0x12), Terminal: true},
		"match u32 0x0 0x0 at 0 match mark 0x1 0xff flowid 1:12"},
	// u32: tables.
	{"divisor 256", &U32{Divisor: 256}, ""},
	{"ht 1:6 order 5 match u32 0x1 0xff at 0 indev eth1 skip_hw", &U32{Hash: 0x106000, Order: 5, Keys: []U32Key{key(0xff, 1, 0)}, InDev: "eth1", Flags: SkipHardware},
		"ht 1:6 order 5 match u32 0x1 0xff at 0 indev eth1 skip_hw"},
	{"match ip protocol 6 0xff link 1: offset at 0 mask 0f00 shift 6 plus 0 eat",
		&U32{Link: 0x100000, Keys: []U32Key{key(0xff0000, 0x60000, 8)}, Next: &U32Next{Fixed: true, Variable: true, Eat: true, Mask: 0x0f00, Shift: 6}},
		"link 1: match u32 0x60000 0xff0000 at 8 offset plus 0 at 0 mask 0xf00 shift 6 eat"},
	{"link 1: hashkey mask 0x0000ffff at 20 match ip protocol 6 0xff",
		&U32{Link: 0x100000, Keys: []U32Key{key(0xff0000, 0x60000, 8)}, Next: &U32Next{HashMask: 0xffff, HashAt: 20}},
		"link 1: match u32 0x60000 0xff0000 at 8 hashkey mask 0xffff at 20"},

	// flower.
	{"ip_tos 0xb8/0xfc classid 1:12", &Flower{ClassID: MakeHandle(1, 0x12), TOS: &FlowerByte{0xb8, 0xfc}}, ""},
	{"ip_tos 10", &Flower{TOS: &FlowerByte{10, 0xff}}, "ip_tos 0xa/0xff"},
	{"ip_tos b8/fc", &Flower{TOS: &FlowerByte{0xb8, 0xfc}}, "ip_tos 0xb8/0xfc"},
	{"ip_proto udp src_ip 192.0.2.0/24 dst_ip 198.51.100.1 src_port 3478-3481 dst_port 443",
		&Flower{IPProto: ref[uint8](17), Src: FlowerPrefix(netip.MustParsePrefix("192.0.2.0/24")), Dst: FlowerPrefix(netip.MustParsePrefix("198.51.100.1/32")),
			SrcPort: &FlowerPort{3478, 3481, 0xffff}, DstPort: &FlowerPort{443, 443, 0xffff}},
		"ip_proto udp src_ip 192.0.2.0/24 dst_ip 198.51.100.1/32 src_port 3478-3481 dst_port 443"},
	{"ip_proto 2f dst_ip 2001:db8::/32", &Flower{IPProto: ref[uint8](47), Dst: FlowerPrefix(netip.MustParsePrefix("2001:db8::/32"))}, "ip_proto 0x2f dst_ip 2001:db8::/32"},
	{"ip_proto tcp dst_port 80/0xfff0", &Flower{IPProto: ref[uint8](6), DstPort: &FlowerPort{80, 80, 0xfff0}}, ""},
	{"vlan_id 7 vlan_ethtype ipv6 dst_mac 02:00:00:00:00:01 src_mac 02:00:00:00:00:00/16 indev eth1 skip_sw",
		&Flower{Flags: SkipSoftware, VLANID: ref[uint16](7), VLANEthType: ProtocolIPv6, InDev: "eth1",
			DstMAC: &FlowerMAC{[6]byte{2, 0, 0, 0, 0, 1}, [6]byte{255, 255, 255, 255, 255, 255}},
			SrcMAC: &FlowerMAC{[6]byte{2}, [6]byte{255, 255}}},
		"skip_sw indev eth1 vlan_id 7 vlan_ethtype ipv6 dst_mac 02:00:00:00:00:01 src_mac 02:00:00:00:00:00/ff:ff:00:00:00:00"},

	// fw and matchall.
	{"classid 1:12 indev eth1 action drop", &Fw{ClassID: MakeHandle(1, 0x12), InDev: "eth1", Actions: Actions{{Options: &Gact{Control: ControlShot.Ptr()}}}},
		"classid 1:12 indev eth1 action gact drop"},
	{"skip_hw flowid 1:12", &Matchall{ClassID: MakeHandle(1, 0x12), Flags: SkipHardware}, "skip_hw classid 1:12"},
	{"classid 12", &Matchall{ClassID: 0x12}, "classid 0:12"},

	// Actions.
	{"action mirred egress redirect dev ifb4eth1", doing(&Mirred{Ifindex: 2}), ""},
	{"action mirred ingress mirror dev eth1 continue", doing(&Mirred{Ifindex: 7, Mirror: true, Ingress: true, Control: ControlContinue.Ptr()}), ""},
	{"action ctinfo dscp 0xfc000000 0x1000000 action mirred egress redirect dev ifb4eth1",
		doing(&CtInfo{DSCPMask: 0xfc000000, DSCPStateMask: 0x01000000}, &Mirred{Ifindex: 2}), ""},
	{"action ctinfo dscp 63 cpmark zone 4 continue", doing(&CtInfo{DSCPMask: 63, CPMarkMask: 0xffffffff, Zone: 4, Control: ControlContinue.Ptr()}),
		"action ctinfo dscp 0x3f cpmark 0xffffffff zone 4 continue"},
	{"action ctinfo cpmark 0xff pipe", doing(&CtInfo{CPMarkMask: 0xff, Control: ControlPipe.Ptr()}), "action ctinfo cpmark 0xff"},
	{"action skbedit queue_mapping 3 priority :4 mark 0x10/0xf0 ptype multicast inheritdsfield pass",
		doing(&Skbedit{QueueMapping: ref[uint16](3), Priority: ref(Handle(4)), Mark: ref[uint32](0x10), MarkMask: ref[uint32](0xf0),
			PType: ref[uint16](2), InheritDSField: true, Control: ControlOK.Ptr()}),
		"action skbedit queue_mapping 3 priority 0:4 mark 0x10/0xf0 ptype multicast inheritdsfield pass"},
	{"action csum ip4h and tcp or udp pipe", doing(&Csum{Update: CsumIPv4 | CsumTCP | CsumUDP, Control: ControlPipe.Ptr()}), "action csum ip4h tcp udp pipe"},
	{"action pedit ex munge ip dsfield set 0 retain 0xfc pipe action csum ip4h pipe", &Matchall{Actions: ClearDSCP(ProtocolIPv4)},
		"action pedit ex munge ip dsfield set 0x0 retain 0xfc pipe action csum ip4h pipe"},
	{"action pedit ex munge ip6 traffic_class set 0 retain 0xfc pipe", &Matchall{Actions: ClearDSCP(ProtocolIPv6)},
		"action pedit ex munge ip6 traffic_class set 0x0 retain 0xfc pipe"},
	{"action pedit munge ip tos set 0x10 retain 0x1e", doing(&Pedit{Keys: []PeditKey{{Keep: 0xffe1ffff, Value: 0x00100000}}}),
		"action pedit munge offset 0 u32 set 0x100000 retain 0x1e0000"},
	{"action pedit munge offset 0 u8 invert munge offset 2 u16 set 0xff munge offset -14 u8 clear munge offset 8 u32 preserve",
		doing(&Pedit{Keys: []PeditKey{{Keep: 0xffffffff, Value: 0xff000000}, {Keep: 0xffff0000, Value: 0xff},
			{Keep: 0xffff00ff, Offset: -16}, {Keep: 0xffffffff, Offset: 8}}}),
		"action pedit munge offset 0 u32 invert retain 0xff000000 munge offset 0 u32 set 0xff retain 0xffff " +
			"munge offset -16 u32 set 0x0 retain 0xff00 munge offset 8 u32 set 0x0 retain 0x0"},
	{"action pedit ex munge ip ttl decrement munge tcp dport set 8080 munge udp sport add 1 munge ip6 hoplimit set 64 munge offset 0 u32 set 1",
		doing(&Pedit{Keys: []PeditKey{
			{Header: PeditIPv4, Offset: 8, Add: true, Keep: 0x00ffffff, Value: 0xff000000},
			{Header: PeditTCP, Keep: 0xffff0000, Value: 8080},
			{Header: PeditUDP, Add: true, Keep: 0x0000ffff, Value: 1 << 16},
			{Header: PeditIPv6, Offset: 4, Keep: 0xffffff00, Value: 64},
			{Keep: 0, Value: 1},
		}}),
		"action pedit ex munge ip ttl add 0xff munge tcp dport set 0x1f90 munge udp sport add 0x1 munge ip6 hoplimit set 0x40 munge offset 0 u32 set 0x1"},
	{"action pedit ex munge ip src set 10.0.0.1 munge ip dst set 192.0.2.0 retain 0xffffff00",
		doing(&Pedit{Keys: []PeditKey{{Header: PeditIPv4, Offset: 12, Value: 0x0a000001}, {Header: PeditIPv4, Offset: 16, Keep: 0xff, Value: 0xc0000200}}}), ""},
	{"action pedit munge offset 4 u32 at 0 0f 2 set 7", doing(&Pedit{Keys: []PeditKey{{Offset: 4, OffMask: 0x0f, Shift: 2, Value: 7}}}),
		"action pedit munge offset 4 u32 at 0 0xf 2 set 0x7"},
	{"action gact goto chain 5 action gact jump 2 action gact pass random determ drop 10 action trap",
		doing(&Gact{Control: GotoChain(5).Ptr()}, &Gact{Control: Jump(2).Ptr()},
			&Gact{Control: ControlOK.Ptr(), Random: &GactRandom{Counted: true, Every: 10, Control: ControlShot}}, &Gact{Control: ControlTrap.Ptr()}),
		"action gact goto chain 5 action gact jump 2 action gact pass random determ drop 10 action gact trap"},
	{"action ok index 4 cookie 00ff", &Matchall{Actions: Actions{{Options: &Gact{Control: ControlOK.Ptr()}, Index: 4, Cookie: []byte{0, 0xff}}}},
		"action gact pass index 4 cookie 00ff"},
}

func TestFilterWords(t *testing.T) {
	for _, test := range filterLines {
		t.Run(test.options.Kind()+" "+test.line, func(t *testing.T) {
			got, err := ParseFilterWords(test.options.Kind(), strings.Fields(test.line), testDevices)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.options, got, sameOptions); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			written := test.written
			if written == "" {
				written = test.line
			}
			if diff := cmp.Diff(written, strings.Join(got.Words(testDevices), " ")); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			again, err := ParseFilterWords(test.options.Kind(), strings.Fields(written), testDevices)
			if err != nil {
				t.Fatalf("reading what was written: %v", err)
			}
			if !Satisfied(got, again) || !Satisfied(again, got) {
				t.Errorf("what was written means something else (-read +written):\n%s", cmp.Diff(got, again, sameOptions))
			}
		})
	}
}

func TestFilterWordErrors(t *testing.T) {
	for _, test := range []struct{ kind, line, want string }{
		{"u32", "match", `u32: "match" needs a value`},
		{"u32", "match ipx src 1", `u32: match: there is no "ipx"`},
		{"u32", "match ip speed 1 1", `u32: match ip speed: there is no such field`},
		{"u32", "match ip tos 0x100 0xff", `u32: match ip tos: 0x100 with mask 0xff is more than 1 bytes`},
		{"u32", "match ip src 2001:db8::1", `u32: match ip src: "2001:db8::1" is not an IPv4 address`},
		{"u32", "match ip src 10.0.0.0/33", `u32: match ip src: "10.0.0.0/33" is not an IPv4 address`},
		{"u32", "match u32 1 1 at 2", `u32: match u32: offset 2 is not a multiple of 4`},
		{"u32", "match ip tos 0x10 0xff match ip tos 0x20 0xff", `u32: match ip tos: contradicts another match of the same bits`},
		{"u32", "match mark 3 1", `u32: match mark: 0x3 has bits outside of the mask 0x1`},
		{"u32", "flowid 1:1", `u32: needs "match" with something to match; all packets are "match u32 0 0"`},
		{"u32", "divisor 3", `u32: divisor: "3" is not a power of 2 from 1 to 256`},
		{"u32", "link 1", `u32: link: "1" is not a handle: table:bucket:node, hexadecimal`},
		{"u32", "match u32 0 0 flowid 1:10000", `u32: flowid: "1:10000" is not a handle: major:minor, hexadecimal`},
		{"u32", "match u32 0 0 offset at 1", `u32: offset "at" must be even`},
		{"u32", "mtch u32 0 0", `u32 has no option "mtch"; did you mean "match"?`},
		{"fw", "skip_hw", `fw has no option "skip_hw"`},
		{"flower", "dst_port 80", `flower: "dst_port" needs "ip_proto" tcp, udp or sctp before it`},
		{"flower", "ip_proto tcp dst_port 80-70", `flower: dst_port: "80-70" is not a port, a range or port/mask`},
		{"flower", "src_ip 10.0.0", `flower: src_ip: "10.0.0" is not an IPv4 address`},
		{"flower", "dst_mac 02:00", `flower: dst_mac: "02:00" is not a hardware address`},
		{"matchall", "action", `matchall: "action" needs a kind`},
		{"matchall", "action teleport", `matchall: unknown action "teleport"`},
		{"matchall", "action mirred egress redirect dev ifb9", `matchall: action mirred: dev: there is no device "ifb9"`},
		{"matchall", "action mirred egress dev eth1", `matchall: action mirred: needs "redirect" or "mirror" and "dev" with a device`},
		{"matchall", "action goto 5", `matchall: action gact: after "goto" comes "chain" and a number`},
		{"matchall", "action gact", `matchall: action gact: needs what to do, such as "pass" or "drop"`},
		{"matchall", "action gact pass random maybe drop 10", `matchall: action gact: random: "maybe" is neither "netrand" nor "determ"`},
		{"matchall", "action csum pipe", `matchall: action csum: needs what to renew, such as "ip4h"`},
		{"matchall", "action skbedit pipe", `matchall: action skbedit: needs what to change, such as "priority"`},
		{"matchall", "action pedit munge ip6 traffic_class set 0", `matchall: action pedit: munge ip6: no field "traffic_class" without "ex"`},
		{"matchall", "action pedit munge ip tos add 1", `matchall: action pedit: munge ip: add needs "ex"`},
		{"matchall", "action pedit munge ip tos set 256", `matchall: action pedit: munge ip: 0x100 does not fit into 1 bytes`},
		{"matchall", "action pedit munge offset 3 u16 clear", `matchall: action pedit: munge offset: u16 at 3 does not lie in one word`},
		{"matchall", "action pass cookie 1", `matchall: action gact: cookie: "1" is not up to 16 bytes in hexadecimal`},
		{"basic", "", `unknown filter kind "basic"`},
	} {
		t.Run(test.kind+" "+test.line, func(t *testing.T) {
			_, err := ParseFilterWords(test.kind, strings.Fields(test.line), testDevices)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
