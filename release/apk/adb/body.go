// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// maxVisits bounds how many slots are read from one body. Values may be shared, so a small body could otherwise
// unfold to any size.
const maxVisits = 1 << 20

// Body reads a body. The first error sticks: from then on every method returns zero values, and [Body.Err] tells it.
type Body struct {
	data   []byte
	visits int
	spans  map[span]int
	err    error
}

// span is where one stored value lies.
type span struct{ start, end int }

// NewBody begins to read data, which it does not change, and returns the root value.
func NewBody(data []byte) (*Body, Value) {
	b := &Body{data: data, spans: make(map[span]int)}
	if len(data) < headSize || len(data) > int(payloadMask) {
		b.fail("a body of %d bytes", len(data))
		return b, 0
	}
	if binary.LittleEndian.Uint32(data) != 0 {
		b.fail("unknown version of the format: % x", data[:rootAt])
		return b, 0
	}
	return b, Value(binary.LittleEndian.Uint32(data[rootAt:]))
}

// Int returns a number; null is 0.
func (b *Body) Int(v Value) uint64 {
	switch {
	case v == 0 || b.err != nil:
		return 0
	case v.kind() == kindSmall:
		return uint64(v.payload())
	case v.kind() == kindInt32:
		return b.wide(v, word, uint64(payloadMask)+1)
	case v.kind() == kindInt64:
		return b.wide(v, 2*word, math.MaxUint32+1)
	}
	b.fail("value %#08x is not a number", uint32(v))
	return 0
}

// wide returns a number of size bytes that is at least least: a smaller one has a shorter form.
func (b *Body) wide(v Value, size int, least uint64) uint64 {
	raw := b.claim(v.payload(), word, size)
	if raw == nil {
		return 0
	}
	n := uint64(binary.LittleEndian.Uint32(raw))
	if size > word {
		n |= uint64(binary.LittleEndian.Uint32(raw[word:])) << 32
	}
	if n < least {
		b.fail("number %d at %#x is too small for its size", n, v.payload())
	}
	return n
}

// Text returns a string; null is the empty one.
func (b *Body) Text(v Value) string { return string(b.Blob(v)) }

// Blob returns bytes, a part of the body; null is none.
func (b *Body) Blob(v Value) []byte {
	if v == 0 || b.err != nil {
		return nil
	}
	var head int
	switch v.kind() {
	case kindBlob8:
		head = 1
	case kindBlob16:
		head = 2
	case kindBlob32:
		head = 4
	default:
		b.fail("value %#08x is not a blob", uint32(v))
		return nil
	}
	n := b.length(v.payload(), head)
	if kind, _, _ := blobHead(n); n == 0 || kind != v.kind() {
		b.fail("a blob of %d bytes at %#x has the wrong form", n, v.payload())
		return nil
	}
	raw := b.claim(v.payload(), head, head+n)
	if raw == nil {
		return nil
	}
	return raw[head:]
}

// length reads a length of size bytes. One beyond the body comes back as the body's, which is too long as well.
func (b *Body) length(at, size int) int {
	if at > len(b.data)-size {
		return 0
	}
	var n [word]byte
	copy(n[:], b.data[at:at+size])
	return int(min(binary.LittleEndian.Uint32(n[:]), uint32(len(b.data))))
}

// Items returns an array's values; null has none.
func (b *Body) Items(v Value) []Value {
	items := b.words(v)
	if slices.Contains(items, 0) {
		b.fail("an empty place in the array at %#x", v.payload())
		return nil
	}
	return items
}

// Object holds values by slot.
type Object struct{ slots []Value }

// Slot returns the value in slot n, null if there is none.
func (o Object) Slot(n int) Value {
	if n < 1 || n > len(o.slots) {
		return 0
	}
	return o.slots[n-1]
}

// Object returns an object whose values lie in known slots only; null has none.
func (b *Body) Object(v Value, known ...int) Object {
	slots := b.words(v)
	if n := len(slots); n > 0 && slots[n-1] == 0 {
		b.fail("the object at %#x ends with an empty slot", v.payload())
		return Object{}
	}
	for i, s := range slots {
		if s != 0 && !slices.Contains(known, i+1) {
			b.fail("the object at %#x has an unknown slot %#x", v.payload(), i+1)
			return Object{}
		}
	}
	return Object{slots}
}

func (b *Body) words(v Value) []Value {
	if v == 0 || b.err != nil {
		return nil
	}
	if v.kind() != kindWords {
		b.fail("value %#08x is not an array or object", uint32(v))
		return nil
	}
	count := b.length(v.payload(), word)
	if b.visits += count; count < 2 || b.visits > maxVisits {
		b.fail("%d slots at %#x, %d in all", count, v.payload(), b.visits)
		return nil
	}
	raw := b.claim(v.payload(), word, count*word)
	if raw == nil {
		return nil
	}
	values := make([]Value, count-1)
	for i := range values {
		values[i] = Value(binary.LittleEndian.Uint32(raw[(i+1)*word:]))
	}
	return values
}

// claim returns size bytes at an offset, and notes that they belong to a value.
func (b *Body) claim(at, align, size int) []byte {
	if at < headSize || at%align != 0 || size > len(b.data)-at {
		b.fail("%d bytes at %#x lie outside of the body or askew", size, at)
		return nil
	}
	b.spans[span{at, at + size}]++
	return b.data[at : at+size]
}

// Unshared returns the offset of a blob's bytes, and whether v was read exactly once so far.
func (b *Body) Unshared(v Value, blob []byte) (offset int, ok bool) {
	_, _, head := blobHead(len(blob))
	start := v.payload()
	offset = start + len(head)
	return offset, b.err == nil && b.spans[span{start, offset + len(blob)}] == 1
}

// Fail makes err the error of the body if there is none yet: what was read makes no sense to the reader.
func (b *Body) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *Body) fail(format string, args ...any) { b.Fail(fmt.Errorf(format, args...)) }

// Err returns the first error.
func (b *Body) Err() error { return b.err }

// Full returns an error unless the values that were read fill the body: no two overlap without being one, and what
// lies between them is zeros for alignment.
func (b *Body) Full() error {
	if b.err != nil {
		return b.err
	}
	spans := make([]span, 0, len(b.spans)+1)
	for s := range b.spans {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(x, y span) int { return x.start - y.start })
	spans = append(spans, span{start: len(b.data)})
	end := headSize
	for _, s := range spans {
		if s.start < end {
			return fmt.Errorf("values overlap at %#x", s.start)
		}
		if err := zeros(b.data[end:s.start], word); err != nil {
			return fmt.Errorf("between the values at %#x: %w", end, err)
		}
		end = s.end
	}
	return nil
}

// zeros returns an error unless b is padding for an alignment.
func zeros(b []byte, align int) error {
	if len(b) >= align {
		return fmt.Errorf("%d bytes that nothing refers to", len(b))
	}
	for _, c := range b {
		if c != 0 {
			return fmt.Errorf("padding % x instead of zeros", b)
		}
	}
	return nil
}
