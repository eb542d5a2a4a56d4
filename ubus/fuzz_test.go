// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bytes"
	"testing"
)

var goldenNames = []string{
	"hello", "lookup", "lookup-reply", "status-ok", "add-object",
	"invoke", "invoked", "reply", "denied", "listen", "event",
}

// FuzzDecodeTable checks that what can be read can be written and read again.
func FuzzDecodeTable(f *testing.F) {
	for _, name := range goldenNames {
		_, a := goldenMessage(f, name)
		f.Add(a[attrData])
		f.Add(a[attrSignature])
	}
	f.Add(unhex(f, "81000014 00016c00 8500000c 00016100 00000001"))
	f.Add(unhex(f, "83000010 00017300 6100620000000000"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := decodeTable(data)
		if err != nil {
			return
		}
		once := encode(t, table)
		if len(once) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(once))
		}
		again, err := decodeTable(once)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once, encode(t, again)) {
			t.Fatalf("%v became %v", table, again)
		}
	})
}

// FuzzReadMessage checks that a frame that can be read is written the same.
func FuzzReadMessage(f *testing.F) {
	for _, name := range goldenNames {
		f.Add(golden(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readMessage(bytes.NewReader(data))
		if err != nil {
			return
		}
		frame, err := m.frame()
		if err != nil {
			t.Fatal(err)
		}
		// The upper byte of the outer length is not used.
		frame[messageHead] = data[messageHead]
		if !bytes.HasPrefix(data, frame) {
			t.Fatalf("%x became %x", data, frame)
		}
		a, err := parseAttrs(m.body)
		if err != nil {
			return
		}
		methods, err := decodeSignature(a[attrSignature])
		if err != nil {
			return
		}
		if _, err := appendSignature(nil, methods); err != nil {
			t.Fatal(err)
		}
	})
}
