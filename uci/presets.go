// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "slices"

// Preset is what a kind of line adds to each IP packet.
type Preset struct {
	Name      string
	Aliases   []string // other names for it, among them those of tc-cake(8)
	LinkLayer LinkLayer
	Overhead  int // bytes beyond the IP packet
	MPU       int // bytes; what even the smallest packet takes, Overhead included
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
	{Name: "ethernet", LinkLayer: LinkEthernet, Overhead: ethernetFrame + ethernetGap, MPU: ethernetMin + ethernetGap},
	{Name: "ether-vlan", LinkLayer: LinkEthernet, Overhead: ethernetFrame + ethernetGap + vlanTag, MPU: ethernetMin + ethernetGap},
	{Name: "docsis", Aliases: []string{"cable"}, LinkLayer: LinkEthernet, Overhead: ethernetFrame, MPU: ethernetMin},

	{Name: "pppoe-vdsl2", Aliases: []string{"pppoe-ptm"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + pppoe, MPU: ethernetMin + ptmFraming},
	{Name: "pppoe-vlan-vdsl2", LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + pppoe + vlanTag, MPU: ethernetMin + ptmFraming},
	{Name: "bridged-ptm", Aliases: []string{"ipoe-vdsl2", "bridged-vdsl2"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming, MPU: ethernetMin + ptmFraming},
	{Name: "bridged-vlan-ptm", Aliases: []string{"ipoe-vlan-vdsl2"}, LinkLayer: LinkPTM, Overhead: ethernetFrame + ptmFraming + vlanTag, MPU: ethernetMin + ptmFraming},

	{Name: "pppoe-llc", Aliases: []string{"pppoe-llcsnap", "adsl-pppoe"}, LinkLayer: LinkATM, Overhead: 40},
	{Name: "pppoe-vcmux", LinkLayer: LinkATM, Overhead: 32},
	{Name: "pppoa-llc", LinkLayer: LinkATM, Overhead: 14},
	{Name: "pppoa-vcmux", LinkLayer: LinkATM, Overhead: 10},
	{Name: "bridged-llc", Aliases: []string{"bridged-llcsnap"}, LinkLayer: LinkATM, Overhead: 32},
	{Name: "bridged-vcmux", LinkLayer: LinkATM, Overhead: 24},
	{Name: "ipoa-llc", Aliases: []string{"ipoa-llcsnap"}, LinkLayer: LinkATM, Overhead: 16},
	{Name: "ipoa-vcmux", LinkLayer: LinkATM, Overhead: 8},

	{Name: "gpon", Aliases: []string{"fibre", "fiber"}, LinkLayer: LinkEthernet, Overhead: gpon, MPU: ethernetMin + xgemHeader},
	{Name: "gpon-vlan-pppoe", Aliases: []string{"fibre-vlan-pppoe", "fiber-vlan-pppoe"}, LinkLayer: LinkEthernet, Overhead: gpon + vlanTag + pppoe, MPU: ethernetMin + xgemHeader},

	{Name: "cellular", Aliases: []string{"lte", "5g"}, LinkLayer: LinkEthernet, Overhead: nrRadio},
	{Name: "wireguard", LinkLayer: LinkEthernet, Overhead: ipv6Header + wireguard},

	{Name: "conservative", LinkLayer: LinkATM, Overhead: 48},
	{Name: "raw", Aliases: []string{"none"}, LinkLayer: LinkNone},
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
