// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"sync"
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

// Pinger is a Ping that has been started.
type Pinger struct {
	socket    int
	echo      byte
	started   time.Time
	interval  time.Duration
	stopped   atomic.Bool
	finished  atomic.Bool
	sending   sync.WaitGroup
	receiving sync.WaitGroup

	mutex  sync.Mutex
	echoes []Echo
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
	pinger := &Pinger{socket: socket, echo: echo, started: time.Now(), interval: p.Interval}
	if pinger.interval == 0 {
		pinger.interval = 20 * time.Millisecond
	}
	if err := pinger.prepare(p.To); err != nil {
		unix.Close(socket)
		return nil, fmt.Errorf("ping %s from %s: %w", p.To, p.From, err)
	}
	pinger.sending.Add(1)
	go pinger.send()
	pinger.receiving.Add(1)
	go pinger.receive()
	return pinger, nil
}

func (p *Pinger) prepare(to netip.Addr) error {
	if err := unix.Connect(p.socket, socketAddress(netip.AddrPortFrom(to, 0))); err != nil {
		return err
	}
	if err := stampArrivals(p.socket); err != nil {
		return err
	}
	return setPatience(p.socket, stopPatience)
}

// send sends the nth request n intervals after the start, or as soon as it can.
func (p *Pinger) send() {
	defer p.sending.Done()
	for n := 0; !p.stopped.Load(); n++ {
		time.Sleep(time.Until(p.started.Add(time.Duration(n) * p.interval)))
		message := make([]byte, echoHeader+echoData)
		message[0] = p.echo // the kernel fills in identifier and checksum
		binary.BigEndian.PutUint16(message[6:], uint16(n))
		p.mutex.Lock()
		p.echoes = append(p.echoes, Echo{Sent: time.Since(p.started)})
		p.mutex.Unlock()
		// A request that cannot be sent is a lost one.
		_ = unix.Send(p.socket, message, 0)
	}
}

func (p *Pinger) receive() {
	defer p.receiving.Done()
	buffer := make([]byte, echoHeader+echoData)
	for !p.finished.Load() {
		answer, err := receive(p.socket, buffer, 0)
		if err != nil || len(answer.data) < echoHeader {
			continue
		}
		sequence := binary.BigEndian.Uint16(answer.data[6:])
		p.mutex.Lock()
		if echo := latest(p.echoes, sequence); echo != nil && echo.RoundTrip == 0 {
			echo.RoundTrip = answer.at.Sub(p.started) - echo.Sent
		}
		p.mutex.Unlock()
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
	p.stopped.Store(true)
	p.sending.Wait()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && p.waiting(); {
		time.Sleep(10 * time.Millisecond)
	}
	p.finished.Store(true)
	p.receiving.Wait()
	unix.Close(p.socket)
	return p.echoes
}

// waiting reports whether the last request is unanswered.
func (p *Pinger) waiting() bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return len(p.echoes) > 0 && p.echoes[len(p.echoes)-1].RoundTrip == 0
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
