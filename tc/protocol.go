// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "fmt"

// Ethernet protocols of filters, in host order (ETH_P_*, linux/if_ether.h).
const (
	ProtocolAll   uint16 = 0x0003
	ProtocolIPv4  uint16 = 0x0800
	ProtocolARP   uint16 = 0x0806
	ProtocolVLAN  uint16 = 0x8100
	ProtocolIPv6  uint16 = 0x86dd
	ProtocolQinQ  uint16 = 0x88a8
	ProtocolPPPoE uint16 = 0x8864 // session frames
)

var protocolWords = []struct {
	word     string
	protocol uint16
}{
	{"all", ProtocolAll}, {"ip", ProtocolIPv4}, {"ipv4", ProtocolIPv4}, {"arp", ProtocolARP}, {"802.1Q", ProtocolVLAN},
	{"ipv6", ProtocolIPv6}, {"ip6", ProtocolIPv6}, {"802.1ad", ProtocolQinQ}, {"ppp_ses", ProtocolPPPoE},
}

// protocolText is the tc(8) form, a number when there is no word.
func protocolText(p uint16) string {
	for _, known := range protocolWords {
		if known.protocol == p {
			return known.word
		}
	}
	return fmt.Sprintf("0x%04x", p)
}

// parseProtocol reads a protocol's word or number.
func parseProtocol(s string) (uint16, error) {
	for _, known := range protocolWords {
		if known.word == s {
			return known.protocol, nil
		}
	}
	n, err := parseU16(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a protocol, such as ip, ipv6, all or 0x0806", s)
	}
	return n, nil
}
