// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"encoding/binary"
	"math"
)

// Writer makes a body. Equal values are stored once.
type Writer struct {
	body   []byte
	stored map[place]int
}

// place is what has to agree for two values to share their bytes.
type place struct {
	align int
	bytes string
}

// NewWriter returns a Writer of an empty body.
func NewWriter() *Writer {
	return &Writer{body: make([]byte, headSize), stored: make(map[place]int)}
}

// Int stores a number. Zero is a number too, and not null.
func (w *Writer) Int(n uint64) Value {
	switch {
	case n <= uint64(payloadMask):
		return kindSmall | Value(n)
	case n <= math.MaxUint32:
		return kindInt32 | w.share(word, binary.LittleEndian.AppendUint32(nil, uint32(n)))
	default:
		return kindInt64 | w.share(word, binary.LittleEndian.AppendUint64(nil, n))
	}
}

// Text stores a string; the empty one is null.
func (w *Writer) Text(s string) Value { return w.Blob([]byte(s)) }

// Blob stores bytes; none at all are null.
func (w *Writer) Blob(b []byte) Value {
	if len(b) == 0 {
		return 0
	}
	kind, align, head := blobHead(len(b))
	return kind | w.share(align, append(head, b...))
}

// Reserve stores n zero bytes that no other value shares, and returns their offset in the body so that they can be
// filled in once the rest is known. n is at most 255.
func (w *Writer) Reserve(n uint8) (v Value, offset int) {
	at := w.put(1, append([]byte{n}, make([]byte, n)...))
	return kindBlob8 | at, int(at) + 1
}

// Array stores a list; an empty one is null.
func (w *Writer) Array(items []Value) Value { return w.words(items) }

// Object stores values by the number of their slot, which is at least 1. Without a value that is not null it is null.
func (w *Writer) Object(slots map[int]Value) Value {
	last := 0
	for slot, v := range slots {
		if v != 0 {
			last = max(last, slot)
		}
	}
	values := make([]Value, last)
	for i := range values {
		values[i] = slots[i+1]
	}
	return w.words(values)
}

// Body returns what was stored, with root as the value to begin reading at.
func (w *Writer) Body(root Value) []byte {
	binary.LittleEndian.PutUint32(w.body[rootAt:], uint32(root))
	return w.body
}

func (w *Writer) words(values []Value) Value {
	if len(values) == 0 {
		return 0
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(values)+1))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return kindWords | w.share(word, b)
}

// share stores bytes or finds them stored, and returns their offset.
func (w *Writer) share(align int, b []byte) Value {
	p := place{align, string(b)}
	at, ok := w.stored[p]
	if !ok {
		at = int(w.put(align, b))
		w.stored[p] = at
	}
	return Value(at)
}

func (w *Writer) put(align int, b []byte) Value {
	w.body = pad(w.body, align)
	at := len(w.body)
	w.body = append(w.body, b...)
	return Value(at)
}

// blobHead returns how a blob of n bytes begins.
func blobHead(n int) (kind Value, align int, head []byte) {
	switch {
	case n <= math.MaxUint8:
		return kindBlob8, 1, []byte{byte(n)}
	case n <= math.MaxUint16:
		return kindBlob16, 2, binary.LittleEndian.AppendUint16(nil, uint16(n))
	default:
		return kindBlob32, 4, binary.LittleEndian.AppendUint32(nil, uint32(n))
	}
}

// pad appends zeros until the length is a multiple of align.
func pad(b []byte, align int) []byte {
	for len(b)%align != 0 {
		b = append(b, 0)
	}
	return b
}
