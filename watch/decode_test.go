// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"encoding/binary"
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"sqmd/link"
	"sqmd/rtnl"
	"sqmd/tc"
)

var orders = []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}

func put[T uint16 | uint32](order binary.AppendByteOrder, numbers ...T) (b []byte) {
	for _, n := range numbers {
		switch n := any(n).(type) {
		case uint16:
			b = order.AppendUint16(b, n)
		case uint32:
			b = order.AppendUint32(b, n)
		}
	}
	return b
}

func attribute(order binary.AppendByteOrder, typ uint16, payload string) []byte {
	return rtnl.AppendAttribute(order.(binary.ByteOrder), nil, typ, []byte(payload))
}

// linkBody is an ifinfomsg with attributes.
func linkBody(order binary.AppendByteOrder, family byte, index, flags uint32, attributes ...[]byte) []byte {
	header := append([]byte{family, 0, 0, 0}, put(order, index, flags, 0)...)
	return append(header, slices.Concat(attributes...)...)
}

func wan(order binary.AppendByteOrder) []byte {
	return linkBody(order, unix.AF_UNSPEC, 258, unix.IFF_UP|unix.IFF_LOWER_UP,
		attribute(order, unix.IFLA_IFNAME, "eth0.2\x00"),
		attribute(order, unix.IFLA_MTU, string(put[uint32](order, 1508))),
	)
}

func cake(order binary.AppendByteOrder) []byte {
	return append(put[uint32](order, 0, 258, 0x80010000, 0xffffffff, 0), attribute(order, tcaKind, "cake\x00")...)
}

func TestDecode(t *testing.T) {
	wanLink := Link{Index: 258, Name: "eth0.2", Kind: link.Hardware, MTU: 1508, Up: true, Carrier: true, OperState: "unknown"}
	qdisc := TC{Object: "qdisc", Handle: tc.MakeHandle(0x8001, 0), Parent: tc.Root, Kind: "cake", Port: 99}
	object := func(name string, gone bool) *Message {
		m := Message{Kind: TCChanged, Ifindex: 258, TC: qdisc}
		m.TC.Object, m.TC.Gone = name, gone
		return &m
	}
	address := &Message{Kind: AddressChanged, Ifindex: 258}

	for _, order := range orders {
		addressBody := append([]byte{unix.AF_INET6, 64, 0, 0}, put[uint32](order, 258)...)
		cut := cake(order)
		for _, c := range []struct {
			name string
			typ  uint16
			body []byte
			want *Message // nil for none
			err  error
		}{
			{"new link", unix.RTM_NEWLINK, wan(order), &Message{Kind: LinkChanged, Link: wanLink}, nil},
			{"deleted link", unix.RTM_DELLINK, wan(order), &Message{Kind: LinkGone, Link: wanLink}, nil},
			{"a port leaves its bridge", unix.RTM_DELLINK, linkBody(order, unix.AF_BRIDGE, 5, 0), nil, nil},
			{"wireless event", unix.RTM_NEWLINK, linkBody(order, unix.AF_UNSPEC, 5, 0, attribute(order, unix.IFLA_IFNAME, "wlan0\x00")), nil, nil},
			{"new address", unix.RTM_NEWADDR, addressBody, address, nil},
			{"deleted address", unix.RTM_DELADDR, addressBody, address, nil},
			{"new qdisc", unix.RTM_NEWQDISC, cake(order), object("qdisc", false), nil},
			{"deleted qdisc", unix.RTM_DELQDISC, cake(order), object("qdisc", true), nil},
			{"new class", unix.RTM_NEWTCLASS, cake(order), object("class", false), nil},
			{"deleted class", unix.RTM_DELTCLASS, cake(order), object("class", true), nil},
			{"new filter", unix.RTM_NEWTFILTER, cake(order), object("filter", false), nil},
			{"deleted filter", unix.RTM_DELTFILTER, cake(order), object("filter", true), nil},
			{"a route", unix.RTM_NEWROUTE, nil, nil, nil},
			{"short link", unix.RTM_NEWLINK, wan(order)[:15], nil, rtnl.ErrTruncated},
			{"cut link", unix.RTM_NEWLINK, wan(order)[:23], nil, rtnl.ErrTruncated},
			{"short address", unix.RTM_NEWADDR, addressBody[:7], nil, rtnl.ErrTruncated},
			{"short qdisc", unix.RTM_NEWQDISC, cut[:19], nil, rtnl.ErrTruncated},
			{"cut qdisc", unix.RTM_NEWQDISC, cut[:len(cut)-4], nil, rtnl.ErrTruncated},
		} {
			t.Run(order.String()+"/"+c.name, func(t *testing.T) {
				got, told, err := decode(order.(binary.ByteOrder), syscall.NlMsghdr{Type: c.typ, Pid: 99}, c.body)
				if !errors.Is(err, c.err) || told != (c.want != nil) {
					t.Fatalf("told %v, error %v", told, err)
				}
				if c.want == nil {
					return
				}
				if d := cmp.Diff(*c.want, got); d != "" {
					t.Errorf("message (-want +got):\n%s", d)
				}
			})
		}
	}
}

