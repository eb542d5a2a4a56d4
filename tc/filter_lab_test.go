// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
)

// kernelFilters are tc(8) lines: protocol, then handle if any, kind and words.
// "IFB" is a second device.
var kernelFilters = []string{
	"all matchall action mirred egress redirect dev IFB",
	"all matchall skip_hw action ctinfo dscp 0xfc000000 0x01000000 action mirred egress redirect dev IFB",
	"all matchall classid 1:10",
	"all handle 5 matchall flowid 1:10 action ok",
	"all matchall action ctinfo dscp 0x3f cpmark 0xff zone 4 continue",
	"all matchall action ctinfo cpmark",
	"all matchall action mirred egress mirror dev IFB action gact drop",
	"all matchall action mirred ingress redirect dev IFB",
	"all matchall action mirred ingress mirror dev IFB continue",
	"all matchall action gact pass random determ drop 10",
	"all matchall action gact pipe random netrand reclassify 7 action gact goto chain 3",
	"all matchall action continue index 77",
	"all matchall action pass cookie 00112233445566778899aabbccddeeff",
	"all matchall action skbedit priority 1:4 mark 0x10/0xf0",
	"all matchall action skbedit inheritdsfield ptype host pass",
	"all matchall action skbedit mark 7",
	"ip matchall action pedit ex munge ip dsfield set 0 retain 0xfc pipe action csum ip4h",
	"ip matchall action pedit munge ip tos set 0x10 retain 0x1e pipe action csum ip4h and tcp or udp continue",
	"ipv6 matchall action pedit ex munge ip6 traffic_class set 0x20 retain 0xfc",
	"ipv6 matchall action pedit ex munge ip6 hoplimit decrement munge ip6 nexthdr invert munge ip6 payload_len preserve munge ip6 flow_lbl set 5",
	"ip matchall action pedit ex munge ip ttl decrement munge tcp dport set 8080 munge tcp flags set 2 retain 2 munge udp sport add 1 munge eth type set 0x88b5",
	"ip matchall action pedit munge offset 0 u8 invert munge offset 2 u16 set 0x1234 munge offset 1 u16 set 1 retain 0x0f0f munge offset 8 u32 set 0x01020304 retain 0x00ffff00",
	"ip matchall action pedit munge offset -14 u16 clear munge offset 4 u32 at 0 0f 2 set 7",
	"ip matchall action pedit ex munge offset 0 u32 add 5 munge ip src set 10.0.0.1 munge ip dst set 192.0.2.0 retain 0xffffff00",
	"ip matchall action csum ip4h icmp igmp tcp udp udplite sctp",

	"all u32 match u32 0 0 flowid 1:10 action mirred egress redirect dev IFB",
	"ip u32 match ip tos 0xb8 0xfc flowid 1:11",
	"ip u32 match ip dsfield 0x00 0xfc match ip protocol 6 0xff flowid 1:11",
	"ipv6 u32 match ip6 priority 0xb8 0xfc flowid 1:11",
	"ipv6 u32 match ip6 protocol 58 0xff match ip6 flowlabel 0x12345 0xfffff match ip6 icmp_type 128 ff flowid 1:11",
	"ipv6 u32 match ip6 src 2001:db8::/33 match ip6 dst 2001:db8::1/128 match ip6 sport 53 0xffff match ip6 dport 53 0xffff flowid 1:11",
	"ip u32 match ip src 10.0.0.0/8 match ip dst 192.0.2.1 match ip sport 53 ffff match ip dport 443 ffff flowid 1:11",
	"ip u32 match ip src any flowid 1:11",
	"ip u32 match ip ihl 5 f match ip firstfrag match ip df match ip icmp_type 3 ff match ip icmp_code 1 ff flowid 1:11",
	"ip u32 match ip nofrag match ip precedence 0x20 0xe0 flowid 1:11",
	"ip u32 match ip mf flowid 1:11 action drop",
	"ip u32 match tcp dst 80 0xffff match udp src 53 ffff flowid 1:11",
	"ip u32 match icmp type 8 ff match icmp code 0 ff flowid 1:11",
	"all u32 match ether src 02:00:00:00:00:01 match ether dst 02:00:00:00:00:02 flowid 1:11",
	"all u32 match u16 0x0800 ffff at -2 match u8 5 0f at 0 match u8 6 ff at 9 match u8 7 ff at 10 match u8 8 ff at 11 flowid 1:11",
	"all u32 match u32 0x12345678 ff00ff00 at nexthdr+4 flowid 1:11",
	"all u32 match mark 1 0xff match u32 0 0 flowid 1:11",
	"all u32 match u32 0 0 order 5 flowid 1:11",
	"all u32 skip_hw match u32 0 0 indev IFB classid 1:11",
	"all u32 match u32 1 1 at 4",
	"ip u32 match u32 0 0 offset at 0 mask 0f00 shift 6 plus 4 eat hashkey mask 0x0000ffff at 20",

	"ip flower ip_tos 0xb8/0xfc classid 1:11",
	"ip flower ip_tos 10 classid 1:11",
	"ip flower ip_proto udp src_ip 192.0.2.0/24 dst_ip 198.51.100.1 src_port 3478-3481 dst_port 443 classid 1:11",
	"ipv6 flower ip_proto tcp dst_ip 2001:db8::/33 src_ip 2001:db8::1 dst_port 80/0xfff0 classid 1:11",
	"ipv6 flower ip_proto 3a classid 1:11",
	"ip flower ip_proto sctp src_port 9 dst_port 7-8 classid 1:11",
	"802.1Q flower vlan_id 7 vlan_ethtype ip dst_ip 10.0.0.1 classid 1:11",
	"all flower dst_mac 02:00:00:00:00:01 src_mac 02:00:00:00:00:00/16 skip_hw indev IFB action mirred egress redirect dev IFB",
	// Keys that are kept as they come.
	"ip flower ct_state +trk+est ct_mark 0x10/0xf0 ip_ttl 64 classid 1:11",

	"ip handle 1/0xff fw classid 1:11",
	"ipv6 handle 2 fw flowid 1:12 indev IFB action ok",
	"arp handle 3 fw classid 1:13 action mirred egress redirect dev IFB",
}

