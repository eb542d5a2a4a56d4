// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/binary"
	"fmt"
)

// Packet is a UDP packet that the lab sends.
type Packet struct {
	Version int   `json:"version"` // of IP: 4 or 6
	DSCP    uint8 `json:"dscp"`    // 0 to 63
	Port    int   `json:"port"`    // destination
}

func (p Packet) String() string {
	text := fmt.Sprintf("IPv%d DSCP %d", p.Version, p.DSCP)
	if p.Port != probePort {
		text += fmt.Sprintf(" to port %d", p.Port)
	}
	return text
}

// probePort is a port without a meaning to any recipe.
const probePort = 40000

// servicePorts are the ports that simple.qos knows: DNS and NTP.
var servicePorts = []int{53, 123}

// probes are the packets sent out of (or into) a shaped device: every DSCP, and what leaves to a known service.
func probes(d Direction) []Packet {
	var packets []Packet
	for _, version := range []int{4, 6} {
		for dscp := range uint8(64) {
			packets = append(packets, Packet{Version: version, DSCP: dscp, Port: probePort})
		}
		if d == Egress {
			for _, port := range servicePorts {
				packets = append(packets, Packet{Version: version, Port: port})
			}
		}
	}
	return packets
}

// header gives the packet as tc's filters see it, from the network header on. Addresses are documentation addresses
// (RFC 5737, RFC 3849); the IPv6 one has no byte that the recipes' stray source address match looks for.
func (p Packet) header() []byte {
	const udp = 17
	transport := make([]byte, 8)
	binary.BigEndian.PutUint16(transport[0:], probePort+1)
	binary.BigEndian.PutUint16(transport[2:], uint16(p.Port))
	if p.Version == 4 {
		ip := make([]byte, 20)
		ip[0], ip[1], ip[8], ip[9] = 0x45, p.DSCP<<2, 64, udp
		copy(ip[12:], []byte{192, 0, 2, 1, 192, 0, 2, 2})
		return append(ip, transport...)
	}
	ip := make([]byte, 40)
	binary.BigEndian.PutUint32(ip, 6<<28|uint32(p.DSCP)<<22)
	ip[6], ip[7] = udp, 64
	copy(ip[8:], []byte{0x20, 0x01, 0x0d, 0xb8})
	copy(ip[24:], []byte{0x20, 0x01, 0x0d, 0xb8})
	return append(ip, transport...)
}

// protocol is the packet's EtherType as tc writes it.
func (p Packet) protocol() string {
	if p.Version == 4 {
		return "ip"
	}
	return "ipv6"
}
