// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// A blob attribute is a 32-bit head, a payload, and zeros up to a multiple of
// four bytes. Bit 31 of the head says that the payload begins with a name, bits
// 30 to 24 are an id, the rest is the length with the head and without the zeros.

const (
	attrHead    = 4
	attrNamed   = 1 << 31
	attrIDShift = 24
	attrIDMask  = 0x7f
	attrLenMask = 1<<attrIDShift - 1

	// maxBlob is the most that ubusd takes or sends in one message, in bytes
	// (UBUS_MAX_MSGLEN).
	maxBlob = 1 << 20
)

var (
	errMalformed = errors.New("malformed message")
	errTooLarge  = errors.New("message above 1 MiB: ask for less at once")
)

func align4(n int) int { return (n + 3) &^ 3 }

// appendPadding appends zeros until the attribute that began at start is aligned.
func appendPadding(b []byte, start int) []byte {
	for (len(b)-start)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// openAttr begins an attribute; head lacks only the length, which closeAttr adds.
func openAttr(b []byte, head uint32) (_ []byte, start int) {
	return binary.BigEndian.AppendUint32(b, head), len(b)
}

func closeAttr(b []byte, start int) []byte {
	head := binary.BigEndian.Uint32(b[start:]) | uint32(len(b)-start)
	binary.BigEndian.PutUint32(b[start:], head)
	return appendPadding(b, start)
}

func appendUint32Attr(b []byte, id uint8, v uint32) []byte {
	b, start := openAttr(b, uint32(id)<<attrIDShift)
	return closeAttr(binary.BigEndian.AppendUint32(b, v), start)
}

func appendStringAttr(b []byte, id uint8, s string) []byte {
	b, start := openAttr(b, uint32(id)<<attrIDShift)
	return closeAttr(append(append(b, s...), 0), start)
}

// attr is one attribute. Its payload is a part of the buffer it was read from
// and never nil.
type attr struct {
	id      uint8
	named   bool
	payload []byte
}

// nextAttr takes the first attribute off b, which must not be empty.
func nextAttr(b []byte) (a attr, rest []byte, err error) {
	if len(b) < attrHead {
		return attr{}, nil, errMalformed
	}
	head := binary.BigEndian.Uint32(b)
	size := int(head & attrLenMask)
	if size < attrHead || align4(size) > len(b) {
		return attr{}, nil, errMalformed
	}
	a = attr{
		id:      uint8(head >> attrIDShift & attrIDMask),
		named:   head&attrNamed != 0,
		payload: b[attrHead:size],
	}
	return a, b[align4(size):], nil
}

// cString reads a NUL-terminated string; what follows the first NUL is ignored,
// as C does.
func cString(b []byte) (s string, ok bool) {
	end := bytes.IndexByte(b, 0)
	if end < 0 || b[len(b)-1] != 0 {
		return "", false
	}
	return string(b[:end]), true
}
