// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Stream sends numbered UDP packets at a constant rate; the receiver sees which are lost, late or out of order. Slow it
// is a probe for changes that must not lose a packet, fast it is a load that does not give way.
type Stream struct {
	Path
	// Rate in packets per second; 1000 by default.
	Rate int
	// Size in bytes of a packet with its IP and UDP headers; 100 by default.
	Size int
	// DSCP is the packets' codepoint, 0 to 63.
	DSCP uint8
}

// Flow is a Stream that has been started.
type Flow struct {
	sender, receiver   int
	payload            []byte
	interval           time.Duration
	started            time.Time
	stopped, finished  atomic.Bool
	sending, receiving sync.WaitGroup
	sent               []time.Duration
	arrivals           []numbered
}

// numberSize is the length of the number that every packet begins with.
const numberSize = 4

// collectInterval is short enough for the receiver's buffer to hold what arrives meanwhile.
const collectInterval = 20 * time.Millisecond

// Start begins to send.
func (s Stream) Start() (*Flow, error) {
	if s.Rate == 0 {
		s.Rate = 1000
	}
	if s.Size == 0 {
		s.Size = 100
	}
	f := &Flow{
		payload:  make([]byte, max(numberSize, s.Size-s.headers())),
		interval: time.Second / time.Duration(s.Rate),
	}
	var err error
	if f.sender, f.receiver, err = s.openUDP(); err != nil {
		return nil, fmt.Errorf("stream from %v: %w", s.Path, err)
	}
	err = setDSCP(f.sender, s.destination(), s.DSCP)
	if err == nil {
		err = stampArrivals(f.receiver)
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("stream from %v: %w", s.Path, err)
	}
	f.started = time.Now()
	f.sending.Add(1)
	go f.send()
	f.receiving.Add(1)
	go f.receive()
	return f, nil
}

// headers returns the length of a packet's IP and UDP headers in bytes.
func (s Stream) headers() int {
	if s.IPv6 {
		return 40 + 8
	}
	return 20 + 8
}

// send sends packet n n intervals after the start, or as soon as it can: a pause is made up for.
func (f *Flow) send() {
	defer f.sending.Done()
	runtime.LockOSThread()
	for n := 0; !f.stopped.Load(); n++ {
		now := sleepUntil(f.started, time.Duration(n)*f.interval)
		binary.BigEndian.PutUint32(f.payload, uint32(n))
		f.sent = append(f.sent, now)
		// A packet that cannot be sent is a lost one.
		_ = unix.Send(f.sender, f.payload, 0)
	}
}

// receive collects what has arrived from time to time: the kernel's timestamps tell when that was, and waking for each
// packet would cost more than the packet.
func (f *Flow) receive() {
	defer f.receiving.Done()
	buffer := make([]byte, len(f.payload))
	for {
		last := f.finished.Load()
		for {
			packet, err := receive(f.receiver, buffer, unix.MSG_DONTWAIT)
			if err != nil {
				break
			}
			if len(packet.data) >= numberSize {
				number := binary.BigEndian.Uint32(packet.data)
				f.arrivals = append(f.arrivals, numbered{number, packet.at.Sub(f.started)})
			}
		}
		if last {
			return
		}
		time.Sleep(collectInterval)
	}
}

// Stop sends no more, waits patience for what is on the way and reports on all packets.
func (f *Flow) Stop(patience time.Duration) Report {
	f.stopped.Store(true)
	f.sending.Wait()
	time.Sleep(patience)
	f.finished.Store(true)
	f.receiving.Wait()
	f.close()
	return newReport(f.sent, f.arrivals)
}

func (f *Flow) close() {
	unix.Close(f.sender)
	unix.Close(f.receiver)
}
