// SPDX-License-Identifier: GPL-2.0-or-later

package link

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"sqmd/rtnl"
)

const (
	infoKind       = 1 // IFLA_INFO_KIND, linux/if_link.h
	ethernetHeader = 14
)

// Decode reads the body of an RTM_NEWLINK or RTM_DELLINK: an ifinfomsg with its
// attributes. An alias or a master that is not there means none; whether all was
// told is known by the MTU, which every link has, and is reported as whole. The
// error is [rtnl.ErrTruncated].
func Decode(order binary.ByteOrder, body []byte) (l Link, whole bool, err error) {
	if len(body) < unix.SizeofIfInfomsg {
		return Link{}, false, rtnl.ErrTruncated
	}
	flags := order.Uint32(body[8:])
	l = Link{
		Index:     int(int32(order.Uint32(body[4:]))),
		Kind:      Hardware,
		Up:        flags&unix.IFF_UP != 0,
		Carrier:   flags&unix.IFF_LOWER_UP != 0,
		OperState: operState(0),
	}
	if order.Uint16(body[2:]) == unix.ARPHRD_ETHER {
		l.Header = ethernetHeader
	}
	err = rtnl.Attributes(order, body[unix.SizeofIfInfomsg:], func(typ uint16, payload []byte) error {
		whole = whole || typ == unix.IFLA_MTU
		return l.read(order, typ, payload)
	})
	if err != nil {
		return Link{}, false, err
	}
	return l, whole, nil
}

// read takes one attribute.
func (l *Link) read(order binary.ByteOrder, typ uint16, payload []byte) error {
	switch typ {
	case unix.IFLA_IFNAME:
		l.Name = rtnl.Text(payload)
	case unix.IFLA_IFALIAS:
		l.Alias = rtnl.Text(payload)
	case unix.IFLA_MTU:
		l.MTU = int(rtnl.Uint32(order, payload))
	case unix.IFLA_NUM_TX_QUEUES:
		l.TxQueues = int(rtnl.Uint32(order, payload))
	case unix.IFLA_MASTER:
		l.Master = int(rtnl.Uint32(order, payload))
	case unix.IFLA_OPERSTATE:
		if len(payload) > 0 {
			l.OperState = operState(payload[0])
		}
	case unix.IFLA_CARRIER_UP_COUNT:
		l.CarrierUps = rtnl.Uint32(order, payload)
	case unix.IFLA_CARRIER_DOWN_COUNT:
		l.CarrierDowns = rtnl.Uint32(order, payload)
	case unix.IFLA_LINKINFO:
		return rtnl.Attributes(order, payload, func(typ uint16, payload []byte) error {
			if typ == infoKind {
				l.Kind = rtnl.Text(payload)
			}
			return nil
		})
	}
	return nil
}

// operState spells IF_OPER_* as net/core/net-sysfs.c does.
func operState(n uint8) string {
	names := [...]string{"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"}
	if int(n) >= len(names) {
		return "unknown"
	}
	return names[n]
}
