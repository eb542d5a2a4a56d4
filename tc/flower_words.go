// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strconv"
	"strings"
)

var flowerProtoWords = []struct {
	word  string
	proto uint8
}{
	{"icmp", 1}, {"tcp", 6}, {"udp", 17}, {"icmpv6", 58}, {"sctp", 132},
}

// Words spells the options for tc-flower(8), which wants a protocol before its
// ports. An attribute that is not known is "attrN", which tc(8) does not read.
func (f *Flower) Words(names Names) []string {
	out := flagWords(f.Flags)
	add := func(w ...string) { out = append(out, w...) }
	if f.InDev != "" {
		add("indev", f.InDev)
	}
	if f.VLANID != nil {
		add("vlan_id", numberText(*f.VLANID))
	}
	if f.VLANEthType != 0 {
		add("vlan_ethtype", protocolText(f.VLANEthType))
	}
	if f.DstMAC != nil {
		add("dst_mac", f.DstMAC.text())
	}
	if f.SrcMAC != nil {
		add("src_mac", f.SrcMAC.text())
	}
	if f.IPProto != nil {
		add("ip_proto", ipProtoText(*f.IPProto))
	}
	if f.TOS != nil {
		add("ip_tos", hexText(f.TOS.Value)+"/"+hexText(f.TOS.Mask))
	}
	for _, a := range []struct {
		word string
		v    *FlowerAddr
	}{{"src_ip", f.Src}, {"dst_ip", f.Dst}} {
		if a.v != nil {
			add(a.word, a.v.text())
		}
	}
	for _, p := range []struct {
		word string
		v    *FlowerPort
	}{{"src_port", f.SrcPort}, {"dst_port", f.DstPort}} {
		if p.v != nil {
			add(p.word, p.v.text())
		}
	}
	for _, a := range f.Unknown {
		add(fmt.Sprintf("attr%d", a.Type&attrTypeMask), fmt.Sprintf("%x", a.Data))
	}
	return append(append(out, classWords(f.ClassID)...), f.Actions.words(names)...)
}

func (m *FlowerMAC) text() string {
	addr, mask := etherAddr(m.Addr).String(), etherAddr(m.Mask).String()
	if mask == "ff:ff:ff:ff:ff:ff" {
		return addr
	}
	return addr + "/" + mask
}

func ipProtoText(n uint8) string {
	for _, known := range flowerProtoWords {
		if known.proto == n {
			return known.word
		}
	}
	return hexText(n) // tc(8) reads it as hexadecimal
}

// text is a prefix when the mask is one, else address/mask.
func (a *FlowerAddr) text() string {
	bits := 0
	for _, b := range a.Mask.AsSlice() {
		for ; b&0x80 != 0; b <<= 1 {
			bits++
		}
	}
	if p, err := a.Addr.Prefix(bits); err == nil && FlowerPrefix(p).Mask == a.Mask {
		return a.Addr.String() + "/" + strconv.Itoa(bits)
	}
	return a.Addr.String() + "/" + a.Mask.String()
}

func (p *FlowerPort) text() string {
	switch n := p.normal(); {
	case n.First != n.Last:
		return fmt.Sprintf("%d-%d", n.First, n.Last)
	case n.Mask != 0xffff:
		return fmt.Sprintf("%d/%#x", n.First, n.Mask)
	default:
		return numberText(n.First)
	}
}

func (f *Flower) parse(w *words) error {
	return filterTable(wordTable{
		"indev":        to(&f.InDev, anyText),
		"vlan_id":      with(&f.VLANID, parseVLANID),
		"vlan_ethtype": to(&f.VLANEthType, parseProtocol),
		"dst_mac":      to(&f.DstMAC, parseFlowerMAC),
		"src_mac":      to(&f.SrcMAC, parseFlowerMAC),
		"ip_proto":     with(&f.IPProto, parseIPProto),
		"ip_tos":       to(&f.TOS, parseTOS),
		"src_ip":       to(&f.Src, parseFlowerAddr),
		"dst_ip":       to(&f.Dst, parseFlowerAddr),
		"src_port":     f.portWord(&f.SrcPort),
		"dst_port":     f.portWord(&f.DstPort),
	}, &f.ClassID, &f.Actions, &f.Flags).parse(w)
}

