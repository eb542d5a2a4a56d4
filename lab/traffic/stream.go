// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Stream sends numbered UDP packets at a constant rate; the receiver sees which are lost, late or out of order. Slow it
// is a probe for changes that must not lose a packet, fast it is a load that does not give way.
type Stream struct {
	Path
	// Rate in packets per second; 1000 by default.
	Rate int
	// Size in bytes of a packet with its IP and UDP headers, at most 1500; 100 by default.
	Size int
	// DSCP is the packets' codepoint, 0 to 63.
	DSCP uint8
}

// Flow is a Stream that has been started.
type Flow struct {
	prober   prober
	arrivals []numbered
}

// numberSize is the length of the number that every packet begins with.
const numberSize = 4

// Start begins to send.
func (s Stream) Start() (*Flow, error) {
	if s.Rate == 0 {
		s.Rate = 1000
	}
	if s.Size == 0 {
		s.Size = 100
	}
	sender, receiver, err := s.openUDP()
	if err != nil {
		return nil, fmt.Errorf("stream from %v: %w", s.Path, err)
	}
	payload := make([]byte, max(numberSize, min(s.Size, 1500)-s.headers()))
	f := new(Flow)
	f.prober = prober{
		sender: sender, receiver: receiver,
		interval: time.Second / time.Duration(s.Rate),
		packet: func(number uint32) []byte {
			binary.BigEndian.PutUint32(payload, number)
			return payload
		},
		arrived:  f.arrived,
		complete: func() bool { return len(f.arrivals) >= len(f.prober.sent) },
	}
	if err = setDSCP(sender, s.destination(), s.DSCP); err == nil {
		err = f.prober.start()
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("stream from %v: %w", s.Path, err)
	}
	return f, nil
}

// headers returns the length of a packet's IP and UDP headers in bytes.
func (s Stream) headers() int {
	if s.IPv6 {
		return 40 + 8
	}
	return 20 + 8
}

func (f *Flow) arrived(data []byte, at time.Duration) {
	if len(data) >= numberSize {
		f.arrivals = append(f.arrivals, numbered{binary.BigEndian.Uint32(data), at})
	}
}

// Stop schedules no more packets, waits for those that are scheduled and, up to patience, for their arrival, and reports
// on all.
func (f *Flow) Stop(patience time.Duration) (Report, error) {
	err := f.prober.stop(patience)
	f.close()
	return newReport(f.prober.sent, f.arrivals), err
}

func (f *Flow) close() {
	unix.Close(f.prober.sender)
	unix.Close(f.prober.receiver)
}
