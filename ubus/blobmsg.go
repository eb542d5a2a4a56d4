// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"
)

// Blobmsg: attributes whose id is a type and whose payload begins with a 16-bit
// length, a name, a NUL and zeros up to a multiple of four bytes. Elements of an
// array have the empty name.

// Type is the wire type of a value. See [Table] for the Go types.
type Type uint8

// The types of blobmsg, with the codes of libubox/blobmsg.h.
const (
	typeNull Type = iota
	TypeArray
	TypeTable
	TypeString
	TypeInt64
	TypeInt32
	TypeInt16
	TypeBool
	TypeDouble
)

// String gives the name that ubus(1) uses where it has one.
func (t Type) String() string {
	names := [...]string{"null", "array", "table", "string", "int64", "integer", "int16", "boolean", "double"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type %d", uint8(t))
}

const (
	nameHead  = 2
	maxName   = math.MaxUint16
	maxDepth  = 32
	maxValues = 16384
)

var (
	errDeep    = errors.New("table nested more than 32 deep")
	errMany    = errors.New("more than 16384 values in one message")
	errNUL     = errors.New("text with a NUL byte cannot be sent")
	errLong    = errors.New("field name above 65535 bytes")
	errUint64  = errors.New("unsigned number does not fit 63 bits")
	errUnknown = errors.New("go type has no counterpart on ubus")
)

// encoder appends blobmsg fields to buf. After an error it appends nothing more.
type encoder struct {
	buf    []byte
	values int
	err    error
}

// appendTableAttr appends attribute id with the fields of t.
func appendTableAttr(b []byte, id uint8, t Table) ([]byte, error) {
	b, start := openAttr(b, uint32(id)<<attrIDShift)
	e := encoder{buf: b}
	e.fields(t, 1)
	if e.err != nil {
		return nil, e.err
	}
	return closeAttr(e.buf, start), nil
}

func (e *encoder) fields(t map[string]any, depth int) {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if e.field(name, t[name], depth); e.err != nil {
			e.err = fmt.Errorf("field %q: %w", name, e.err)
			return
		}
	}
}

// open begins a field and returns where, for close.
func (e *encoder) open(t Type, name string) (start int) {
	e.buf, start = openAttr(e.buf, attrNamed|uint32(t)<<attrIDShift)
	e.buf = binary.BigEndian.AppendUint16(e.buf, uint16(len(name)))
	e.buf = append(append(e.buf, name...), 0)
	e.buf = appendPadding(e.buf, start)
	return start
}

func (e *encoder) close(start int) {
	e.buf = closeAttr(e.buf, start)
	if len(e.buf) > maxBlob && e.err == nil {
		e.err = errTooLarge
	}
}

func (e *encoder) field(name string, v any, depth int) {
	e.values++
	wire, kind, err := onWire(v)
	text, _ := wire.(string)
	switch {
	case err != nil:
		e.err = fmt.Errorf("%T: %w", v, err)
	case len(name) > maxName:
		e.err = errLong
	case strings.IndexByte(name, 0) >= 0, strings.IndexByte(text, 0) >= 0:
		e.err = errNUL
	case depth > maxDepth:
		e.err = errDeep
	case e.values > maxValues:
		e.err = errMany
	case len(e.buf)+len(name)+len(text) > maxBlob:
		e.err = errTooLarge
	default:
		start := e.open(kind, name)
		e.payload(wire, depth)
		e.close(start)
	}
}

// onWire gives v the one Go type that stands for its wire type.
func onWire(v any) (any, Type, error) {
	switch v := v.(type) {
	case nil:
		return nil, typeNull, nil
	case bool:
		return v, TypeBool, nil
	case string:
		return v, TypeString, nil
	case float64:
		return v, TypeDouble, nil
	case Table:
		return map[string]any(v), TypeTable, nil
	case map[string]any:
		return v, TypeTable, nil
	case []any:
		return v, TypeArray, nil
	}
	return integerOnWire(v)
}

func integerOnWire(v any) (any, Type, error) {
	switch v := v.(type) {
	case int16:
		return v, TypeInt16, nil
	case int8:
		return int32(v), TypeInt32, nil
	case uint8:
		return int32(v), TypeInt32, nil
	case uint16:
		return int32(v), TypeInt32, nil
	case int32:
		return v, TypeInt32, nil
	case uint32:
		return int64(v), TypeInt64, nil
	case int64:
		return v, TypeInt64, nil
	case int:
		return integerOnWire(narrow(int64(v)))
	case uint64:
		if v > math.MaxInt64 {
			return nil, typeNull, errUint64
		}
		return int64(v), TypeInt64, nil
	}
	return nil, typeNull, errUnknown
}

