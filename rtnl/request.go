// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// dumpTries is how often a dump is repeated when the kernel says that it changed
// while it was read (NLM_F_DUMP_INTR).
const dumpTries = 8

// Request is one message to the kernel, without its header.
type Request struct {
	Type  uint16 // RTM_*
	Flags uint16 // NLM_F_*, besides those of the exchange
	Body  []byte // in the machine's byte order
}

// appendRequest appends the message that r is to b.
func appendRequest(order binary.ByteOrder, b []byte, r Request, flags uint16, sequence uint32) []byte {
	at, size := len(b), unix.SizeofNlMsghdr+len(r.Body)
	b = append(b, make([]byte, Align(size))...)
	h := b[at:]
	order.PutUint32(h, uint32(size))
	order.PutUint16(h[4:], r.Type)
	order.PutUint16(h[6:], r.Flags|flags|unix.NLM_F_REQUEST)
	order.PutUint32(h[8:], sequence)
	copy(h[unix.SizeofNlMsghdr:], r.Body)
	return b
}

// Do sends the requests in one system call; the kernel carries them out in
// order, one after the other, with nothing of this process in between. It
// returns one error for each request, nil for success, a [KernelError] for a
// refusal. The kernel does not stop at a failure. The second result is set when
// the exchange itself failed; what was carried out is then unknown.
func (c *Conn) Do(requests ...Request) ([]error, error) {
	first := c.sequence + 1
	var out []byte
	for _, r := range requests {
		c.sequence++
		out = appendRequest(binary.NativeEndian, out, r, unix.NLM_F_ACK, c.sequence)
	}
	if err := c.send(out); err != nil {
		return nil, err
	}
	results := make([]error, len(requests))
	for waiting := len(requests); waiting > 0; {
		messages, err := c.receive()
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if at := m.Header.Seq - first; at < uint32(len(requests)) && m.Header.Type == unix.NLMSG_ERROR {
				results[at] = acknowledged(binary.NativeEndian, m.Header, m.Data)
				waiting--
			}
		}
	}
	return results, nil
}

// Dump sends a request for a list and returns the bodies of the answer. A list
// that changed while it was read is read anew.
func (c *Conn) Dump(r Request) ([][]byte, error) {
	for range dumpTries {
		bodies, whole, err := c.dump(r)
		if err != nil {
			return nil, err
		}
		if whole {
			return bodies, nil
		}
	}
	return nil, errors.New("the kernel's state changed faster than it could be read")
}

func (c *Conn) dump(r Request) (bodies [][]byte, whole bool, err error) {
	c.sequence++
	if err := c.send(appendRequest(binary.NativeEndian, nil, r, unix.NLM_F_DUMP, c.sequence)); err != nil {
		return nil, false, err
	}
	whole = true
	for {
		messages, err := c.receive()
		if err != nil {
			return nil, false, err
		}
		for _, m := range messages {
			if m.Header.Seq != c.sequence {
				continue // late, of an exchange that was given up
			}
			if m.Header.Flags&unix.NLM_F_DUMP_INTR != 0 {
				whole = false
			}
			switch m.Header.Type {
			case unix.NLMSG_DONE, unix.NLMSG_ERROR:
				return bodies, whole, acknowledged(binary.NativeEndian, m.Header, m.Data)
			}
			bodies = append(bodies, bytes.Clone(m.Data))
		}
	}
}
