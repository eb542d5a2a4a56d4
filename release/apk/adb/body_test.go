// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumbers(t *testing.T) {
	for _, n := range []uint64{0, 1, 1<<28 - 1, 1 << 28, math.MaxUint32, 1 << 32, math.MaxUint64} {
		w := NewWriter()
		b, root := NewBody(w.Body(w.Int(n)))
		if got := b.Int(root); got != n || b.Full() != nil {
			t.Errorf("%d came back as %d, %v", n, got, b.Full())
		}
	}
}

func TestTexts(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 65535, 65536} {
		w := NewWriter()
		b, root := NewBody(w.Body(w.Text(strings.Repeat("z", n))))
		if got := b.Text(root); len(got) != n || b.Full() != nil {
			t.Errorf("%d bytes came back as %d, %v", n, len(got), b.Full())
		}
	}
}

func TestObject(t *testing.T) {
	w := NewWriter()
	slots := map[int]Value{1: w.Text("one"), 3: w.Int(3), 4: w.Array([]Value{w.Int(1), w.Int(2)})}
	b, root := NewBody(w.Body(w.Object(slots)))
	o := b.Object(root, 1, 3, 4)
	got := []any{b.Text(o.Slot(1)), b.Text(o.Slot(2)), b.Int(o.Slot(3)), len(b.Items(o.Slot(4))), o.Slot(0), o.Slot(5)}
	want := []any{"one", "", uint64(3), 2, Value(0), Value(0)}
	if diff := cmp.Diff(want, got); diff != "" || b.Full() != nil {
		t.Error(diff, b.Full())
	}
}

func TestUnshared(t *testing.T) {
	w := NewWriter()
	v, at := w.Reserve(4)
	b, root := NewBody(w.Body(w.Array([]Value{v, v})))
	items := b.Items(root)
	blob := b.Blob(items[0])
	if got, alone := b.Unshared(items[0], blob); got != at || !alone {
		t.Errorf("read once: at %d instead of %d, %v", got, at, alone)
	}
	b.Blob(items[1])
	if _, alone := b.Unshared(items[0], blob); alone {
		t.Error("read twice, and still called unshared")
	}
}

// broken bodies, with the error that reading them as a part of something has to give.
var broken = []struct{ name, body, err string }{
	{"too short", "00000000 000000", "a body of 7 bytes"},
	{"another version", "00010000 00000000", "unknown version"},
	{"unknown kind", "00000000 00000040", "unknown kind"},
	{"number beyond the end", "00000000 08000020", "outside of the body"},
	{"number in the head", "00000000 04000020", "outside of the body"},
	{"number askew", "00000000 09000020 00 ffffffff", "askew"},
	{"number in a form too wide", "00000000 08000020 ffffff0f", "too small"},
	{"number in the widest form", "00000000 08000030 ffffffff 00000000", "too small"},
	{"text beyond the end", "00000000 08000080 05 73716d64", "outside of the body"},
	{"text without a length", "00000000 08000080", "wrong form"},
	{"empty text", "00000000 08000080 00", "wrong form"},
	{"text in a form too wide", "00000000 08000090 0100 61", "wrong form"},
	{"text in the widest form", "00000000 080000a0 01000000 61", "wrong form"},
	{"array beyond the end", "00000000 080000e0 03000000 01000010", "outside of the body"},
	{"array without items", "00000000 080000e0 01000000", "1 slots"},
	{"array without a count", "00000000 080000e0", "0 slots"},
	{"array with a null", "00000000 080000e0 03000000 00000000 01000010", "empty place"},
	{"array askew", "00000000 0a0000e0 0000 02000000 01000010", "askew"},
	{"text that is shared in part", "00000000 0c0000e0 03016263 03000000 08000080 09000080", "overlap"},
	{"bytes of nobody", "00000000 00000000 00000000", "nothing refers to"},
	{"padding with something in it", "00000000 0c0000e0 01617878 02000000 08000080", "instead of zeros"},
}

func TestBrokenBody(t *testing.T) {
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			b, root := NewBody(unhex(t, test.body))
			visit(b, root)
			if err := b.Full(); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v instead of %q", err, test.err)
			}
			if b.Err() != nil && (b.Int(root) != 0 || b.Text(root) != "" || b.Items(root) != nil) {
				t.Error("more is read after the error")
			}
		})
	}
}

// TestWrongKind reads values as what they are not.
func TestWrongKind(t *testing.T) {
	tests := []struct {
		name string
		read func(b *Body, number, text, object Value)
	}{
		{"text as number", func(b *Body, _, text, _ Value) { b.Int(text) }},
		{"number as text", func(b *Body, number, _, _ Value) { b.Text(number) }},
		{"text as array", func(b *Body, _, text, _ Value) { b.Items(text) }},
		{"number as object", func(b *Body, number, _, _ Value) { b.Object(number) }},
		{"object as text", func(b *Body, _, _, object Value) { b.Blob(object) }},
		{"unknown slot", func(b *Body, _, _, object Value) { b.Object(object, 1) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := NewWriter()
			number, text := w.Int(1), w.Text("t")
			object := w.Object(map[int]Value{1: number, 2: text})
			b, _ := NewBody(w.Body(object))
			test.read(b, number, text, object)
			if b.Err() == nil {
				t.Error("no error")
			}
		})
	}
}

func TestObjectEndsWithNull(t *testing.T) {
	b, root := NewBody(unhex(t, "00000000 080000e0 03000000 01000010 00000000"))
	if b.Object(root, 1, 2); b.Err() == nil {
		t.Error("no error")
	}
}

// TestSharedBomb reads lists of lists that are all the same one: 2 KiB that unfold to 500 to the power of 6.
func TestSharedBomb(t *testing.T) {
	w := NewWriter()
	v := w.Int(1)
	for range 6 {
		items := make([]Value, 500)
		for i := range items {
			items[i] = v
		}
		v = w.Array(items)
	}
	b, root := NewBody(w.Body(v))
	visit(b, root)
	if err := b.Err(); err == nil || b.visits > 2*maxVisits {
		t.Errorf("%d visits, %v", b.visits, err)
	}
}

func TestFailKeepsTheFirst(t *testing.T) {
	first := errors.New("first")
	b, _ := NewBody(make([]byte, headSize))
	b.Fail(first)
	b.Fail(errors.New("second"))
	if b.Err() != first || b.Full() != first {
		t.Errorf("got %v", b.Err())
	}
}

// visit reads all that can be reached from v, taking every list for an array.
func visit(b *Body, v Value) {
	switch v.kind() {
	case kindSmall, kindInt32, kindInt64:
		b.Int(v)
	case kindBlob8, kindBlob16, kindBlob32:
		b.Blob(v)
	case kindWords:
		for _, v := range b.Items(v) {
			visit(b, v)
		}
	default:
		if v != 0 {
			b.fail("unknown kind")
		}
	}
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
