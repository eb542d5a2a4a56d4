// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"bytes"
	"errors"
	"testing"
)

// TestBytes compares with the format itself, byte for byte.
func TestBytes(t *testing.T) {
	got, err := fieldsOf(map[string]any{"n": int32(-5), "s": "wan", "t": map[string]any{"b": []any{true}}}, 1)
	must(t, err)
	want := []byte{
		0x85, 0, 0, 12, 0, 1, 'n', 0, 0xff, 0xff, 0xff, 0xfb,
		0x83, 0, 0, 12, 0, 1, 's', 0, 'w', 'a', 'n', 0,
		0x82, 0, 0, 28, 0, 1, 't', 0,
		0x81, 0, 0, 20, 0, 1, 'b', 0,
		0x87, 0, 0, 9, 0, 0, 0, 0, 1, 0, 0, 0,
	}
	if !bytes.Equal(want, got) {
		t.Errorf("encoded as\n% x, want\n% x", got, want)
	}
}

func TestNestedTooDeep(t *testing.T) {
	deep := map[string]any{}
	encoded := []byte{}
	for range maxNested + 1 {
		deep = map[string]any{"x": deep}
		encoded = named(kindTable, "x", encoded)
	}
	if _, err := fieldsOf(deep, 1); !errors.Is(err, errNested) {
		t.Errorf("written: %v", err)
	}
	if _, err := tableFrom(encoded, 1); !errors.Is(err, errNested) {
		t.Errorf("read: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"no name":              blob(kindText, []byte("x\x00")),
		"name cut off":         blob(kindText|namedBit, []byte{0, 9, 'x', 0}),
		"name without end":     blob(kindText|namedBit, []byte{0, 1, 'x', 'y'}),
		"text without end":     named(kindText, "x", []byte("wan")),
		"int32 of 2 bytes":     named(kindInt32, "x", []byte{1, 2}),
		"type of tomorrow":     named(9, "x", nil),
		"head cut off":         {0x83, 0},
		"broken array element": named(kindArray, "x", []byte{1}),
	} {
		if v, err := tableFrom(b, 1); !errors.Is(err, errBlob) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(frame{kind: Hello, peer: 5}.bytes())
	f.Add(frame{kind: Invoke, seq: 1, body: append(blobUint32(attrObject, 1), blobText(attrMethod, "send")...)}.bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := readFrame(bytes.NewReader(raw))
		if err != nil {
			return
		}
		again, err := readFrame(bytes.NewReader(got.bytes()))
		if err != nil || again.kind != got.kind || again.seq != got.seq || again.peer != got.peer || !bytes.Equal(again.body, got.body) {
			t.Errorf("%+v comes back as %+v, %v", got, again, err)
		}
		_, _ = splitAttributes(got.body)
	})
}

// FuzzTable reads a table, writes it and reads it again.
func FuzzTable(f *testing.F) {
	for _, table := range []map[string]any{
		{"n": int32(1), "s": "x", "b": true, "d": 0.5, "l": int64(1), "h": int16(1), "none": nil},
		{"t": map[string]any{"a": []any{"x", int32(2), []any{}}}},
	} {
		b, err := fieldsOf(table, 1)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := tableFrom(raw, 1)
		if err != nil {
			return
		}
		first, err := fieldsOf(table, 1)
		if err != nil {
			t.Fatal(err)
		}
		again, err := tableFrom(first, 1)
		if err != nil {
			t.Fatal(err)
		}
		// Bytes, because a double may be no number, which differs from itself.
		if second, err := fieldsOf(again, 1); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%v comes back as %v, %v", table, again, err)
		}
	})
}
