// SPDX-License-Identifier: GPL-2.0-or-later

package link

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/rtnl"
)

// golden makes bytes of hex digits with spaces and line ends.
func golden(digits string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// wan is an RTM_NEWLINK with what Decode reads, and an address besides.
var wan = map[binary.ByteOrder][]byte{
	binary.LittleEndian: golden(`
		00 00 0100  02010000 01000100 00000000
		0b00 0300  6574 6830 2e32 0000
		0a00 0100  0200 5e10 0001 0000
		0800 0400  e4050000
		0800 1f00  04000000
		0800 0a00  2c010000
		0500 1000  06 000000
		0e00 1400  7468 6520 6d6f 6465 6d00 0000
		0800 2f00  03000000
		0800 3000  02000000
		1000 1280  0900 0100 766c 616e 0000 0000`),
	binary.BigEndian: golden(`
		00 00 0001  00000102 00010001 00000000
		000b 0003  6574 6830 2e32 0000
		000a 0001  0200 5e10 0001 0000
		0008 0004  000005e4
		0008 001f  00000004
		0008 000a  0000012c
		0005 0010  06 000000
		000e 0014  7468 6520 6d6f 6465 6d00 0000
		0008 002f  00000003
		0008 0030  00000002
		0010 8012  0009 0001 766c 616e 0000 0000`),
}

// lo is a link of which little is told.
var lo = map[binary.ByteOrder][]byte{
	binary.LittleEndian: golden(`00 00 0403  05000000 00000000 00000000  0800 0400 44000000  0500 1000 c8 000000`),
	binary.BigEndian:    golden(`00 00 0304  00000005 00000000 00000000  0008 0004 00000044  0005 0010 c8 000000`),
}

var bothOrders = []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}

func TestDecode(t *testing.T) {
	for _, order := range bothOrders {
		wan, lo := wan[order], lo[order]
		for _, c := range []struct {
			name  string
			body  []byte
			want  Link
			whole bool
			err   error
		}{
			{"all", wan, Link{Index: 258, Name: "eth0.2", Kind: "vlan", Alias: "the modem", MTU: 1508, Header: 14, TxQueues: 4, Master: 300,
				Up: true, Carrier: true, OperState: "up", CarrierUps: 3, CarrierDowns: 2}, true, nil},
			{"little", lo, Link{Index: 5, Kind: Hardware, MTU: 68, OperState: "unknown"}, true, nil},
			{"without MTU", wan[:28], Link{Index: 258, Name: "eth0.2", Kind: Hardware, Header: 14, Up: true, Carrier: true, OperState: "unknown"}, false, nil},
			{"short", wan[:15], Link{}, false, rtnl.ErrTruncated},
			{"cut in an attribute", wan[:23], Link{}, false, rtnl.ErrTruncated},
			{"cut in the kind", wan[:len(wan)-4], Link{}, false, rtnl.ErrTruncated},
		} {
			t.Run(order.String()+"/"+c.name, func(t *testing.T) {
				got, whole, err := Decode(order, c.body)
				if !errors.Is(err, c.err) || whole != c.whole {
					t.Errorf("whole %v, error %v", whole, err)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("link (-want +got):\n%s", d)
				}
			})
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, order := range bothOrders {
		big := order == binary.ByteOrder(binary.BigEndian)
		f.Add(big, wan[order])
		f.Add(big, lo[order])
		f.Add(big, wan[order][:23])
	}
	f.Fuzz(func(t *testing.T, big bool, body []byte) {
		order := binary.ByteOrder(binary.LittleEndian)
		if big {
			order = binary.BigEndian
		}
		l, whole, err := Decode(order, body)
		if err != nil && (l != Link{} || whole) {
			t.Errorf("%+v beside the error %v", l, err)
		}
		if err == nil && (l.OperState == "" || l.MTU != 0 && !whole) {
			t.Errorf("%+v, whole %v", l, whole)
		}
	})
}
