// SPDX-License-Identifier: GPL-2.0-or-later

package adb

// Value is one word of a body: a kind in the upper four bits, and in the lower 28 either the value itself or the
// offset, from the start of the body, where it lies. The zero Value is null: nothing there.
type Value uint32

const (
	kindSmall  Value = 0x1 << 28 // the number itself
	kindInt32  Value = 0x2 << 28
	kindInt64  Value = 0x3 << 28
	kindBlob8  Value = 0x8 << 28 // a length of 1, 2 or 4 bytes, then the bytes
	kindBlob16 Value = 0x9 << 28
	kindBlob32 Value = 0xa << 28
	kindWords  Value = 0xe << 28 // array or object: a count of words with this one, then the words

	payloadMask Value = 1<<28 - 1
)

func (v Value) kind() Value { return v &^ payloadMask }

func (v Value) payload() int { return int(v & payloadMask) }

// headSize is the size of a body's head in bytes: compatibility and version of the format, both 0, two unused bytes,
// and the root value.
const (
	headSize = 8
	rootAt   = 4
)

// word is the size of a Value in bytes.
const word = 4
