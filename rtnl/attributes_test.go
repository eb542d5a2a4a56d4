// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var bothOrders = []binary.ByteOrder{binary.LittleEndian, binary.BigEndian}

type attribute struct {
	Type    uint16
	Payload string
}

func attributes(order binary.ByteOrder, b []byte) (all []attribute, err error) {
	err = Attributes(order, b, func(typ uint16, payload []byte) error {
		all = append(all, attribute{typ, string(payload)})
		return nil
	})
	return all, err
}

func TestAttributes(t *testing.T) {
	want := []attribute{{3, "lo\x00"}, {18, ""}, {4, "\x00\x01\x00\x00"}}
	for order, b := range map[binary.ByteOrder]string{
		binary.LittleEndian: "\x07\x00\x03\x00lo\x00\x00" + "\x04\x00\x12\x80" + "\x08\x00\x04\x00\x00\x01\x00\x00",
		binary.BigEndian:    "\x00\x07\x00\x03lo\x00\x00" + "\x00\x04\x80\x12" + "\x00\x08\x00\x04\x00\x01\x00\x00",
	} {
		got, err := attributes(order, []byte(b))
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: error %v, attributes (-want +got):\n%s", order, err, d)
		}
		made := AppendAttribute(order, nil, 3, []byte("lo\x00"))
		made = AppendAttribute(order, made, 0x8012, nil)
		made = AppendUint32(order, made, 4, order.Uint32([]byte(want[2].Payload)))
		if d := cmp.Diff(b, string(made)); d != "" {
			t.Errorf("%s: made (-want +got):\n%s", order, d)
		}
		for _, cut := range []int{5, 17} {
			if got, err := attributes(order, []byte(b[:cut])); !errors.Is(err, ErrTruncated) {
				t.Errorf("%s: %d bytes: %v, error %v", order, cut, got, err)
			}
		}
	}
}

func TestAttributesEndWithTheFirstError(t *testing.T) {
	enough := errors.New("enough")
	b := AppendUint32(binary.NativeEndian, AppendUint32(binary.NativeEndian, nil, 1, 0), 2, 0)
	calls := 0
	err := Attributes(binary.NativeEndian, b, func(uint16, []byte) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

func TestPayloads(t *testing.T) {
	for payload, want := range map[string]string{"": "", "wan": "wan", "wan\x00": "wan", "wan\x00x": "wan", "\x00": ""} {
		if got := Text([]byte(payload)); got != want {
			t.Errorf("text %q: %q", payload, got)
		}
	}
	for payload, want := range map[string]uint32{"": 0, "\x01\x02\x03": 0, "\x00\x00\x01\x02": 258, "\x00\x00\x01\x02\x03": 258} {
		if got := Uint32(binary.BigEndian, []byte(payload)); got != want {
			t.Errorf("number %q: %d", payload, got)
		}
	}
}

func FuzzAttributes(f *testing.F) {
	f.Add(true, []byte("\x00\x07\x00\x03lo\x00\x00\x00\x04\x80\x12"))
	f.Add(false, []byte("\x07\x00\x03\x00lo\x00\x00\x04\x00\x12\x80"))
	f.Add(false, []byte("\x03\x00\x03\x00"))
	f.Fuzz(func(t *testing.T, big bool, b []byte) {
		order := bothOrders[0]
		if big {
			order = bothOrders[1]
		}
		all, err := attributes(order, b)
		var again []byte
		for _, a := range all {
			again = AppendAttribute(order, again, a.Type, []byte(a.Payload))
		}
		if err == nil && len(again) > Align(len(b)) {
			t.Errorf("%d bytes out of %d", len(again), len(b))
		}
		if same, err := attributes(order, again); err != nil || !cmp.Equal(all, same) {
			t.Errorf("encoded again: error %v, attributes (-want +got):\n%s", err, cmp.Diff(all, same))
		}
	})
}
