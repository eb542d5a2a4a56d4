// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"bytes"
	"testing"
)

// FuzzRead checks that an uncompressed file that can be read is written the same.
func FuzzRead(f *testing.F) {
	f.Add(unhex(f, samplePayload))
	f.Add(unhex(f, "4144422e 696e6478 0c000000 00000000 00000000 00000000"))
	f.Add(unhex(f, "41444264 0300"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		payload, err := file.Payload()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(data, []byte(magicPlain)) && !bytes.Equal(payload, data) {
			t.Fatalf("%x became %x", data, payload)
		}
	})
}

// FuzzBody checks that all that can be read from a body can be written and read again.
func FuzzBody(f *testing.F) {
	for _, b := range broken {
		f.Add(unhex(f, b.body))
	}
	f.Add(unhex(f, "00000000 180000e0 0161 0162 03000000 08000080 01000010 03000000 0a000080 0c0000e0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, root := NewBody(data)
		w := NewWriter()
		again := w.Body(rewrite(b, root, w, 0))
		if b.Full() != nil {
			return
		}
		if len(again) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(again))
		}
		c, second := NewBody(again)
		x := NewWriter()
		if once := x.Body(rewrite(c, second, x, 0)); c.Full() != nil || !bytes.Equal(once, again) {
			t.Fatalf("%x became %x: %v", again, once, c.Full())
		}
	})
}

// rewrite copies what can be reached from v, to a depth that no file needs.
func rewrite(b *Body, v Value, w *Writer, depth int) Value {
	if depth > 8 {
		b.fail("too deep")
		return 0
	}
	switch v.kind() {
	case kindSmall, kindInt32, kindInt64:
		return w.Int(b.Int(v))
	case kindBlob8, kindBlob16, kindBlob32:
		return w.Blob(b.Blob(v))
	case kindWords:
		var items []Value
		for _, v := range b.Items(v) {
			items = append(items, rewrite(b, v, w, depth+1))
		}
		return w.Array(items)
	}
	if v != 0 {
		b.fail("unknown kind")
	}
	return 0
}
