// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"

	"sqmd/rtnl"
)

// Netlink attributes (linux/netlink.h): u16 length including these four bytes,
// u16 type, payload, padding to four bytes. Numbers are in the machine's byte
// order; the order is a field so that golden bytes of both orders can be tested
// on one machine.

const (
	attrHeader   = 4
	attrNested   = 0x8000 // NLA_F_NESTED
	attrTypeMask = 0x3fff
)

var errTruncated = errors.New("truncated netlink attribute")

// encoder appends attributes to a buffer.
type encoder struct {
	order binary.ByteOrder
	buf   []byte
}

func newEncoder(order binary.ByteOrder) *encoder { return &encoder{order: order} }

// space appends an attribute with n zero payload bytes and returns the payload.
func (e *encoder) space(typ uint16, n int) []byte {
	at := len(e.buf)
	e.buf = append(e.buf, make([]byte, rtnl.Align(attrHeader+n))...)
	e.order.PutUint16(e.buf[at:], uint16(attrHeader+n))
	e.order.PutUint16(e.buf[at+2:], typ)
	return e.buf[at+attrHeader : at+attrHeader+n]
}

func (e *encoder) u8(typ uint16, v uint8)   { e.space(typ, 1)[0] = v }
func (e *encoder) u16(typ uint16, v uint16) { e.order.PutUint16(e.space(typ, 2), v) }
func (e *encoder) u32(typ uint16, v uint32) { e.order.PutUint32(e.space(typ, 4), v) }
func (e *encoder) u64(typ uint16, v uint64) { e.order.PutUint64(e.space(typ, 8), v) }

// be16 writes network byte order, whatever the machine's.
func (e *encoder) be16(typ uint16, v uint16) { binary.BigEndian.PutUint16(e.space(typ, 2), v) }

func (e *encoder) str(typ uint16, s string)   { copy(e.space(typ, len(s)+1), s) }
func (e *encoder) bytes(typ uint16, b []byte) { copy(e.space(typ, len(b)), b) }
func (e *encoder) flag(typ uint16)            { e.space(typ, 0) }
func (e *encoder) nest(typ uint16, f func())  { e.open(typ, f) }
func (e *encoder) nestF(typ uint16, f func()) { e.open(typ|attrNested, f) }
func (e *encoder) optU32(typ uint16, v *uint32) {
	if v != nil {
		e.u32(typ, *v)
	}
}

// raw appends numbers that are not inside an attribute, for kinds whose options
// are a structure.
func (e *encoder) raw(numbers ...uint32) {
	for _, n := range numbers {
		var b [4]byte
		e.order.PutUint32(b[:], n)
		e.buf = append(e.buf, b[:]...)
	}
}

// open writes an attribute whose payload is whatever f appends, which need not
// be whole attributes.
func (e *encoder) open(typ uint16, f func()) {
	at := len(e.buf)
	e.space(typ, 0)
	f()
	size := len(e.buf) - at
	e.order.PutUint16(e.buf[at:], uint16(size))
	e.buf = append(e.buf, make([]byte, rtnl.Align(size)-size)...)
}

// decoder reads a run of attributes.
type decoder struct {
	order binary.ByteOrder
	buf   []byte
}

// each calls f for every attribute; flag bits are removed from the type. It
// fails when a length does not fit, after the attributes before it were seen.
func (d decoder) each(f func(typ uint16, v value)) error {
	return d.eachRaw(func(typ uint16, v value) { f(typ&attrTypeMask, v) })
}

// eachRaw is each with the flag bits left in the type.
func (d decoder) eachRaw(f func(typ uint16, v value)) error {
	err := rtnl.RawAttributes(d.order, d.buf, func(typ uint16, payload []byte) error {
		f(typ, value{d.order, payload})
		return nil
	})
	if err != nil {
		return errTruncated
	}
	return nil
}

// value is one attribute's payload. A payload shorter than asked for reads as 0:
// kernels have made fields wider, never narrower, and a dump must not fail.
type value struct {
	order binary.ByteOrder
	b     []byte
}

func (v value) nested() decoder { return decoder{v.order, v.b} }

// value is the buffer as one structure.
func (d decoder) value() value { return value{d.order, d.buf} }

func (v value) u8() uint8 {
	if len(v.b) < 1 {
		return 0
	}
	return v.b[0]
}

func (v value) u16() uint16 { return v.u16At(0) }
func (v value) u32() uint32 { return v.u32At(0) }

func (v value) u64() uint64 {
	if len(v.b) < 8 {
		return uint64(v.u32())
	}
	return v.order.Uint64(v.b)
}

func (v value) be16() uint16 {
	if len(v.b) < 2 {
		return 0
	}
	return binary.BigEndian.Uint16(v.b)
}

func (v value) u16At(at int) uint16 {
	if len(v.b) < at+2 {
		return 0
	}
	return v.order.Uint16(v.b[at:])
}

func (v value) u32At(at int) uint32 {
	if len(v.b) < at+4 {
		return 0
	}
	return v.order.Uint32(v.b[at:])
}

func (v value) str() string {
	for i, c := range v.b {
		if c == 0 {
			return string(v.b[:i])
		}
	}
	return string(v.b)
}

// clone copies the payload out of the receive buffer.
func (v value) clone() []byte { return append([]byte(nil), v.b...) }

// ref returns a pointer to v, for optional fields.
func ref[T any](v T) *T { return &v }