func (f *Flower) portWord(field **FlowerPort) func(*words) error {
	return func(w *words) error {
		word := w.list[w.at-1]
		for _, p := range flowerPorts {
			if f.IPProto != nil && *f.IPProto == p.proto {
				return to(field, parseFlowerPort)(w)
			}
		}
		return fmt.Errorf(`%q needs "ip_proto" tcp, udp or sctp before it`, word)
	}
}

func parseVLANID(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 12)
	if err != nil {
		return 0, fmt.Errorf("%q is not a VLAN from 0 to 4095", s)
	}
	return uint16(n), nil
}

func parseFlowerMAC(s string) (*FlowerMAC, error) {
	m := &FlowerMAC{Mask: [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}
	addr, mask, slash := strings.Cut(s, "/")
	if !slash {
		return m, readMAC(&m.Addr, addr)
	}
	if err := readMAC(&m.Addr, addr); err != nil {
		return nil, err
	}
	bits, err := strconv.ParseUint(mask, 10, 8)
	if err != nil {
		return m, readMAC(&m.Mask, mask)
	}
	if bits > 48 {
		return nil, fmt.Errorf("%q has more than 48 bits", s)
	}
	for i := range m.Mask {
		m.Mask[i] = ^byte(0xff >> min(max(int(bits)-8*i, 0), 8))
	}
	return m, nil
}

func readMAC(to *[6]byte, s string) error {
	m, err := parseMAC(s)
	*to = m
	return err
}

func parseIPProto(s string) (uint8, error) {
	for _, known := range flowerProtoWords {
		if known.word == s {
			return known.proto, nil
		}
	}
	n, err := parseHex32(s)
	if err != nil || n > 255 {
		return 0, fmt.Errorf("%q is not an IP protocol: a name or a hexadecimal number", s)
	}
	return uint8(n), nil
}

// parseTOS reads VALUE[/MASK] as tc(8) does: a value that is not decimal is
// hexadecimal, and the mask always.
func parseTOS(s string) (*FlowerByte, error) {
	value, mask, slash := strings.Cut(s, "/")
	if !slash {
		mask = "ff"
	}
	v, err := parseDecimal[uint32](value)
	if err != nil || v > 255 {
		v, err = parseHex32(value)
	}
	m, maskErr := parseHex32(mask)
	if err != nil || maskErr != nil || v > 255 || m > 255 {
		return nil, fmt.Errorf("%q is not a byte or byte/mask", s)
	}
	return &FlowerByte{uint8(v), uint8(m)}, nil
}

// parseFlowerAddr reads an address of either family.
func parseFlowerAddr(s string) (*FlowerAddr, error) {
	return parsePrefix(s, strings.Contains(s, ":"))
}

func parseFlowerPort(s string) (*FlowerPort, error) {
	bad := fmt.Errorf("%q is not a port, a range or port/mask", s)
	port := func(s string) uint16 {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return 0
		}
		return uint16(n)
	}
	if first, last, ok := strings.Cut(s, "-"); ok {
		p := &FlowerPort{First: port(first), Last: port(last), Mask: 0xffff}
		if p.First == 0 || p.Last <= p.First {
			return nil, bad
		}
		return p, nil
	}
	p := &FlowerPort{Mask: 0xffff}
	first, mask, slash := strings.Cut(s, "/")
	if slash {
		m, err := parseU16(mask)
		if err != nil || m == 0 {
			return nil, bad
		}
		p.Mask = m
	}
	if p.First = port(first); p.First == 0 {
		return nil, bad
	}
	p.Last = p.First
	return p, nil
}
