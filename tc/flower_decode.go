// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "net/netip"

func (f *Flower) decode(d decoder) error {
	return d.eachRaw(func(raw uint16, v value) {
		typ := raw & attrTypeMask
		if !f.decodeFilter(typ, v) && !f.decodeLink(typ, v) && !f.decodeIP(typ, v) && !f.decodePorts(typ, v) {
			f.Unknown = append(f.Unknown, RawAttr{raw, v.clone()})
		}
	})
}

// decodeFilter takes what is not a key.
func (f *Flower) decodeFilter(typ uint16, v value) bool {
	switch typ {
	case flowerClassID:
		f.ClassID = Handle(v.u32())
	case flowerAct:
		f.Actions = decodeActions(v.nested())
	case flowerFlags:
		f.Flags = v.u32()
	case flowerInHWCount:
	default:
		return false
	}
	return true
}

// decodeLink takes the keys below IP.
func (f *Flower) decodeLink(typ uint16, v value) bool {
	switch typ {
	case flowerInDev:
		f.InDev = v.str()
	case flowerEthType:
		f.EthType = v.be16()
	case flowerVLANID:
		f.VLANID = ref(v.u16())
	case flowerVLANEthType:
		f.VLANEthType = v.be16()
	case flowerEthDst:
		copy(mac(&f.DstMAC).Addr[:], v.b)
	case flowerEthDst + 1:
		copy(mac(&f.DstMAC).Mask[:], v.b)
	case flowerEthSrc:
		copy(mac(&f.SrcMAC).Addr[:], v.b)
	case flowerEthSrc + 1:
		copy(mac(&f.SrcMAC).Mask[:], v.b)
	default:
		return false
	}
	return true
}

// mac makes the address, without a mask all bits count.
func mac(field **FlowerMAC) *FlowerMAC {
	if *field == nil {
		*field = &FlowerMAC{Mask: [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}
	}
	return *field
}

// decodeIP takes the keys of IP.
func (f *Flower) decodeIP(typ uint16, v value) bool {
	switch typ {
	case flowerIPProto:
		f.IPProto = ref(v.u8())
	case flowerTOS:
		tos(&f.TOS).Value = v.u8()
	case flowerTOS + 1:
		tos(&f.TOS).Mask = v.u8()
	case flowerIPv4Src, flowerIPv6Src, flowerIPv4Src + 1, flowerIPv6Src + 1:
		return decodeAddr(&f.Src, typ%2 == 0, v)
	case flowerIPv4Dst, flowerIPv6Dst, flowerIPv4Dst + 1, flowerIPv6Dst + 1:
		return decodeAddr(&f.Dst, typ%2 == 0, v)
	default:
		return false
	}
	return true
}

func tos(field **FlowerByte) *FlowerByte {
	if *field == nil {
		*field = &FlowerByte{Mask: 0xff}
	}
	return *field
}

// decodeAddr takes an address or the mask that follows it.
func decodeAddr(field **FlowerAddr, isAddr bool, v value) bool {
	a, ok := netip.AddrFromSlice(v.b)
	if !ok {
		return false
	}
	if isAddr {
		*field = &FlowerAddr{Addr: a, Mask: FlowerPrefix(netip.PrefixFrom(a, a.BitLen())).Mask}
		return true
	}
	if *field == nil || (*field).Addr.BitLen() != a.BitLen() {
		return false
	}
	(*field).Mask = a
	return true
}

// decodePorts takes the ports of every protocol.
func (f *Flower) decodePorts(typ uint16, v value) bool {
	port := func(field **FlowerPort) *FlowerPort {
		if *field == nil {
			*field = &FlowerPort{Mask: 0xffff}
		}
		return *field
	}
	for _, p := range flowerPorts {
		switch typ {
		case p.src:
			port(&f.SrcPort).First, port(&f.SrcPort).Last = v.be16(), v.be16()
		case p.dst:
			port(&f.DstPort).First, port(&f.DstPort).Last = v.be16(), v.be16()
		case p.srcMask:
			port(&f.SrcPort).Mask = v.be16()
		case p.dstMask:
			port(&f.DstPort).Mask = v.be16()
		default:
			continue
		}
		return true
	}
	switch typ {
	case flowerSrcPortMin:
		port(&f.SrcPort).First = v.be16()
	case flowerSrcPortMin + 1:
		port(&f.SrcPort).Last = v.be16()
	case flowerDstPortMin:
		port(&f.DstPort).First = v.be16()
	case flowerDstPortMin + 1:
		port(&f.DstPort).Last = v.be16()
	default:
		return false
	}
	return true
}