// readFilterLine reads a line; the filter has no options when this package has
// no words for its keys.
func readFilterLine(t *testing.T, line string, names Names) Filter {
	t.Helper()
	list := strings.Fields(line)
	protocol, err := parseProtocol(list[0])
	if err != nil {
		t.Fatal(err)
	}
	handle := "0"
	if list = list[1:]; list[0] == "handle" {
		handle, list = list[1], list[2:]
	}
	f := Filter{Protocol: protocol, Kind: list[0]}
	var mask uint32
	if handle != "0" {
		if f.Handle, mask, err = ParseFilterHandle(f.Kind, handle); err != nil {
			t.Fatal(err)
		}
	}
	f.Options, err = ParseFilterWords(f.Kind, list[1:], names)
	var unknown *UnknownWordError
	switch {
	case errors.As(err, &unknown) && unknown.Word == "ct_state":
		f.Options = nil
	case err != nil:
		t.Fatalf("%s: %v", line, err)
	}
	if fw, ok := f.Options.(*Fw); ok {
		fw.Mask = mask
	}
	return f
}

// filters gives the filters under a parent without what the kernel chooses and
// counts.
func (b *bench) filters(parent Handle) []Filter {
	b.t.Helper()
	list, err := b.conn.Filters(b.ifindex, parent)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range list {
		f := &list[i]
		var actions Actions
		switch o := f.Options.(type) {
		case *Matchall:
			actions, o.Flags = o.Actions, o.Flags&askedFlags
		case *Flower:
			actions, o.Flags = o.Actions, o.Flags&askedFlags
		case *Fw:
			actions = o.Actions
		case *U32:
			actions, o.Flags, o.Hash = o.Actions, o.Flags&askedFlags, o.hash()
			f.Handle &= u32NodeMask
		}
		for i := range actions {
			if actions[i].Stats == nil {
				b.t.Errorf("action %s has no statistics", actions[i].Options.Kind())
			}
			if actions[i].Index == 0 {
				b.t.Errorf("action %s has no index", actions[i].Options.Kind())
			}
			actions[i].Stats, actions[i].Index = nil, 0
		}
	}
	return list
}

func (b *bench) filter(mode Mode, f Filter) {
	b.t.Helper()
	f.Ifindex = b.ifindex
	r, err := FilterRequest(mode, f)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(r)
}

// sendingFilters are lines for packets on their way out: those that arrive have no queue yet, and newer kernels say so.
var sendingFilters = []string{"all matchall action skbedit priority 1:4 mark 0x10/0xf0 queue_mapping 2"}

