// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"bytes"
	"errors"
	"net/netip"
)

// Attributes of flower (TCA_FLOWER_*, linux/pkt_cls.h).
const (
	flowerClassID     = 1
	flowerInDev       = 2
	flowerAct         = 3
	flowerEthDst      = 4 // the mask follows
	flowerEthSrc      = 6 // the mask follows
	flowerEthType     = 8
	flowerIPProto     = 9
	flowerIPv4Src     = 10 // the mask follows
	flowerIPv4Dst     = 12 // the mask follows
	flowerIPv6Src     = 14 // the mask follows
	flowerIPv6Dst     = 16 // the mask follows
	flowerFlags       = 22
	flowerVLANID      = 23
	flowerVLANEthType = 25
	flowerTOS         = 73 // the mask follows
	flowerInHWCount   = 86
	flowerSrcPortMin  = 87 // the maximum follows
	flowerDstPortMin  = 89 // the maximum follows
)

// flowerPorts are the attributes of ports, which depend on the IP protocol.
var flowerPorts = []struct {
	proto                      uint8
	src, dst, srcMask, dstMask uint16
}{
	{6, 18, 19, 35, 36}, {17, 20, 21, 37, 38}, {132, 41, 42, 39, 40},
}

// Flower matches fields of a packet's headers, tc-flower(8). All that are given
// must match.
type Flower struct {
	ClassID Handle // class that packets go to, 0 for none
	Actions Actions
	Flags   uint32 // SkipHardware ...
	InDev   string // only packets that arrived on this device, "" for any

	// EthType is the Ethernet protocol (0x0800 IPv4, 0x86dd IPv6); 0 takes the
	// filter's own.
	EthType        uint16
	SrcMAC, DstMAC *FlowerMAC
	VLANID         *uint16 // 0 to 4095; EthType is then 0x8100
	VLANEthType    uint16  // protocol behind the VLAN tag, 0 for any
	IPProto        *uint8  // 1 ICMP, 6 TCP, 17 UDP, 58 ICMPv6
	// TOS is the DS byte: the DSCP is its upper six bits.
	TOS      *FlowerByte
	Src, Dst *FlowerAddr
	// SrcPort and DstPort need an IPProto of TCP, UDP or SCTP.
	SrcPort, DstPort *FlowerPort

	// Unknown are the other attributes of a dump, as they came.
	Unknown []RawAttr
}

// FlowerMAC matches a hardware address: address & Mask == Addr & Mask.
type FlowerMAC struct{ Addr, Mask [6]byte }

// FlowerByte matches a byte: byte & Mask == Value & Mask.
type FlowerByte struct{ Value, Mask uint8 }

// FlowerAddr matches an IP address: address & Mask == Addr & Mask. Both are of
// one family.
type FlowerAddr struct{ Addr, Mask netip.Addr }

// FlowerPort matches the ports from First to Last; with a Mask, which is for one
// port only, those that equal First in its bits. Last 0 is First, Mask 0 is all
// bits.
type FlowerPort struct{ First, Last, Mask uint16 }

// RawAttr is a netlink attribute that this package does not know.
type RawAttr struct {
	Type uint16 // with its flag bits
	Data []byte
}

// FlowerPrefix matches the addresses of a prefix.
func FlowerPrefix(p netip.Prefix) *FlowerAddr {
	mask := make([]byte, p.Addr().BitLen()/8)
	for i := 0; i < p.Bits(); i++ {
		mask[i/8] |= 0x80 >> (i % 8)
	}
	m, _ := netip.AddrFromSlice(mask)
	return &FlowerAddr{p.Addr(), m}
}

// Kind is "flower".
func (f *Flower) Kind() string { return "flower" }

// encode keeps the order of tc(8) in what stands behind the keys.
func (f *Flower) encode(e *encoder) error {
	if f.InDev != "" {
		e.str(flowerInDev, f.InDev)
	}
	for _, mac := range []struct {
		typ uint16
		v   *FlowerMAC
	}{{flowerEthDst, f.DstMAC}, {flowerEthSrc, f.SrcMAC}} {
		if mac.v != nil {
			e.bytes(mac.typ, mac.v.Addr[:])
			e.bytes(mac.typ+1, mac.v.Mask[:])
		}
	}
	if f.VLANID != nil {
		e.u16(flowerVLANID, *f.VLANID) // host order, in spite of the header
	}
	if f.VLANEthType != 0 {
		e.be16(flowerVLANEthType, f.VLANEthType)
	}
	if f.IPProto != nil {
		e.u8(flowerIPProto, *f.IPProto)
	}
	if f.TOS != nil {
		e.u8(flowerTOS, f.TOS.Value)
		e.u8(flowerTOS+1, f.TOS.Mask)
	}
	err := errors.Join(f.Src.encode(e, flowerIPv4Src, flowerIPv6Src), f.Dst.encode(e, flowerIPv4Dst, flowerIPv6Dst),
		f.encodePorts(e))
	if f.ClassID != 0 {
		e.u32(flowerClassID, uint32(f.ClassID))
	}
	err = errors.Join(err, f.Actions.encode(e, flowerAct))
	e.u32(flowerFlags, f.Flags&askedFlags)
	if f.EthType != 0 {
		e.be16(flowerEthType, f.EthType)
	}
	for _, a := range f.Unknown {
		e.bytes(a.Type, a.Data)
	}
	return err
}

