// SPDX-License-Identifier: GPL-2.0-or-later

// Package wire is what a malta guest and its host say to each other: a description of what to do, which the guest finds
// in its memory when it starts, and frames of output that it sends over a serial port.
package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"
)

// PortName is the name of the virtio serial port that carries the frames.
const PortName = "sqmd.lab"

// Kind says what the data of a frame is.
type Kind byte

// What a guest sends.
const (
	Alive   Kind = 'a' // time passes in the guest; no data
	Started Kind = 's' // the command is about to start; no data
	Stdout  Kind = 'o' // a piece of its standard output
	Stderr  Kind = 'e' // a piece of its standard error
	Failed  Kind = 'f' // why the guest could not do its work; the last frame
	Exited  Kind = 'x' // the command's exit code, as a decimal number; the last frame
)

// Pulse is how often a guest says that it is alive, by its own clock.
const Pulse = 5 * time.Second

// maxData bounds what a reader takes for a frame, in bytes.
const maxData = 1 << 20

// Frame is one message of a guest: on the wire its kind, the length of its data as four bytes, most significant first,
// and the data.
type Frame struct {
	Kind Kind
	Data []byte
}

// Read reads the next frame. It returns io.EOF when there is none, io.ErrUnexpectedEOF when it is cut off.
func Read(r io.Reader) (Frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	length := binary.BigEndian.Uint32(head[1:])
	if length > maxData {
		return Frame{}, fmt.Errorf("frame of %d bytes from the guest", length)
	}
	f := Frame{Kind: Kind(head[0]), Data: make([]byte, length)}
	if _, err := io.ReadFull(r, f.Data); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	return f, nil
}

// Sender sends frames. It may be used by several goroutines.
type Sender struct {
	mu sync.Mutex
	w  io.Writer
}

// NewSender returns a sender that writes to w.
func NewSender(w io.Writer) *Sender { return &Sender{w: w} }

// Send writes one frame, or as many as its data needs.
func (s *Sender) Send(kind Kind, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		n := min(len(data), maxData)
		frame := append([]byte{byte(kind)}, binary.BigEndian.AppendUint32(nil, uint32(n))...)
		if _, err := s.w.Write(append(frame, data[:n]...)); err != nil {
			return err
		}
		if data = data[n:]; len(data) == 0 {
			return nil
		}
	}
}

// Writer returns a writer that sends what is written to it as frames of one kind.
func (s *Sender) Writer(kind Kind) io.Writer { return writer{s, kind} }

type writer struct {
	*Sender
	kind Kind
}

func (w writer) Write(data []byte) (int, error) {
	if err := w.Send(w.kind, data); err != nil {
		return 0, err
	}
	return len(data), nil
}
