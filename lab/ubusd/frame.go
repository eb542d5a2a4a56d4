// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Kind is the kind of a message (ubusmsg.h, enum ubus_msg_type).
type Kind byte

// The kinds of messages that the server knows. It answers others with [InvalidCommand].
const (
	Hello        Kind = 0
	StatusOf     Kind = 1
	Data         Kind = 2
	Ping         Kind = 3
	Lookup       Kind = 4
	Invoke       Kind = 5
	AddObject    Kind = 6
	RemoveObject Kind = 7
)

// Ids of the attributes of messages (ubusmsg.h, enum ubus_msg_attr).
const (
	attrStatus    byte = 1
	attrPath      byte = 2
	attrObject    byte = 3
	attrMethod    byte = 4
	attrType      byte = 5
	attrSignature byte = 6
	attrData      byte = 7
	attrNoReply   byte = 10
	attrUser      byte = 12
	attrGroup     byte = 13
)

// maxBody is the most that a message may hold in its blob, in bytes (UBUS_MAX_MSGLEN).
const maxBody = 1 << 20

const frameHead = 8

// frame is one message. On the wire it is a version (0), the kind, a sequence number, a peer, and a blob of attributes.
type frame struct {
	kind Kind
	seq  uint16
	peer uint32
	body []byte
}

func (f frame) bytes() []byte {
	b := []byte{0, byte(f.kind)}
	b = binary.BigEndian.AppendUint16(b, f.seq)
	b = binary.BigEndian.AppendUint32(b, f.peer)
	return append(b, blob(0, f.body)...)
}

func readFrame(r io.Reader) (frame, error) {
	head := make([]byte, frameHead+blobHead)
	if _, err := io.ReadFull(r, head); err != nil {
		return frame{}, err
	}
	size := int(binary.BigEndian.Uint32(head[frameHead:]) & 0xffffff)
	if head[0] != 0 || size < blobHead || size > maxBody {
		return frame{}, fmt.Errorf("frame of version %d and %d bytes", head[0], size)
	}
	f := frame{kind: Kind(head[1]), seq: binary.BigEndian.Uint16(head[2:]), peer: binary.BigEndian.Uint32(head[4:])}
	f.body = make([]byte, padded(size)-blobHead)
	_, err := io.ReadFull(r, f.body)
	f.body = f.body[:size-blobHead]
	return f, err
}