func (a *FlowerAddr) encode(e *encoder, v4, v6 uint16) error {
	if a == nil {
		return nil
	}
	if !a.Addr.IsValid() || a.Addr.BitLen() != a.Mask.BitLen() {
		return errors.New("an address and its mask must be of one family")
	}
	typ := v6
	if a.Addr.Is4() {
		typ = v4
	}
	e.bytes(typ, a.Addr.AsSlice())
	e.bytes(typ+1, a.Mask.AsSlice())
	return nil
}

func (f *Flower) encodePorts(e *encoder) error {
	if f.SrcPort == nil && f.DstPort == nil {
		return nil
	}
	for _, p := range flowerPorts {
		if f.IPProto != nil && *f.IPProto == p.proto {
			f.SrcPort.encode(e, p.src, p.srcMask, flowerSrcPortMin)
			f.DstPort.encode(e, p.dst, p.dstMask, flowerDstPortMin)
			return nil
		}
	}
	return errors.New("ports need an ip_proto of tcp, udp or sctp")
}

func (p *FlowerPort) encode(e *encoder, exact, mask, least uint16) {
	if p == nil {
		return
	}
	switch n := p.normal(); {
	case n.First != n.Last:
		e.be16(least, n.First)
		e.be16(least+1, n.Last)
	default:
		e.be16(exact, n.First)
		if n.Mask != 0xffff {
			e.be16(mask, n.Mask)
		}
	}
}

// normal fills what was left open.
func (p FlowerPort) normal() FlowerPort {
	if p.Last == 0 {
		p.Last = p.First
	}
	if p.Mask == 0 {
		p.Mask = 0xffff
	}
	return p
}

func (f *Flower) satisfied(have Options) bool {
	h, ok := have.(*Flower)
	if !ok || len(f.Unknown) != len(h.Unknown) {
		return false
	}
	for i, a := range f.Unknown {
		if a.Type != h.Unknown[i].Type || !bytes.Equal(a.Data, h.Unknown[i].Data) {
			return false
		}
	}
	return f.ClassID == h.ClassID && f.Flags&askedFlags == h.Flags&askedFlags && f.InDev == h.InDev &&
		(f.EthType == 0 || f.EthType == h.EthType) && f.VLANEthType == h.VLANEthType && equal(f.VLANID, h.VLANID) &&
		equal(f.IPProto, h.IPProto) && equal(f.SrcMAC.normal(), h.SrcMAC.normal()) && equal(f.DstMAC.normal(), h.DstMAC.normal()) &&
		equal(f.TOS.normal(), h.TOS.normal()) && equal(f.Src.normal(), h.Src.normal()) && equal(f.Dst.normal(), h.Dst.normal()) &&
		samePort(f.SrcPort, h.SrcPort) && samePort(f.DstPort, h.DstPort) && f.Actions.satisfied(h.Actions)
}

func samePort(a, b *FlowerPort) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := a.normal(), b.normal()
	x.First, y.First = x.First&x.Mask, y.First&y.Mask
	x.Last, y.Last = x.Last&x.Mask, y.Last&y.Mask
	return x == y
}

// The kernel leaves a field out of the dump when its mask is empty, and gives
// back also the bits that do not count: normal is the field without both.

func (m *FlowerMAC) normal() *FlowerMAC {
	if m == nil || m.Mask == ([6]byte{}) {
		return nil
	}
	n := *m
	for i := range n.Addr {
		n.Addr[i] &= n.Mask[i]
	}
	return &n
}

func (b *FlowerByte) normal() *FlowerByte {
	if b == nil || b.Mask == 0 {
		return nil
	}
	return &FlowerByte{b.Value & b.Mask, b.Mask}
}

func (a *FlowerAddr) normal() *FlowerAddr {
	if a == nil || a.Mask.IsUnspecified() || a.Addr.BitLen() != a.Mask.BitLen() {
		return nil
	}
	addr, mask := a.Addr.AsSlice(), a.Mask.AsSlice()
	for i := range addr {
		addr[i] &= mask[i]
	}
	masked, _ := netip.AddrFromSlice(addr)
	return &FlowerAddr{masked, a.Mask}
}

// prepare takes the Ethernet protocol from the filter, as tc(8) does.
func (f *Flower) prepare(filter Filter) Filter {
	if f.EthType == 0 && filter.Protocol != ProtocolAll {
		whole := *f
		whole.EthType = filter.Protocol
		filter.Options = &whole
	}
	return filter
}
