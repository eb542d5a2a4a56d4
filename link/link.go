// SPDX-License-Identifier: GPL-2.0-or-later

package link

// Hardware is the Kind of a link that no program made.
const Hardware = "device"

// Link is a network device.
type Link struct {
	Index int
	Name  string
	Kind  string // IFLA_INFO_KIND: "bridge", "vlan", "ifb", "ppp", ...; Hardware where there is none
	// Alias is IFLA_IFALIAS, "" for none. The kernel does not notify of one that is
	// set while the link is switched off: it is told with the next change.
	Alias  string
	MTU    int // bytes
	Header int // bytes of link header that the kernel counts with a packet: 14 on Ethernet, 0 on PPP
	// TxQueues is the number of transmit queues.
	TxQueues int
	// Master is the index of the bridge, bond or VRF that the link is a port of, 0
	// for none.
	Master  int
	Up      bool // switched on (IFF_UP)
	Carrier bool // switched on and with a carrier (IFF_LOWER_UP)
	// OperState is the operational state of RFC 2863, spelt as in sysfs: unknown,
	// notpresent, down, lowerlayerdown, testing, dormant or up.
	OperState string
	// CarrierUps and CarrierDowns count the times the carrier came and went
	// (IFLA_CARRIER_UP_COUNT, IFLA_CARRIER_DOWN_COUNT): a flap too short for a
	// notification of its own is seen in them. 0 where the kernel does not tell
	// (before 4.16).
	CarrierUps, CarrierDowns uint32
	// SpeedMbit is the negotiated speed in Mbit/s, 0 when unknown. rtnetlink does
	// not tell it: [Decode] and [Conn.List] leave it 0.
	SpeedMbit int
}
