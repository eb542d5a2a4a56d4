// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "slices"

// Preset is what a kind of line adds to each IP packet.
type Preset struct {
	Name      string
	Aliases   []string // other names for it, among them those of tc-cake(8)
	LinkLayer LinkLayer
	Overhead  int    // bytes beyond the IP packet
	MPU       int    // bytes; what even the smallest packet takes, Overhead included
	Summary   string // one line for people
	Source    string // where Overhead and MPU come from
}

// The parts the figures are made of, in bytes.
const (
	ethernetHeader = 14            // addresses and EtherType; IEEE 802.3, clause 3
	ethernetFCS    = 4             // IEEE 802.3, clause 3
	ethernetMin    = 64            // smallest frame, header to FCS, with or without a VLAN tag; IEEE 802.3, clause 4A
	ethernetGap    = 8 + 12        // preamble with start delimiter, and the gap between frames; IEEE 802.3, clause 4A
	vlanTag        = 4             // IEEE 802.1Q, clause 9
	pppoe          = 6 + 2         // PPPoE header and PPP protocol; RFC 2516
	ptmFraming     = 1 + 1 + 2     // S, Ck and TC-CRC; IEEE 802.3, clause 61.3, ITU-T G.992.3, annex N
	xgemHeader     = 8             // of XG-PON and XGS-PON; G-PON's GEM has 5; ITU-T G.987.3 and G.984.3
	xgemPadding    = 3             // at most, to a multiple of 4; ITU-T G.987.3
	wireguard      = 8 + 16 + 16   // UDP, type with receiver and counter, authentication tag; WireGuard protocol, 5.4.6
	ipv6Header     = 40            // RFC 8200
	nrRadio        = 1 + 3 + 3 + 3 // SDAP, PDCP, RLC, MAC; 3GPP TS 37.324, 38.323, 38.322, 38.321
)

const (
	ethernetFrame = ethernetHeader + ethernetFCS
	gpon          = ethernetFrame + xgemHeader + xgemPadding
)

