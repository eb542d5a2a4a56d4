// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// An attribute (linux/netlink.h): u16 length including these four bytes, u16
// type, payload, padding to four bytes. Numbers are in the machine's byte order;
// the order is a parameter so that golden bytes of both orders can be tested on
// one machine.

const (
	attributeHeader   = 4
	attributeTypeMask = 0x3fff // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
)

// ErrTruncated is the error of a message or an attribute that ends too early.
var ErrTruncated = errors.New("truncated rtnetlink message")

// Align is n rounded up to what messages and attributes are padded to.
func Align(n int) int { return (n + 3) &^ 3 }

// Attributes calls f for every attribute of b, with the flag bits removed from
// the type, until one fails. The error is that of f, or ErrTruncated after the
// attributes before the broken one were seen.
func Attributes(order binary.ByteOrder, b []byte, f func(typ uint16, payload []byte) error) error {
	return RawAttributes(order, b, func(typ uint16, payload []byte) error { return f(typ&attributeTypeMask, payload) })
}

// RawAttributes is Attributes with the flag bits left in the type.
func RawAttributes(order binary.ByteOrder, b []byte, f func(typ uint16, payload []byte) error) error {
	for len(b) >= attributeHeader {
		n := int(order.Uint16(b))
		if n < attributeHeader || n > len(b) {
			return ErrTruncated
		}
		if err := f(order.Uint16(b[2:]), b[attributeHeader:n]); err != nil {
			return err
		}
		b = b[min(Align(n), len(b)):]
	}
	return nil
}

// AppendAttribute appends an attribute with its padding to b.
func AppendAttribute(order binary.ByteOrder, b []byte, typ uint16, payload []byte) []byte {
	at, size := len(b), attributeHeader+len(payload)
	b = append(b, make([]byte, Align(size))...)
	order.PutUint16(b[at:], uint16(size))
	order.PutUint16(b[at+2:], typ)
	copy(b[at+attributeHeader:], payload)
	return b
}

// AppendUint32 appends an attribute with a u32 to b.
func AppendUint32(order binary.ByteOrder, b []byte, typ uint16, n uint32) []byte {
	b = AppendAttribute(order, b, typ, make([]byte, 4))
	order.PutUint32(b[len(b)-4:], n)
	return b
}

// Uint32 reads a u32. A payload that is too short reads as 0: kernels have made
// attributes wider, never narrower.
func Uint32(order binary.ByteOrder, payload []byte) uint32 {
	if len(payload) < 4 {
		return 0
	}
	return order.Uint32(payload)
}

// Text reads a string that ends with the payload or with a zero byte.
func Text(payload []byte) string {
	payload, _, _ = bytes.Cut(payload, []byte{0})
	return string(payload)
}
