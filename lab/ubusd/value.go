// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Blobmsg: a blob whose id is a type with the top bit set, and whose payload is two bytes of length of the name, the
// name, a NUL, zeros up to a multiple of four, and the value.

const (
	kindNull   byte = 0
	kindArray  byte = 1
	kindTable  byte = 2
	kindText   byte = 3
	kindInt64  byte = 4
	kindInt32  byte = 5
	kindInt16  byte = 6
	kindBool   byte = 7
	kindDouble byte = 8

	namedBit byte = 0x80
)

// maxNested bounds the depth of what is read and written.
const maxNested = 64

var errNested = errors.New("value nested too deep")

// named is one field.
func named(kind byte, name string, value []byte) []byte {
	head := make([]byte, padded(2+len(name)+1))
	binary.BigEndian.PutUint16(head, uint16(len(name)))
	copy(head[2:], name)
	return blob(kind|namedBit, append(head, value...))
}

// fieldsOf encodes a table without the blob around it, in the order of the names.
func fieldsOf(table map[string]any, depth int) ([]byte, error) {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(table)) {
		field, err := fieldOf(name, table[name], depth)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		b = append(b, field...)
	}
	return b, nil
}

func fieldOf(name string, v any, depth int) ([]byte, error) {
	if depth > maxNested {
		return nil, errNested
	}
	switch v := v.(type) {
	case map[string]any:
		value, err := fieldsOf(v, depth+1)
		return named(kindTable, name, value), err
	case []any:
		var value []byte
		for _, element := range v {
			field, err := fieldOf("", element, depth+1)
			if err != nil {
				return nil, err
			}
			value = append(value, field...)
		}
		return named(kindArray, name, value), nil
	}
	return scalarOf(name, v)
}

func scalarOf(name string, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return named(kindNull, name, nil), nil
	case string:
		return named(kindText, name, append([]byte(v), 0)), nil
	case bool:
		if v {
			return named(kindBool, name, []byte{1}), nil
		}
		return named(kindBool, name, []byte{0}), nil
	case int16:
		return named(kindInt16, name, binary.BigEndian.AppendUint16(nil, uint16(v))), nil
	case int32:
		return named(kindInt32, name, binary.BigEndian.AppendUint32(nil, uint32(v))), nil
	case int64:
		return named(kindInt64, name, binary.BigEndian.AppendUint64(nil, uint64(v))), nil
	case float64:
		return named(kindDouble, name, binary.BigEndian.AppendUint64(nil, math.Float64bits(v))), nil
	}
	return nil, fmt.Errorf("%T has no type on the bus", v)
}

// cutNamed splits the first field off b.
func cutNamed(b []byte) (kind byte, name string, value, rest []byte, err error) {
	id, payload, rest, err := cutBlob(b)
	if err != nil {
		return 0, "", nil, nil, err
	}
	if id&namedBit == 0 || len(payload) < 2 {
		return 0, "", nil, nil, errBlob
	}
	length := int(binary.BigEndian.Uint16(payload))
	begin := padded(2 + length + 1)
	if begin > len(payload) || payload[2+length] != 0 {
		return 0, "", nil, nil, errBlob
	}
	return id &^ namedBit, string(payload[2 : 2+length]), payload[begin:], rest, nil
}

// tableFrom decodes fields; of two with one name the first counts.
func tableFrom(b []byte, depth int) (map[string]any, error) {
	table := map[string]any{}
	for len(b) > 0 {
		kind, name, value, rest, err := cutNamed(b)
		if err != nil {
			return nil, err
		}
		v, err := valueFrom(kind, value, depth)
		if err != nil {
			return nil, err
		}
		if _, twice := table[name]; !twice {
			table[name] = v
		}
		b = rest
	}
	return table, nil
}

func arrayFrom(b []byte, depth int) ([]any, error) {
	array := []any{}
	for len(b) > 0 {
		kind, _, value, rest, err := cutNamed(b)
		if err != nil {
			return nil, err
		}
		v, err := valueFrom(kind, value, depth)
		if err != nil {
			return nil, err
		}
		array, b = append(array, v), rest
	}
	return array, nil
}

func valueFrom(kind byte, value []byte, depth int) (any, error) {
	if depth > maxNested {
		return nil, errNested
	}
	switch kind {
	case kindTable:
		return tableFrom(value, depth+1)
	case kindArray:
		return arrayFrom(value, depth+1)
	}
	return scalarFrom(kind, value)
}

func scalarFrom(kind byte, value []byte) (any, error) {
	widths := map[byte]int{kindNull: 0, kindBool: 1, kindInt16: 2, kindInt32: 4, kindInt64: 8, kindDouble: 8}
	if kind == kindText {
		text, _, ended := bytes.Cut(value, []byte{0})
		if !ended {
			return nil, errBlob
		}
		return string(text), nil
	}
	if width, known := widths[kind]; !known || len(value) != width {
		return nil, errBlob
	}
	switch kind {
	case kindBool:
		return value[0] != 0, nil
	case kindInt16:
		return int16(binary.BigEndian.Uint16(value)), nil
	case kindInt32:
		return int32(binary.BigEndian.Uint32(value)), nil
	case kindInt64:
		return int64(binary.BigEndian.Uint64(value)), nil
	case kindDouble:
		return math.Float64frombits(binary.BigEndian.Uint64(value)), nil
	}
	return nil, nil
}
