// SPDX-License-Identifier: GPL-2.0-or-later

package link

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sqmd/rtnl"
)

func TestRequests(t *testing.T) {
	for name, c := range map[string]struct {
		make        func(binary.ByteOrder) rtnl.Request
		typ, flags  uint16
		little, big string
	}{
		"list": {listRequest, unix.RTM_GETLINK, 0,
			`00000000 00000000 00000000 00000000  0800 1d00 08000000`,
			`00000000 00000000 00000000 00000000  0008 001d 00000008`},
		"create": {func(o binary.ByteOrder) rtnl.Request { return createRequest(o, "ifb4wan", 2) },
			unix.RTM_NEWLINK, unix.NLM_F_CREATE | unix.NLM_F_EXCL,
			`00000000 00000000 00000000 00000000  0c00 0300 6966 6234 7761 6e00
			 0800 1f00 02000000  0800 2000 02000000  0c00 1200 0800 0100 6966 6200`,
			`00000000 00000000 00000000 00000000  000c 0003 6966 6234 7761 6e00
			 0008 001f 00000002  0008 0020 00000002  000c 0012 0008 0001 6966 6200`},
		"alias": {func(o binary.ByteOrder) rtnl.Request { return aliasRequest(o, 258, "wan") }, unix.RTM_SETLINK, 0,
			`00000000 02010000 00000000 00000000  0700 1400 77616e 00`,
			`00000000 00000102 00000000 00000000  0007 0014 77616e 00`},
		"no alias": {func(o binary.ByteOrder) rtnl.Request { return aliasRequest(o, 258, "") }, unix.RTM_SETLINK, 0,
			`00000000 02010000 00000000 00000000  0400 1400`,
			`00000000 00000102 00000000 00000000  0004 0014`},
		"up": {func(o binary.ByteOrder) rtnl.Request { return upRequest(o, 258) }, unix.RTM_NEWLINK, 0,
			`00000000 02010000 01000000 01000000`,
			`00000000 00000102 00000001 00000001`},
		"delete": {func(o binary.ByteOrder) rtnl.Request { return deleteRequest(o, 258) }, unix.RTM_DELLINK, 0,
			`00000000 02010000 00000000 00000000`,
			`00000000 00000102 00000000 00000000`},
	} {
		for i, digits := range []string{c.little, c.big} {
			order := bothOrders[i]
			want := rtnl.Request{Type: c.typ, Flags: c.flags, Body: golden(digits)}
			if d := cmp.Diff(want, c.make(order)); d != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, order, d)
			}
		}
	}
}
