// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab"
)

// Ping sends ICMP echo requests at a fixed interval and times the answers.
type Ping struct {
	From lab.Namespace
	To   netip.Addr
	// Interval between requests, 20 ms by default.
	Interval time.Duration
}

// Pinger is a Ping that has been started. It collects answers when it is up to send anyway: the kernel's timestamps tell
// when they came, and waking for each would cost the guest more than all else that a ping does.
type Pinger struct {
	socket   int
	echo     byte
	started  time.Time
	interval time.Duration
	patience atomic.Int64 // nanoseconds to wait for answers, once Stop was called
	finished chan struct{}
	echoes   []Echo
}

// Echo is what became of one request.
type Echo struct {
	// Sent is when the request was sent, counted from the pinger's start.
	Sent time.Duration
	// RoundTrip is the time until the answer; 0 if none came.
	RoundTrip time.Duration
}

// Types of ICMP messages (RFC 792, RFC 4443).
const (
	echoRequest4 = 8
	echoRequest6 = 128
)

// Length of the ICMP echo header, and of the data that ping(8) sends by default.
const (
	echoHeader = 8
	echoData   = 56
)

// Start begins to ping.
func (p Ping) Start() (*Pinger, error) {
	protocol, echo := unix.IPPROTO_ICMP, byte(echoRequest4)
	if p.To.Is6() {
		protocol, echo = unix.IPPROTO_ICMPV6, echoRequest6
	}
	socket, err := openSocket(p.From, p.To, unix.SOCK_DGRAM, protocol)
	if err != nil {
		return nil, err
	}
	pinger := &Pinger{socket: socket, echo: echo, interval: p.Interval, finished: make(chan struct{})}
	if pinger.interval == 0 {
		pinger.interval = 20 * time.Millisecond
	}
	if err := pinger.prepare(p.To); err != nil {
		unix.Close(socket)
		return nil, fmt.Errorf("ping %s from %s: %w", p.To, p.From, err)
	}
	go pinger.run()
	return pinger, nil
}

func (p *Pinger) prepare(to netip.Addr) error {
	if err := unix.Connect(p.socket, socketAddress(netip.AddrPortFrom(to, 0))); err != nil {
		return err
	}
	return stampArrivals(p.socket)
}

// run sends until Stop is called, then waits for the last answers.
func (p *Pinger) run() {
	defer close(p.finished)
	// A locked thread that sleeps in the kernel spares the scheduler's own waking and sleeping.
	runtime.LockOSThread()
	p.started = time.Now()
	for p.patience.Load() == 0 {
		due := time.Duration(len(p.echoes)) * p.interval
		now := sleepUntil(p.started, due)
		p.send(now)
		p.collect()
	}
	stopped := time.Since(p.started)
	for !p.collect() && time.Since(p.started) < stopped+time.Duration(p.patience.Load()) {
		time.Sleep(p.interval)
	}
}

func (p *Pinger) send(now time.Duration) {
	message := make([]byte, echoHeader+echoData)
	message[0] = p.echo // the kernel fills in identifier and checksum
	binary.BigEndian.PutUint16(message[6:], uint16(len(p.echoes)))
	p.echoes = append(p.echoes, Echo{Sent: now})
	// A request that cannot be sent is a lost one.
	_ = unix.Send(p.socket, message, 0)
}

// collect notes the answers that have come and reports whether the last request is answered.
func (p *Pinger) collect() (complete bool) {
	buffer := make([]byte, echoHeader+echoData)
	for {
		answer, err := receive(p.socket, buffer, unix.MSG_DONTWAIT)
		if err != nil {
			return len(p.echoes) == 0 || p.echoes[len(p.echoes)-1].RoundTrip != 0
		}
		if len(answer.data) < echoHeader {
			continue
		}
		echo := latest(p.echoes, binary.BigEndian.Uint16(answer.data[6:]))
		if echo != nil && echo.RoundTrip == 0 {
			echo.RoundTrip = answer.at.Sub(p.started) - echo.Sent
		}
	}
}

// latest returns the last request with a sequence number; numbers repeat after 65536 requests.
func latest(echoes []Echo, sequence uint16) *Echo {
	n := len(echoes) - 1
	n -= int(uint16(n) - sequence)
	if n < 0 {
		return nil
	}
	return &echoes[n]
}

// Stop sends no more, waits up to patience for the answers that are due and returns what became of each request.
func (p *Pinger) Stop(patience time.Duration) []Echo {
	p.patience.Store(int64(max(1, patience)))
	<-p.finished
	unix.Close(p.socket)
	return p.echoes
}

// RoundTrips summarizes the requests that were sent between two times after the pinger's start.
func RoundTrips(echoes []Echo, from, to time.Duration) Summary {
	var delays []time.Duration
	sent := 0
	for _, echo := range echoes {
		if echo.Sent < from || echo.Sent >= to {
			continue
		}
		sent++
		if echo.RoundTrip != 0 {
			delays = append(delays, echo.RoundTrip)
		}
	}
	return Summarize(delays, sent)
}
