// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"strings"

	"sqmd/shaping"
	"sqmd/uci"
)

// flowOffload looks for connections that take a way around the qdiscs.
func (x *examination) flowOffload() {
	switch {
	case !x.asks():
	case x.Firewall.HardwareOffload:
		x.find(hardwareOffload, "hardware flow offload is on: offloaded connections are neither shaped nor sorted",
			"flow_offloading and flow_offloading_hw are 1 in /etc/config/firewall",
			"uci set firewall.@defaults[0].flow_offloading_hw='0'; uci commit firewall; /etc/init.d/firewall restart")
	case x.Firewall.FlowOffload:
		x.find(softwareOffload, "software flow offload is on: shaping works, but DSCP set by firewall rules reaches only the first packets of a connection",
			"flow_offloading is 1 in /etc/config/firewall",
			"switch it off if firewall rules set DSCP for the upload, else nothing")
	}
}

// slowHTB is the rate in bit/s below which a super-packet under htb is felt.
const slowHTB = 10_000_000

// superPacketBytes is the largest that a super-packet gets (GSO_LEGACY_MAX_SIZE in
// linux/netdevice.h).
const superPacketBytes = 65536

// segmentation looks for super-packets that htb sends whole. Cake and tbf split
// them.
func (x *examination) segmentation(q Queue) {
	have, known := x.Offloads[q.Device]
	if !known {
		return
	}
	for _, s := range q.sides() {
		htb := !s.UsesCake() && (s.Recipe == uci.Simple || s.Recipe == uci.Simplest)
		on := have.joining(s)
		if !htb || s.rate == 0 || s.rate >= slowHTB || len(on) == 0 {
			continue
		}
		x.findOn(q, superPackets,
			fmt.Sprintf("htb sends super-packets of up to 64 KiB whole, which takes %d ms at the %s rate", superPacketBytes*8*1000/int64(s.rate), s.direction),
			fmt.Sprintf("%s on, as ethtool shows; %s %d kbit/s", strings.Join(on, " and "), s.direction, s.rate.Kbit()),
			fmt.Sprintf("set qdisc 'cake' in queue '%s'", s.Section))
	}
}

// joining are the offloads that make super-packets of what the side shapes.
func (o Offloads) joining(s side) []string {
	var on []string
	if s.direction == shaping.Download {
		if o.GRO {
			on = append(on, "gro")
		}
		return on
	}
	if o.TSO {
		on = append(on, "tso")
	}
	if o.GSO {
		on = append(on, "gso")
	}
	return on
}
