// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errBlob = errors.New("malformed attribute")

// A blob is four bytes of head, a payload and zeros up to a multiple of four. The first byte of the head is an id, of
// which the top bit says that a name leads the payload; the other three are the length with head and without zeros.

const blobHead = 4

func padded(n int) int { return (n + 3) / 4 * 4 }

func blob(id byte, payload []byte) []byte {
	size := blobHead + len(payload)
	b := make([]byte, padded(size))
	binary.BigEndian.PutUint32(b, uint32(id)<<24|uint32(size))
	copy(b[blobHead:], payload)
	return b
}

func blobUint32(id byte, v uint32) []byte { return blob(id, binary.BigEndian.AppendUint32(nil, v)) }

func blobText(id byte, s string) []byte { return blob(id, append([]byte(s), 0)) }

// cutBlob splits the first blob off b.
func cutBlob(b []byte) (id byte, payload, rest []byte, err error) {
	if len(b) < blobHead {
		return 0, nil, nil, errBlob
	}
	size := int(binary.BigEndian.Uint32(b) & 0xffffff)
	if size < blobHead || padded(size) > len(b) {
		return 0, nil, nil, errBlob
	}
	return b[0], b[blobHead:size], b[padded(size):], nil
}

// attributes are the payloads of a message by id.
type attributes map[byte][]byte

func splitAttributes(b []byte) (attributes, error) {
	a := attributes{}
	for len(b) > 0 {
		id, payload, rest, err := cutBlob(b)
		if err != nil {
			return nil, err
		}
		a[id], b = payload, rest
	}
	return a, nil
}

func (a attributes) number(id byte) (uint32, bool) {
	if len(a[id]) != 4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(a[id]), true
}

func (a attributes) text(id byte) (string, bool) {
	text, _, ended := bytes.Cut(a[id], []byte{0})
	return string(text), ended
}
