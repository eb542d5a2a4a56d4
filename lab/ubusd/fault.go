// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import "bytes"

// Fault is a way not to answer.
type Fault int

// Faults.
const (
	// Hang takes a message and does nothing.
	Hang Fault = iota + 1
	// Drop disconnects the client.
	Drop
	// Garbage answers with bytes that are no message.
	Garbage
	// Oversize answers with a message that claims to be, and is, above 1 MiB.
	Oversize
)

// Misbehave answers messages of a kind from clients with a fault from now on, 0 for none. For [Hello] the fault takes the
// place of the greeting of those who connect.
func (s *Server) Misbehave(kind Kind, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[kind] = f
}

// Inject sends raw bytes, whatever they are, to all who are connected.
func (s *Server) Inject(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.clients {
		c.sendBytes(bytes.Clone(raw))
	}
}

// spoil answers a message with the fault for its kind and reports whether there is one. It needs the lock.
func (s *Server) spoil(c *client, kind Kind) bool {
	switch s.faults[kind] {
	case Hang:
	case Drop:
		c.conn.Close()
	case Garbage:
		c.sendBytes(bytes.Repeat([]byte{0xa5}, 64))
	case Oversize:
		c.send(frame{kind: Data, body: make([]byte, maxBody)})
	default:
		return false
	}
	return true
}
