// SPDX-License-Identifier: GPL-2.0-or-later

package link

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"sqmd/rtnl"
)

// skipStats leaves the counters out of a list (RTEXT_FILTER_SKIP_STATS,
// linux/rtnetlink.h).
const skipStats = 1 << 3

// ifinfomsg is the head of every message about a link: family, padding, type,
// index, flags, and which of the flags count.
func ifinfomsg(order binary.ByteOrder, index int, flags, change uint32) []byte {
	b := make([]byte, unix.SizeofIfInfomsg)
	order.PutUint32(b[4:], uint32(index))
	order.PutUint32(b[8:], flags)
	order.PutUint32(b[12:], change)
	return b
}

func listRequest(order binary.ByteOrder) rtnl.Request {
	body := rtnl.AppendUint32(order, ifinfomsg(order, 0, 0, 0), unix.IFLA_EXT_MASK, skipStats)
	return rtnl.Request{Type: unix.RTM_GETLINK, Body: body}
}

// createRequest does not say how long the transmit queue is: the kernel's own
// default for an IFB is right.
func createRequest(order binary.ByteOrder, name string, queues int) rtnl.Request {
	body := rtnl.AppendAttribute(order, ifinfomsg(order, 0, 0, 0), unix.IFLA_IFNAME, append([]byte(name), 0))
	body = rtnl.AppendUint32(order, body, unix.IFLA_NUM_TX_QUEUES, uint32(queues))
	body = rtnl.AppendUint32(order, body, unix.IFLA_NUM_RX_QUEUES, uint32(queues))
	body = rtnl.AppendAttribute(order, body, unix.IFLA_LINKINFO, rtnl.AppendAttribute(order, nil, infoKind, []byte("ifb\x00")))
	return rtnl.Request{Type: unix.RTM_NEWLINK, Flags: unix.NLM_F_CREATE | unix.NLM_F_EXCL, Body: body}
}

// aliasRequest has the alias without a final zero byte, which would be part of it.
func aliasRequest(order binary.ByteOrder, index int, alias string) rtnl.Request {
	body := rtnl.AppendAttribute(order, ifinfomsg(order, index, 0, 0), unix.IFLA_IFALIAS, []byte(alias))
	return rtnl.Request{Type: unix.RTM_SETLINK, Body: body}
}

func upRequest(order binary.ByteOrder, index int) rtnl.Request {
	return rtnl.Request{Type: unix.RTM_NEWLINK, Body: ifinfomsg(order, index, unix.IFF_UP, unix.IFF_UP)}
}

func deleteRequest(order binary.ByteOrder, index int) rtnl.Request {
	return rtnl.Request{Type: unix.RTM_DELLINK, Body: ifinfomsg(order, index, 0, 0)}
}