var presets = []Preset{
	{Name: "ethernet", LinkLayer: LinkEthernet, Overhead: ethernetFrame + ethernetGap, MPU: ethernetMin + ethernetGap,
		Summary: "A plain Ethernet cable is the bottleneck.",
		Source:  "tc-cake(8) ethernet; IEEE 802.3: header 14, FCS 4, preamble 8, gap 12"},
	{Name: "ether-vlan", LinkLayer: LinkEthernet, Overhead: ethernetFrame + ethernetGap + vlanTag, MPU: ethernetMin + ethernetGap,
		Summary: "An Ethernet cable with a VLAN tag is the bottleneck.",
		Source:  "tc-cake(8) ethernet ether-vlan; as ethernet, IEEE 802.1Q: tag 4"},
	{Name: "docsis", Aliases: []string{"cable"}, LinkLayer: LinkEthernet, Overhead: ethernetFrame, MPU: ethernetMin,
		Summary: "Cable television line (DOCSIS), where the head-end counts Ethernet frames.",
		Source:  "tc-cake(8) docsis; IEEE 802.3: header 14, FCS 4"},

	{Name: "pppoe-vdsl2", Aliases: []string{"pppoe-ptm"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + pppoe, MPU: ethernetMin + ptmFraming,
		Summary: "VDSL2 with PPPoE.",
		Source:  "tc-cake(8) pppoe-ptm; IEEE 802.3, clause 61.3: S 1, Ck 1, TC-CRC 2; RFC 2516: 8; smallest frame 64"},
	{Name: "pppoe-vlan-vdsl2", LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + pppoe + vlanTag, MPU: ethernetMin + ptmFraming,
		Summary: "VDSL2 with PPPoE inside a VLAN.",
		Source:  "tc-cake(8) pppoe-ptm ether-vlan; as pppoe-vdsl2, IEEE 802.1Q: tag 4"},
	{Name: "bridged-ptm", Aliases: []string{"ipoe-vdsl2", "bridged-vdsl2"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming, MPU: ethernetMin + ptmFraming,
		Summary: "VDSL2 without PPPoE (DHCP).",
		Source:  "tc-cake(8) bridged-ptm; IEEE 802.3, clause 61.3: S 1, Ck 1, TC-CRC 2; smallest frame 64"},
	{Name: "bridged-vlan-ptm", Aliases: []string{"ipoe-vlan-vdsl2"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + vlanTag, MPU: ethernetMin + ptmFraming,
		Summary: "VDSL2 without PPPoE, inside a VLAN.",
		Source:  "tc-cake(8) bridged-ptm ether-vlan; as bridged-ptm, IEEE 802.1Q: tag 4"},

	{Name: "pppoe-llc", Aliases: []string{"pppoe-llcsnap", "adsl-pppoe"}, LinkLayer: LinkATM, Overhead: 40,
		Summary: "ADSL with PPPoE, LLC/SNAP (the usual one).",
		Source:  "tc-cake(8) pppoe-llcsnap; RFC 2516, RFC 2684, ITU-T I.363.5"},
	{Name: "pppoe-vcmux", LinkLayer: LinkATM, Overhead: 32,
		Summary: "ADSL with PPPoE, VC-MUX.",
		Source:  "tc-cake(8) pppoe-vcmux; RFC 2516, RFC 2684, ITU-T I.363.5"},
	{Name: "pppoa-llc", LinkLayer: LinkATM, Overhead: 14,
		Summary: "ADSL with PPPoA, LLC.",
		Source:  "tc-cake(8) pppoa-llc; RFC 2364, ITU-T I.363.5"},
	{Name: "pppoa-vcmux", LinkLayer: LinkATM, Overhead: 10,
		Summary: "ADSL with PPPoA, VC-MUX.",
		Source:  "tc-cake(8) pppoa-vcmux; RFC 2364, ITU-T I.363.5"},
	{Name: "bridged-llc", Aliases: []string{"bridged-llcsnap"}, LinkLayer: LinkATM, Overhead: 32,
		Summary: "ADSL with bridged Ethernet, LLC/SNAP.",
		Source:  "tc-cake(8) bridged-llcsnap; RFC 2684, ITU-T I.363.5"},
	{Name: "bridged-vcmux", LinkLayer: LinkATM, Overhead: 24,
		Summary: "ADSL with bridged Ethernet, VC-MUX.",
		Source:  "tc-cake(8) bridged-vcmux; RFC 2684, ITU-T I.363.5"},
	{Name: "ipoa-llc", Aliases: []string{"ipoa-llcsnap"}, LinkLayer: LinkATM, Overhead: 16,
		Summary: "ADSL with IP over ATM, LLC/SNAP.",
		Source:  "tc-cake(8) ipoa-llcsnap; RFC 2684, ITU-T I.363.5"},
	{Name: "ipoa-vcmux", LinkLayer: LinkATM, Overhead: 8,
		Summary: "ADSL with IP over ATM, VC-MUX.",
		Source:  "tc-cake(8) ipoa-vcmux; RFC 2684, ITU-T I.363.5"},

	{Name: "gpon", Aliases: []string{"fibre", "fiber"}, LinkLayer: LinkEthernet, Overhead: gpon, MPU: ethernetMin + xgemHeader,
		Summary: "Fibre (GPON, XGS-PON) with DHCP.",
		Source:  "IEEE 802.3: header 14, FCS 4, smallest frame 64; ITU-T G.987.3: XGEM header 8, padding up to 3, no preamble"},
	{Name: "gpon-vlan-pppoe", Aliases: []string{"fibre-vlan-pppoe", "fiber-vlan-pppoe"}, LinkLayer: LinkEthernet, Overhead: gpon + vlanTag + pppoe, MPU: ethernetMin + xgemHeader,
		Summary: "Fibre with PPPoE inside a VLAN.",
		Source:  "as gpon; IEEE 802.1Q: tag 4; RFC 2516: 8"},

	{Name: "cellular", Aliases: []string{"lte", "5g"}, LinkLayer: LinkEthernet, Overhead: nrRadio,
		Summary: "LTE or 5G: what the radio protocols add to each packet.",
		Source:  "3GPP TS 37.324: SDAP 1, TS 38.323: PDCP 3, TS 38.322: RLC 3, TS 38.321: MAC 3"},
	{Name: "wireguard", LinkLayer: LinkEthernet, Overhead: ipv6Header + wireguard,
		Summary: "A WireGuard device whose tunnel itself is the bottleneck; for a tunnel that fills the line add the line's own overhead.",
		Source:  "RFC 8200: IPv6 40 (20 over IPv4); RFC 768: UDP 8; WireGuard protocol, 5.4.6: header 16, tag 16, without its padding to 16"},

	{Name: "conservative", LinkLayer: LinkATM, Overhead: 48,
		Summary: "Unknown line: more than any common one needs, at the price of some speed.",
		Source:  "tc-cake(8) conservative"},
	{Name: "raw", Aliases: []string{"none"}, LinkLayer: LinkNone,
		Summary: "No accounting.",
		Source:  "tc-cake(8) raw"},
}

// Presets gives the lines that the option link_preset knows.
func Presets() []Preset {
	all := slices.Clone(presets)
	for i := range all {
		all[i].Aliases = slices.Clone(all[i].Aliases)
	}
	return all
}

// presetNames gives the names, without the aliases.
func presetNames() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.Name)
	}
	return names
}

// presetAliases gives the other names of all presets.
func presetAliases() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.Aliases...)
	}
	return names
}

// presetByName finds a preset by its name or an alias.
func presetByName(name string) (Preset, bool) {
	for _, p := range presets {
		if p.Name == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return Preset{}, false
}
