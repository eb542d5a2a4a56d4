// SPDX-License-Identifier: GPL-2.0-or-later

package lmo

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// What parts a message's context from its id, and its id from the number of a plural form, in the text of a key.
const (
	contextEnd  = "\x01"
	pluralBegin = "\x02"
)

// singular is the form of a message that has no plural.
const singular = -1

// keyText is the text whose hash a message is filed under. form counts from 0, or is [singular].
func keyText(context, id string, form int) string {
	key := id
	if context != "" {
		key = context + contextEnd + id
	}
	if form != singular {
		key += pluralBegin + strconv.Itoa(form)
	}
	return key
}

// lookupText is the text that LuCI hashes to find a message: white space is a single blank, and there is none at the ends.
func lookupText(context, id string, form int) string {
	return keyText(squeeze(context), squeeze(id), form)
}

func squeeze(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }), " ")
}

// hash is Paul Hsieh's SuperFastHash with the length as its start. Bytes that are left over at the end count as signed.
// The hash of nothing is 0.
func hash(text string) uint32 {
	data := []byte(text)
	h := uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		h += uint32(binary.LittleEndian.Uint16(data))
		h = h<<16 ^ uint32(binary.LittleEndian.Uint16(data[2:]))<<11 ^ h
		h += h >> 11
	}
	signed := func(b byte) uint32 { return uint32(int32(int8(b))) }
	switch len(data) {
	case 3:
		h += uint32(binary.LittleEndian.Uint16(data))
		h ^= h << 16
		h ^= signed(data[2]) << 18
		h += h >> 11
	case 2:
		h += uint32(binary.LittleEndian.Uint16(data))
		h ^= h << 11
		h += h >> 17
	case 1:
		h += signed(data[0])
		h ^= h << 10
		h += h >> 1
	}
	h ^= h << 3
	h += h >> 5
	h ^= h << 4
	h += h >> 17
	h ^= h << 25
	h += h >> 6
	return h
}
