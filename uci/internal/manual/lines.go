// SPDX-License-Identifier: GPL-2.0-or-later

package manual

// Line is what people are told about a preset of link_preset.
type Line struct {
	Name    string // of the preset
	Label   string // a few words, as people call their line
	Summary string // one sentence
	Source  string // where overhead and mpu come from
}

// Lines are those of all presets, in the order in which a page would show them.
var Lines = []Line{
	{Name: "pppoe-vdsl2", Label: "VDSL2 with PPPoE",
		Summary: "VDSL2 with PPPoE.",
		Source:  "tc-cake(8) pppoe-ptm; IEEE 802.3, clause 61.3: S 1, Ck 1, TC-CRC 2; RFC 2516: 8; smallest frame 64"},
	{Name: "pppoe-vlan-vdsl2", Label: "VDSL2 with VLAN and PPPoE",
		Summary: "VDSL2 with PPPoE inside a VLAN.",
		Source:  "tc-cake(8) pppoe-ptm ether-vlan; as pppoe-vdsl2, IEEE 802.1Q: tag 4"},
	{Name: "bridged-ptm", Label: "VDSL2 with DHCP",
		Summary: "VDSL2 without PPPoE (DHCP).",
		Source:  "tc-cake(8) bridged-ptm; IEEE 802.3, clause 61.3: S 1, Ck 1, TC-CRC 2; smallest frame 64"},
	{Name: "bridged-vlan-ptm", Label: "VDSL2 with VLAN and DHCP",
		Summary: "VDSL2 without PPPoE, inside a VLAN.",
		Source:  "tc-cake(8) bridged-ptm ether-vlan; as bridged-ptm, IEEE 802.1Q: tag 4"},
	{Name: "docsis", Label: "Cable (DOCSIS)",
		Summary: "Cable television line (DOCSIS), where the head-end counts Ethernet frames.",
		Source:  "tc-cake(8) docsis; IEEE 802.3: header 14, FCS 4"},
	{Name: "gpon", Label: "Fibre with DHCP",
		Summary: "Fibre (GPON, XGS-PON) with DHCP.",
		Source:  "IEEE 802.3: header 14, FCS 4, smallest frame 64; ITU-T G.987.3: XGEM header 8, padding up to 3, no preamble"},
	{Name: "gpon-vlan-pppoe", Label: "Fibre with VLAN and PPPoE",
		Summary: "Fibre with PPPoE inside a VLAN.",
		Source:  "as gpon; IEEE 802.1Q: tag 4; RFC 2516: 8"},
	{Name: "cellular", Label: "LTE/5G",
		Summary: "LTE or 5G: what the radio protocols add to each packet.",
		Source:  "3GPP TS 37.324: SDAP 1, TS 38.323: PDCP 3, TS 38.322: RLC 3, TS 38.321: MAC 3"},
	{Name: "ethernet", Label: "Ethernet",
		Summary: "A plain Ethernet cable is the bottleneck.",
		Source:  "tc-cake(8) ethernet; IEEE 802.3: header 14, FCS 4, preamble 8, gap 12"},
	{Name: "ether-vlan", Label: "Ethernet with VLAN",
		Summary: "An Ethernet cable with a VLAN tag is the bottleneck.",
		Source:  "tc-cake(8) ethernet ether-vlan; as ethernet, IEEE 802.1Q: tag 4"},
	{Name: "pppoe-llc", Label: "ADSL with PPPoE",
		Summary: "ADSL with PPPoE, LLC/SNAP (the usual one).",
		Source:  "tc-cake(8) pppoe-llcsnap; RFC 2516, RFC 2684, ITU-T I.363.5"},
	{Name: "pppoe-vcmux", Label: "ADSL with PPPoE, VC-MUX",
		Summary: "ADSL with PPPoE, VC-MUX.",
		Source:  "tc-cake(8) pppoe-vcmux; RFC 2516, RFC 2684, ITU-T I.363.5"},
	{Name: "pppoa-llc", Label: "ADSL with PPPoA, LLC",
		Summary: "ADSL with PPPoA, LLC.",
		Source:  "tc-cake(8) pppoa-llc; RFC 2364, ITU-T I.363.5"},
	{Name: "pppoa-vcmux", Label: "ADSL with PPPoA",
		Summary: "ADSL with PPPoA, VC-MUX.",
		Source:  "tc-cake(8) pppoa-vcmux; RFC 2364, ITU-T I.363.5"},
	{Name: "bridged-llc", Label: "ADSL, bridged",
		Summary: "ADSL with bridged Ethernet, LLC/SNAP.",
		Source:  "tc-cake(8) bridged-llcsnap; RFC 2684, ITU-T I.363.5"},
	{Name: "bridged-vcmux", Label: "ADSL, bridged, VC-MUX",
		Summary: "ADSL with bridged Ethernet, VC-MUX.",
		Source:  "tc-cake(8) bridged-vcmux; RFC 2684, ITU-T I.363.5"},
	{Name: "ipoa-llc", Label: "ADSL with IPoA",
		Summary: "ADSL with IP over ATM, LLC/SNAP.",
		Source:  "tc-cake(8) ipoa-llcsnap; RFC 2684, ITU-T I.363.5"},
	{Name: "ipoa-vcmux", Label: "ADSL with IPoA, VC-MUX",
		Summary: "ADSL with IP over ATM, VC-MUX.",
		Source:  "tc-cake(8) ipoa-vcmux; RFC 2684, ITU-T I.363.5"},
	{Name: "wireguard", Label: "WireGuard tunnel",
		Summary: "A WireGuard device whose tunnel itself is the bottleneck; for a tunnel that fills the line add the line's own overhead.",
		Source:  "RFC 8200: IPv6 40 (20 over IPv4); RFC 768: UDP 8; WireGuard protocol, 5.4.6: header 16, tag 16, without its padding to 16"},
	{Name: "conservative", Label: "Unknown line",
		Summary: "Unknown line: more than any common one needs, at the price of some speed.",
		Source:  "tc-cake(8) conservative"},
	{Name: "raw", Label: "No accounting",
		Summary: "No accounting.",
		Source:  "tc-cake(8) raw"},
}

// LineOf is the line of a preset; the zero Line if there is none.
func LineOf(preset string) Line {
	for _, l := range Lines {
		if l.Name == preset {
			return l
		}
	}
	return Line{}
}