// newFilterBench has a device with somewhere to hang filters, and another device.
func newFilterBench(t *testing.T, parent Handle) (*bench, devices) {
	t.Helper()
	b := newBench(t)
	second := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: "second0"}}
	if err := netlink.LinkAdd(second); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = netlink.LinkDel(second) })
	if parent == IngressHook {
		b.qdisc(Add, Qdisc{Parent: IngressParent, Handle: IngressHandle, Kind: "clsact"})
	} else {
		b.qdisc(Add, Qdisc{Parent: Root, Handle: parent, Kind: "htb", Options: &HTB{}})
	}
	return b, devices{b.name: b.ifindex, "second0": second.Attrs().Index}
}

// The kernel holds the same after tc(8) lines, after our reading of the lines,
// after the lines that we write for that, and after those that we write for the
// dump. The lines differ in their preference.
func TestKernelFilters(t *testing.T) {
	for _, parent := range []Handle{IngressHook, MakeHandle(1, 0)} {
		t.Run(parent.String(), func(t *testing.T) {
			b, names := newFilterBench(t, parent)
			where := strings.Join(parentWords(parent), " ")
			var lines []string
			var read []Filter
			kernelFilters := kernelFilters
			if parent != IngressHook {
				kernelFilters = slices.Concat(kernelFilters, sendingFilters)
			}
			for i, line := range kernelFilters {
				line = strings.ReplaceAll(line, "IFB", "second0")
				protocol, rest, _ := strings.Cut(line, " ")
				lines = append(lines, fmt.Sprintf("filter add dev %s %s protocol %s pref %d %s", b.name, where, protocol, i+1, rest))
				f := readFilterLine(t, line, names)
				f.Ifindex, f.Parent, f.Pref = b.ifindex, parent, uint16(i+1)
				read = append(read, f)
			}
			clear := "filter del dev " + b.name + " " + where
			b.tc(lines...)
			byTC := b.filters(parent)
			if len(byTC) != len(lines) {
				t.Fatalf("%d filters of %d", len(byTC), len(lines))
			}
			b.tc(clear)

			var ours, dumped []string
			for i := range read {
				if read[i].Options == nil { // put back what was dumped
					read[i].Options = byTC[i].Options
					ours, dumped = append(ours, lines[i]), append(dumped, lines[i])
				} else {
					ours = append(ours, strings.TrimPrefix(read[i].Command("add", names), "tc "))
					dumped = append(dumped, strings.TrimPrefix(byTC[i].Command("add", names), "tc "))
				}
				b.filter(Add, read[i])
				if !Satisfied(read[i].Options, byTC[i].Options) && !asksIndex(read[i].Options) {
					t.Errorf("%s: not satisfied with %v", lines[i], byTC[i].Options.Words(names))
				}
			}
			b.equal("by netlink", byTC, b.filters(parent))
			b.tc(clear)
			b.tc(ours...)
			b.equal("by our lines", byTC, b.filters(parent))
			b.tc(clear)
			b.tc(dumped...)
			b.equal("by the lines of the dump", byTC, b.filters(parent))
		})
	}
}

// asksIndex reports whether an action names its index, which the normalized dump
// lacks.
func asksIndex(o Options) bool {
	m, ok := o.(*Matchall)
	return ok && len(m.Actions) > 0 && m.Actions[0].Index != 0
}

// Linked hash tables of u32, by netlink and by tc(8), are the same; a dump of
// rules leaves the tables out; and a rule is deleted by its handle.
func TestKernelU32Tables(t *testing.T) {
	parent := MakeHandle(1, 0)
	b, names := newFilterBench(t, parent)
	lines := []string{
		"handle 1: u32 divisor 256",
		"handle 1:6:5 u32 ht 1:6: match ip dsfield 0xb8 0xfc flowid 1:11",
		"handle 800::7 u32 ht 800: link 1: hashkey mask 0x00ff0000 at 8 match ip protocol 0 0",
	}
	for _, line := range lines {
		b.tc("filter add dev " + b.name + " parent 1: protocol ip pref 10 " + line)
	}
	dump := func() []Filter {
		list, err := b.conn.Filters(b.ifindex, parent)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	byTC := dump()
	if len(byTC) != 2 {
		t.Fatalf("%d rules, want 2", len(byTC))
	}
	b.tc("filter del dev " + b.name + " parent 1:")
	for _, line := range lines {
		f := readFilterLine(t, "ip "+line, names)
		f.Parent, f.Pref = parent, 10
		b.filter(Add, f)
	}
	b.equal("by netlink", byTC, dump())

	rule := byTC[1]
	rule.Ifindex = b.ifindex
	b.do(FilterDelete(rule))
	b.equal("after deleting one", byTC[:1], dump())
}
