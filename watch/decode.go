// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"sqmd/tc"
)

var errTruncated = errors.New("truncated rtnetlink message")

// Sizes and types that golang.org/x/sys does not have (linux/rtnetlink.h,
// linux/netlink.h).
const (
	sizeofTcmsg  = 20 // family, padding, ifindex, handle, parent, info
	tcaKind      = 1  // TCA_KIND
	infoKind     = 1  // IFLA_INFO_KIND
	attrHeader   = 4
	attrTypeMask = 0x3fff // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
)

// decodeDatagram reads what one receive gave. Notifications that say nothing of
// interest are left out.
func decodeDatagram(b []byte) ([]Message, error) {
	parts, err := syscall.ParseNetlinkMessage(b)
	if err != nil {
		return nil, errTruncated
	}
	var all []Message
	for _, p := range parts {
		m, told, err := decode(binary.NativeEndian, p.Header, p.Data)
		if err != nil {
			return nil, err
		}
		if told {
			all = append(all, m)
		}
	}
	return all, nil
}

// decode reads the body of one notification; told is false when it says nothing
// of interest.
func decode(order binary.ByteOrder, header syscall.NlMsghdr, body []byte) (m Message, told bool, err error) {
	switch header.Type {
	case unix.RTM_NEWLINK, unix.RTM_DELLINK:
		return decodeLinkMessage(order, header.Type == unix.RTM_DELLINK, body)
	case unix.RTM_NEWADDR, unix.RTM_DELADDR:
		if len(body) < unix.SizeofIfAddrmsg {
			return Message{}, false, errTruncated
		}
		return Message{Kind: AddressChanged, Ifindex: int(int32(order.Uint32(body[4:])))}, true, nil
	}
	if object, gone := tcObject(header.Type); object != "" {
		m, err := decodeTC(order, body)
		m.TC.Object, m.TC.Gone, m.TC.Port = object, gone, header.Pid
		return m, err == nil, err
	}
	return Message{}, false, nil
}

func tcObject(typ uint16) (object string, gone bool) {
	switch typ {
	case unix.RTM_NEWQDISC, unix.RTM_DELQDISC:
		return "qdisc", typ == unix.RTM_DELQDISC
	case unix.RTM_NEWTCLASS, unix.RTM_DELTCLASS:
		return "class", typ == unix.RTM_DELTCLASS
	case unix.RTM_NEWTFILTER, unix.RTM_DELTFILTER:
		return "filter", typ == unix.RTM_DELTFILTER
	default:
		return "", false
	}
}

func decodeTC(order binary.ByteOrder, body []byte) (Message, error) {
	if len(body) < sizeofTcmsg {
		return Message{}, errTruncated
	}
	m := Message{Kind: TCChanged, Ifindex: int(int32(order.Uint32(body[4:])))}
	m.TC.Handle = tc.Handle(order.Uint32(body[8:]))
	m.TC.Parent = tc.Handle(order.Uint32(body[12:]))
	err := eachAttribute(order, body[sizeofTcmsg:], func(typ uint16, value []byte) error {
		if typ == tcaKind {
			m.TC.Kind = text(value)
		}
		return nil
	})
	return m, err
}

// decodeLinkMessage reads a notification of RTNLGRP_LINK. Two sorts in that group
// are not about the link as such: those of the bridge's own family, of which the
// deletion means that a port left its bridge, and those of wireless extensions,
// which have nothing but a name and the wireless event. The kernel tells what
// changed for the link itself besides.
func decodeLinkMessage(order binary.ByteOrder, gone bool, body []byte) (Message, bool, error) {
	if len(body) < unix.SizeofIfInfomsg {
		return Message{}, false, errTruncated
	}
	if body[0] != unix.AF_UNSPEC {
		return Message{}, false, nil
	}
	l, whole, err := decodeLink(order, body)
	if err != nil {
		return Message{}, false, err
	}
	if gone {
		return Message{Kind: LinkGone, Link: l}, true, nil
	}
	return Message{Kind: LinkChanged, Link: l}, whole, nil
}

// decodeLink reads an ifinfomsg with its attributes. An alias or a master that is
// not there means none; whether all was told is known by the MTU, which every
// link has.
func decodeLink(order binary.ByteOrder, body []byte) (l Link, whole bool, err error) {
	if len(body) < unix.SizeofIfInfomsg {
		return Link{}, false, errTruncated
	}
	flags := order.Uint32(body[8:])
	l = Link{
		Index:     int(int32(order.Uint32(body[4:]))),
		Up:        flags&unix.IFF_UP != 0,
		Carrier:   flags&unix.IFF_LOWER_UP != 0,
		OperState: operState(0),
	}
	err = eachAttribute(order, body[unix.SizeofIfInfomsg:], func(typ uint16, value []byte) error {
		switch typ {
		case unix.IFLA_IFNAME:
			l.Name = text(value)
		case unix.IFLA_IFALIAS:
			l.Alias = text(value)
		case unix.IFLA_MTU:
			l.MTU, whole = int(number(order, value)), true
		case unix.IFLA_MASTER:
			l.Master = int(number(order, value))
		case unix.IFLA_OPERSTATE:
			if len(value) > 0 {
				l.OperState = operState(value[0])
			}
		case unix.IFLA_CARRIER_UP_COUNT:
			l.CarrierUps = number(order, value)
		case unix.IFLA_CARRIER_DOWN_COUNT:
			l.CarrierDowns = number(order, value)
		case unix.IFLA_LINKINFO:
			return eachAttribute(order, value, func(typ uint16, value []byte) error {
				if typ == infoKind {
					l.Kind = text(value)
				}
				return nil
			})
		}
		return nil
	})
	return l, whole, err
}

// operState spells IF_OPER_* as net/core/net-sysfs.c does.
func operState(n uint8) string {
	names := [...]string{"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"}
	if int(n) >= len(names) {
		return "unknown"
	}
	return names[n]
}

// eachAttribute calls f for every attribute, with the flag bits removed from the
// type, until one fails.
func eachAttribute(order binary.ByteOrder, b []byte, f func(typ uint16, value []byte) error) error {
	for len(b) >= attrHeader {
		n := int(order.Uint16(b))
		if n < attrHeader || n > len(b) {
			return errTruncated
		}
		if err := f(order.Uint16(b[2:])&attrTypeMask, b[attrHeader:n]); err != nil {
			return err
		}
		b = b[min(align4(n), len(b)):]
	}
	return nil
}

func align4(n int) int { return (n + 3) &^ 3 }

// number reads a u32; a payload that is too short reads as 0.
func number(order binary.ByteOrder, value []byte) uint32 {
	if len(value) < 4 {
		return 0
	}
	return order.Uint32(value)
}

// text reads a string that ends with the payload or with a zero byte.
func text(value []byte) string {
	value, _, _ = bytes.Cut(value, []byte{0})
	return string(value)
}
