// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A message is an eight-byte head (version, kind, sequence number, peer) and one
// blob attribute whose payload are the attributes of the message.

// Kinds of messages (ubusmsg.h).
const (
	kindHello        = 0
	kindStatus       = 1
	kindData         = 2
	kindLookup       = 4
	kindInvoke       = 5
	kindAddObject    = 6
	kindRemoveObject = 7
)

// Attributes of messages (ubusmsg.h).
const (
	attrStatus    = 1
	attrPath      = 2
	attrObject    = 3
	attrMethod    = 4
	attrSignature = 6
	attrData      = 7
	attrNoReply   = 10
	attrUser      = 12
	attrGroup     = 13
	attrCount     = 14
)

const messageHead = 8

// message is one frame on the socket.
type message struct {
	kind uint8
	seq  uint16
	peer uint32
	body []byte // encoded attributes
}

// frame encodes m.
func (m message) frame() ([]byte, error) {
	if len(m.body) > maxBlob-attrHead {
		return nil, errTooLarge
	}
	b := make([]byte, 0, messageHead+attrHead+len(m.body))
	b = append(b, 0, m.kind)
	b = binary.BigEndian.AppendUint16(b, m.seq)
	b = binary.BigEndian.AppendUint32(b, m.peer)
	b = binary.BigEndian.AppendUint32(b, uint32(attrHead+len(m.body)))
	return append(b, m.body...), nil
}

// readMessage reads one frame. After an error the stream cannot be used further.
func readMessage(r io.Reader) (message, error) {
	var head [messageHead + attrHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return message{}, err
	}
	size := int(binary.BigEndian.Uint32(head[messageHead:]) & attrLenMask)
	if head[0] != 0 || size < attrHead || size > maxBlob {
		return message{}, fmt.Errorf("%w: version %d, length %d", errMalformed, head[0], size)
	}
	m := message{
		kind: head[1],
		seq:  binary.BigEndian.Uint16(head[2:]),
		peer: binary.BigEndian.Uint32(head[4:]),
		body: make([]byte, size-attrHead),
	}
	if _, err := io.ReadFull(r, m.body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return message{}, err
	}
	return m, nil
}

// attrs holds the payloads of a message's attributes by id; nil is absent.
type attrs [attrCount][]byte

// parseAttrs splits a body. Attributes of newer protocols are skipped.
func parseAttrs(body []byte) (a attrs, err error) {
	for len(body) > 0 {
		var next attr
		if next, body, err = nextAttr(body); err != nil {
			return attrs{}, err
		}
		if next.id < attrCount {
			a[next.id] = next.payload
		}
	}
	return a, nil
}

func (a *attrs) uint32(id uint8) (uint32, bool) {
	if len(a[id]) != 4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(a[id]), true
}

// text returns a string attribute, empty where it is absent or malformed.
func (a *attrs) text(id uint8) string {
	s, _ := cString(a[id])
	return s
}

// flag tells whether a one-byte attribute is there and not zero.
func (a *attrs) flag(id uint8) bool {
	return len(a[id]) == 1 && a[id][0] != 0
}