// datagram puts messages behind each other, in the machine's byte order.
func datagram(parts ...[]byte) []byte { return slices.Concat(parts...) }

func message(typ uint16, body []byte) []byte {
	order := binary.NativeEndian
	b := put[uint32](order, uint32(unix.SizeofNlMsghdr+len(body)))
	b = append(b, put(order, typ, 0)...)
	b = append(b, put[uint32](order, 0, 0)...)
	return append(b, body...)
}

func TestDecodeDatagram(t *testing.T) {
	order := binary.NativeEndian
	// A replaced qdisc is one datagram with two messages.
	two := datagram(message(unix.RTM_DELQDISC, cake(order)), message(unix.RTM_NEWROUTE, nil), message(unix.RTM_NEWQDISC, cake(order)))
	got, err := decodeDatagram(two)
	if err != nil || len(got) != 2 || !got[0].TC.Gone || got[1].TC.Gone {
		t.Errorf("%v, error %v", got, err)
	}
	if got, err := decodeDatagram(nil); err != nil || len(got) != 0 {
		t.Errorf("nothing decodes to %v, error %v", got, err)
	}
	if _, err := decodeDatagram(two[:len(two)-4]); !errors.Is(err, rtnl.ErrTruncated) {
		t.Errorf("a cut datagram: error %v", err)
	}
}

func FuzzDecodeDatagram(f *testing.F) {
	order := binary.NativeEndian
	for _, typ := range []uint16{unix.RTM_NEWLINK, unix.RTM_DELLINK, unix.RTM_NEWADDR, unix.RTM_NEWQDISC, unix.RTM_DELTCLASS, unix.RTM_NEWTFILTER} {
		f.Add(message(typ, wan(order)))
		f.Add(message(typ, cake(order)))
		f.Add(message(typ, nil))
	}
	f.Add(datagram(message(unix.RTM_DELQDISC, cake(order)), message(unix.RTM_NEWQDISC, cake(order))))
	f.Fuzz(func(t *testing.T, b []byte) {
		messages, err := decodeDatagram(b)
		if err != nil && len(messages) > 0 {
			t.Errorf("%v beside the error %v", messages, err)
		}
		if len(messages)*unix.SizeofNlMsghdr > len(b) {
			t.Errorf("%d messages out of %d bytes", len(messages), len(b))
		}
		for _, m := range messages {
			if isLink := m.Kind == LinkChanged || m.Kind == LinkGone; isLink == (m.Link == Link{}) {
				t.Errorf("%v with the link %+v", m.Kind, m.Link)
			}
			if (m.Kind == TCChanged) != (m.TC.Object != "") {
				t.Errorf("%v with %+v", m.Kind, m.TC)
			}
		}
	})
}
