// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommand(t *testing.T) {
	inner := MakeHandle(1, 0)
	redirect := &Matchall{Actions: Actions{RedirectTo(2)}}
	for _, test := range []struct {
		object interface {
			Command(verb string, names Names) string
		}
		verb, want string
	}{
		{Qdisc{Ifindex: 7, Handle: MakeHandle(0x8cae, 0), Parent: Root, Kind: "cake", Options: &Cake{Rate: ref[uint64](12e6), NAT: ref[uint32](1)}},
			"replace", "tc qdisc replace dev eth1 root handle 8cae: cake bandwidth 12Mbit nat"},
		{Qdisc{Ifindex: 7, Handle: MakeHandle(0x110, 0), Parent: MakeHandle(1, 0x10), Kind: "fq_codel"},
			"add", "tc qdisc add dev eth1 parent 1:10 handle 110: fq_codel"},
		{Qdisc{Ifindex: 7, Handle: inner, Parent: Root, Kind: "htb", Options: &HTB{Default: 0x12},
			Stab: &SizeTable{LinkLayer: LinkATM, Overhead: 44, MPU: 68}},
			"add", "tc qdisc add dev eth1 root handle 1: stab mtu 2047 tsize 512 mpu 68 overhead 44 linklayer atm htb default 12"},
		{Qdisc{Ifindex: 7, Parent: IngressParent, Handle: IngressHandle, Kind: "clsact", Options: &None{"clsact"}}, "add", "tc qdisc add dev eth1 clsact"},
		{Qdisc{Ifindex: 7, Parent: IngressParent, Handle: IngressHandle, Kind: "ingress", IngressBlock: 3}, "add", "tc qdisc add dev eth1 ingress_block 3 ingress"},
		{Qdisc{Ifindex: 7, Parent: IngressParent, Handle: IngressHandle, Kind: "ingress"}, "delete", "tc qdisc delete dev eth1 ingress"},
		{Qdisc{Ifindex: 7, Parent: Root, Handle: MakeHandle(0x8cae, 0), Kind: "cake", Options: &Cake{}}, "delete", "tc qdisc delete dev eth1 root handle 8cae:"},
		{Qdisc{Ifindex: 9, Parent: Root, Kind: "cake"}, "add", "tc qdisc add dev 'wan;1' root cake"},
		{Qdisc{Ifindex: 5, Parent: Root, Kind: "cake"}, "add", "tc qdisc add dev '*' root cake"},
		{Qdisc{Ifindex: 7, Parent: Root, Kind: "skbprio", Options: &Raw{kind: "skbprio", Data: make([]byte, 4)}},
			"add", "tc qdisc add dev eth1 root skbprio # and 4 bytes of options that are not known"},

		{Class{Ifindex: 7, Parent: inner, Handle: MakeHandle(1, 1), Kind: "htb", Options: &HTBClass{Rate: 10e6, Ceil: 10e6}},
			"add", "tc class add dev eth1 parent 1: classid 1:1 htb rate 10Mbit ceil 10Mbit burst 1600b cburst 1600b"},
		{Class{Ifindex: 7, Parent: MakeHandle(1, 1), Handle: MakeHandle(1, 0x10), Kind: "htb"}, "delete", "tc class delete dev eth1 classid 1:10"},

		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolIPv4, Pref: 10, Kind: "u32", Options: &U32{Keys: []U32Key{U32DSCP(ProtocolIPv4, 46)}, ClassID: MakeHandle(1, 0x11)}},
			"add", "tc filter add dev eth1 parent 1: protocol ip pref 10 u32 match u32 0xb80000 0xfc0000 at 0 flowid 1:11"},
		{Filter{Ifindex: 7, Parent: IngressHook, Protocol: ProtocolAll, Pref: 10, Kind: "matchall", Options: redirect},
			"add", "tc filter add dev eth1 ingress protocol all pref 10 matchall action mirred egress redirect dev ifb4eth1"},
		{Filter{Ifindex: 7, Parent: EgressHook, Protocol: ProtocolAll, Pref: 10, Chain: 4, Kind: "matchall", Options: &Matchall{Actions: Actions{RedirectTo(5)}}},
			"add", "tc filter add dev eth1 egress protocol all pref 10 chain 4 matchall action mirred egress redirect dev '*'"},
		{Filter{Ifindex: 7, Parent: IngressHandle, Protocol: 0x1234, Pref: 10, Handle: 1, Kind: "matchall", Options: redirect},
			"delete", "tc filter delete dev eth1 parent ffff: protocol 0x1234 pref 10 handle 0x1 matchall"},
		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolIPv6, Pref: 4, Handle: 1, Kind: "fw", Options: &Fw{ClassID: MakeHandle(1, 0x11), Mask: 0xff}},
			"replace", "tc filter replace dev eth1 parent 1: protocol ipv6 pref 4 handle 0x1/0xff fw classid 1:11"},
		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolARP, Pref: 4, Handle: 1, Kind: "fw", Options: &Fw{ClassID: MakeHandle(1, 0x11)}},
			"add", "tc filter add dev eth1 parent 1: protocol arp pref 4 handle 0x1 fw classid 1:11"},
		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolIPv4, Pref: 4, Handle: 0x80001802, Kind: "u32", Options: &U32{Hash: 0x80001000}},
			"delete", "tc filter delete dev eth1 parent 1: protocol ip pref 4 handle 800:1:802 u32"},
		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolIPv4, Pref: 4, Kind: "u32"},
			"delete", "tc filter delete dev eth1 parent 1: protocol ip pref 4 u32"},
		{Filter{Ifindex: 7, Parent: inner, Protocol: ProtocolIPv4, Pref: 4, Kind: "flower", Options: &Flower{Unknown: []RawAttr{{95, []byte{1, 0, 0, 0}}}}},
			"add", "tc filter add dev eth1 parent 1: protocol ip pref 4 flower attr95 01000000"},
	} {
		if diff := cmp.Diff(test.want, test.object.Command(test.verb, testDevices)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"eth0.7": "eth0.7", "pppoe-wan": "pppoe-wan", "wan@if3": "wan@if3", "a b": "'a b'", "$(reboot)": "'$(reboot)'", "it's": `'it'\''s'`,
		"": "''", "*": "'*'", "ü": "'ü'", "nexthdr+4": "nexthdr+4",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

func TestRedirectsTo(t *testing.T) {
	for _, test := range []struct {
		actions Actions
		ifindex int
		ok      bool
	}{
		{nil, 0, false},
		{Actions{{Options: &CtInfo{DSCPMask: 0x3f}}, RedirectTo(2)}, 2, true},
		{Actions{{Options: &Mirred{Mirror: true, Ifindex: 2}}}, 0, false},
		{Actions{{Options: &Mirred{Ingress: true, Ifindex: 2}}}, 0, false},
	} {
		if ifindex, ok := test.actions.RedirectsTo(); ifindex != test.ifindex || ok != test.ok {
			t.Errorf("%v: %d, %v", test.actions, ifindex, ok)
		}
	}
}
