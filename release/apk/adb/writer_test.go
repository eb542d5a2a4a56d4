// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriter compares whole bodies with what they should be: eight bytes of head with the root value, then the rest.
func TestWriter(t *testing.T) {
	long, longer := strings.Repeat("x", 256), strings.Repeat("y", 65536)
	tests := []struct {
		name string
		root func(w *Writer) Value
		want string
	}{
		{"null", func(*Writer) Value { return 0 }, "00000000 00000000"},
		{"zero", func(w *Writer) Value { return w.Int(0) }, "00000000 00000010"},
		{"small", func(w *Writer) Value { return w.Int(1<<28 - 1) }, "00000000 ffffff1f"},
		{"32 bits", func(w *Writer) Value { return w.Int(1 << 28) }, "00000000 08000020 00000010"},
		{"64 bits", func(w *Writer) Value { return w.Int(1 << 32) }, "00000000 08000030 00000000 01000000"},
		{"no text", func(w *Writer) Value { return w.Text("") }, "00000000 00000000"},
		{"text", func(w *Writer) Value { return w.Text("sqmd") }, "00000000 08000080 04 73716d64"},
		{"256 bytes", func(w *Writer) Value { return w.Text(long) }, "00000000 08000090 0001" + strings.Repeat("78", 256)},
		{"64 KiB", func(w *Writer) Value { return w.Text(longer) }, "00000000 080000a0 00000100" + strings.Repeat("79", 65536)},
		{"no items", func(w *Writer) Value { return w.Array(nil) }, "00000000 00000000"},
		{
			"items, one value shared and one aligned",
			func(w *Writer) Value {
				a := w.Text("a")
				return w.Array([]Value{a, w.Text("b"), w.Text("a")})
			},
			"00000000 0c0000e0 0161 0162 04000000 08000080 0a000080 08000080",
		},
		{"no slots", func(w *Writer) Value { return w.Object(map[int]Value{3: 0}) }, "00000000 00000000"},
		{
			"slots with a gap and none at the end",
			func(w *Writer) Value { return w.Object(map[int]Value{2: w.Int(7), 3: 0}) },
			"00000000 080000e0 03000000 00000000 07000010",
		},
		{
			"reserved bytes are shared with nothing",
			func(w *Writer) Value {
				v, _ := w.Reserve(2)
				return w.Array([]Value{v, w.Blob([]byte{0, 0})})
			},
			"00000000 100000e0 020000 020000 0000 03000000 08000080 0b000080",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := NewWriter()
			body := w.Body(test.root(w))
			if diff := cmp.Diff(strings.ReplaceAll(test.want, " ", ""), hex.EncodeToString(body)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReserveTellsWhere(t *testing.T) {
	w := NewWriter()
	w.Text("before")
	v, at := w.Reserve(3)
	body := w.Body(v)
	copy(body[at:], "now")
	b, root := NewBody(body)
	if got := b.Text(root); got != "now" || b.Err() != nil {
		t.Errorf("got %q, %v", got, b.Err())
	}
}
