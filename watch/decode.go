// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"

	"sqmd/link"
	"sqmd/rtnl"
	"sqmd/tc"
)

// linux/rtnetlink.h
const (
	sizeofTcmsg = 20 // family, padding, ifindex, handle, parent, info
	tcaKind     = 1  // TCA_KIND
)

// decodeDatagram reads what one receive gave. Notifications that say nothing of
// interest are left out.
func decodeDatagram(b []byte) ([]Message, error) {
	parts, err := syscall.ParseNetlinkMessage(b)
	if err != nil {
		return nil, rtnl.ErrTruncated
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
			return Message{}, false, rtnl.ErrTruncated
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
		return Message{}, rtnl.ErrTruncated
	}
	m := Message{Kind: TCChanged, Ifindex: int(int32(order.Uint32(body[4:])))}
	m.TC.Handle = tc.Handle(order.Uint32(body[8:]))
	m.TC.Parent = tc.Handle(order.Uint32(body[12:]))
	err := rtnl.Attributes(order, body[sizeofTcmsg:], func(typ uint16, payload []byte) error {
		if typ == tcaKind {
			m.TC.Kind = rtnl.Text(payload)
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
		return Message{}, false, rtnl.ErrTruncated
	}
	if body[0] != unix.AF_UNSPEC {
		return Message{}, false, nil
	}
	l, whole, err := link.Decode(order, body)
	if err != nil {
		return Message{}, false, err
	}
	if gone {
		return Message{Kind: LinkGone, Link: l}, true, nil
	}
	return Message{Kind: LinkChanged, Link: l}, whole, nil
}
