// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"strings"

	"sqmd/tc"
)

// lastOwnPref bounds the preferences of filters on our own htb root that belong
// to the recipe; others there are someone else's and stay.
const lastOwnPref = 99

// ipVersion is how one IP version is matched and washed with u32 and pedit. All
// offsets are from the network header.
type ipVersion struct {
	protocol uint16
	// dscpMask and dscpShift locate the DSCP in the header's first word.
	dscpMask  uint32
	dscpShift uint
	// udp matches UDP in an unfragmented packet without IP options; ports is
	// the offset of its ports.
	udp   string
	ports int
	wash  string
}

var ipVersions = []ipVersion{
	{
		protocol: tc.ProtocolIPv4, dscpMask: 0x00fc0000, dscpShift: 18,
		udp:   "match u32 0x05000000 0x0f000000 at 0 match u32 0x00000000 0x00001fff at 4 match u32 0x00110000 0x00ff0000 at 8",
		ports: 20,
		wash:  "action pedit ex munge ip dsfield set 0x0 retain 0xfc pipe action csum ip4h ok",
	},
	{
		protocol: tc.ProtocolIPv6, dscpMask: 0x0fc00000, dscpShift: 22,
		udp:   "match u32 0x00001100 0x0000ff00 at 4",
		ports: 40,
		wash:  "action pedit ex munge ip6 traffic_class set 0x0 retain 0xfc ok",
	},
}

func (v ipVersion) dscp(dscp uint8) string {
	return fmt.Sprintf("match u32 0x%08x 0x%08x at 0", uint32(dscp)<<v.dscpShift, v.dscpMask)
}

const matchAny = "match u32 0 0 at 0"

// filterList collects u32 filters on our htb root, in order.
type filterList struct{ filters []tc.Filter }

func (l *filterList) add(v ipVersion, match string, to tc.Handle, action string) {
	line := fmt.Sprintf("%s flowid %s %s", match, to, action)
	options, err := tc.ParseFilterWords("u32", strings.Fields(line), nil)
	if err != nil {
		// The words are this file's constants; the tests parse all of them.
		panic("shaping: " + err.Error())
	}
	l.filters = append(l.filters, tc.Filter{
		Parent: rootHandle, Pref: uint16(len(l.filters) + 1), Protocol: v.protocol, Kind: "u32", Options: options,
	})
}

// tierFilters choose the tier by DSCP. In the upload DNS and NTP go first
// whatever their DSCP; in the download, packets of all tiers lose their DSCP when
// wash is set, and those that have none are not touched for it.
func (s side) tierFilters(wash bool) []tc.Filter {
	l := &filterList{}
	tiers := map[tier]tc.Handle{priority: tc.MakeHandle(1, 0x11), bestEffort: tc.MakeHandle(1, 0x12), background: tc.MakeHandle(1, 0x13)}
	action := func(v ipVersion) string {
		if wash {
			return v.wash
		}
		return ""
	}
	if s.direction == Download {
		for _, v := range ipVersions {
			l.add(v, v.dscp(0), tiers[bestEffort], "")
		}
	}
	for _, entry := range s.direction.tiers() {
		for _, v := range ipVersions {
			l.add(v, v.dscp(entry.dscp), tiers[entry.tier], action(v))
		}
	}
	if s.direction == Upload {
		l.addServices(tiers[priority])
	}
	if wash {
		for _, v := range ipVersions {
			l.add(v, matchAny, tiers[bestEffort], v.wash)
		}
	}
	return l.filters
}

// addServices sends UDP from and to the priority ports to one class.
func (l *filterList) addServices(to tc.Handle) {
	for _, v := range ipVersions {
		for _, port := range priorityPorts {
			l.add(v, fmt.Sprintf("%s match u32 0x%08x 0xffff0000 at %d", v.udp, uint32(port)<<16, v.ports), to, "")
			l.add(v, fmt.Sprintf("%s match u32 0x%08x 0x0000ffff at %d", v.udp, port, v.ports), to, "")
		}
	}
}

// washAll clears the DSCP of all packets that have one, under a single class.
func (s side) washAll(to tc.Handle) []tc.Filter {
	l := &filterList{}
	for _, v := range ipVersions {
		l.add(v, v.dscp(0), to, "")
	}
	for _, v := range ipVersions {
		l.add(v, matchAny, to, v.wash)
	}
	return l.filters
}