func (e *encoder) payload(wire any, depth int) {
	switch v := wire.(type) {
	case bool:
		var b byte
		if v {
			b = 1
		}
		e.buf = append(e.buf, b)
	case string:
		e.buf = append(append(e.buf, v...), 0)
	case int16:
		e.buf = binary.BigEndian.AppendUint16(e.buf, uint16(v))
	case int32:
		e.buf = binary.BigEndian.AppendUint32(e.buf, uint32(v))
	case int64:
		e.buf = binary.BigEndian.AppendUint64(e.buf, uint64(v))
	case float64:
		e.buf = binary.BigEndian.AppendUint64(e.buf, math.Float64bits(v))
	case map[string]any:
		e.fields(v, depth+1)
	case []any:
		for i, element := range v {
			if e.field("", element, depth+1); e.err != nil {
				e.err = fmt.Errorf("element %d: %w", i, e.err)
				return
			}
		}
	}
}

// field is one named value, still encoded.
type field struct {
	name    string
	kind    Type
	payload []byte
}

// nextField takes the first field off b, which must not be empty.
func nextField(b []byte) (f field, rest []byte, err error) {
	a, rest, err := nextAttr(b)
	if err != nil {
		return field{}, nil, err
	}
	if !a.named || len(a.payload) < nameHead {
		return field{}, nil, errMalformed
	}
	length := int(binary.BigEndian.Uint16(a.payload))
	// The head of the attribute is aligned, so its payload aligns the same way.
	value := align4(nameHead + length + 1)
	if value > len(a.payload) {
		return field{}, nil, errMalformed
	}
	name, ok := cString(a.payload[nameHead : nameHead+length+1])
	if !ok || len(name) != length {
		return field{}, nil, errMalformed
	}
	return field{name: name, kind: Type(a.id), payload: a.payload[value:]}, rest, nil
}

// decodeTable reads fields to the end of b.
func decodeTable(b []byte) (Table, error) {
	var d decoder
	return d.table(b, 1)
}

// decoder counts what it has read, so that a small message cannot become a large
// amount of memory.
type decoder struct{ values int }

func (d *decoder) table(b []byte, depth int) (Table, error) {
	t := Table{}
	err := d.each(b, depth, func(f field, v any) {
		if _, twice := t[f.name]; !twice {
			t[f.name] = v
		}
	})
	return t, err
}

func (d *decoder) array(b []byte, depth int) ([]any, error) {
	list := []any{}
	err := d.each(b, depth, func(_ field, v any) { list = append(list, v) })
	return list, err
}

func (d *decoder) each(b []byte, depth int, found func(field, any)) error {
	for len(b) > 0 {
		f, rest, err := nextField(b)
		if err != nil {
			return err
		}
		if depth > maxDepth {
			return errDeep
		}
		if d.values++; d.values > maxValues {
			return errMany
		}
		v, err := d.value(f, depth)
		if err != nil {
			return err
		}
		found(f, v)
		b = rest
	}
	return nil
}

func (d *decoder) value(f field, depth int) (any, error) {
	switch f.kind {
	case typeNull:
		return nil, nil
	case TypeString:
		if s, ok := cString(f.payload); ok {
			return s, nil
		}
		return nil, errMalformed
	case TypeTable:
		return d.table(f.payload, depth+1)
	case TypeArray:
		return d.array(f.payload, depth+1)
	}
	return decodeNumber(f)
}

func decodeNumber(f field) (any, error) {
	switch {
	case f.kind == TypeBool && len(f.payload) == 1:
		return f.payload[0] != 0, nil
	case f.kind == TypeInt16 && len(f.payload) == 2:
		return int16(binary.BigEndian.Uint16(f.payload)), nil
	case f.kind == TypeInt32 && len(f.payload) == 4:
		return int32(binary.BigEndian.Uint32(f.payload)), nil
	case f.kind == TypeInt64 && len(f.payload) == 8:
		return int64(binary.BigEndian.Uint64(f.payload)), nil
	case f.kind == TypeDouble && len(f.payload) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(f.payload)), nil
	}
	return nil, errMalformed
}
