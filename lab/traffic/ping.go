// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"encoding/binary"
	"fmt"
	"net/netip"
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
	prober     prober
	roundTrips map[uint32]time.Duration // by the request's number
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
	if p.Interval == 0 {
		p.Interval = 20 * time.Millisecond
	}
	socket, err := openSocket(p.From, p.To, unix.SOCK_DGRAM, protocol)
	if err != nil {
		return nil, err
	}
	pinger := &Pinger{roundTrips: map[uint32]time.Duration{}}
	pinger.prober = prober{
		sender: socket, receiver: socket,
		interval: p.Interval,
		packet:   func(number uint32) []byte { return echoMessage(echo, number) },
		arrived:  pinger.answered,
		complete: pinger.complete,
	}
	if err = unix.Connect(socket, socketAddress(netip.AddrPortFrom(p.To, 0))); err == nil {
		err = pinger.prober.start()
	}
	if err != nil {
		unix.Close(socket)
		return nil, fmt.Errorf("ping %s from %s: %w", p.To, p.From, err)
	}
	return pinger, nil
}

// echoMessage returns a request. The kernel fills in identifier and checksum.
func echoMessage(kind byte, number uint32) []byte {
	message := make([]byte, echoHeader+echoData)
	message[0] = kind
	binary.BigEndian.PutUint16(message[6:], uint16(number))
	return message
}

func (p *Pinger) answered(message []byte, at time.Duration) {
	if len(message) < echoHeader || len(p.prober.sent) == 0 {
		return
	}
	number, ok := latest(uint32(len(p.prober.sent)-1), binary.BigEndian.Uint16(message[6:]))
	if _, again := p.roundTrips[number]; ok && !again {
		p.roundTrips[number] = at - p.prober.sent[number]
	}
}

// latest returns the highest number, up to last, with the given lower half: the half is all that a message holds.
func latest(last uint32, half uint16) (number uint32, ok bool) {
	back := uint32(uint16(last) - half)
	return last - back, back <= last
}

// complete reports whether the last request is answered.
func (p *Pinger) complete() bool {
	_, ok := p.roundTrips[uint32(len(p.prober.sent)-1)]
	return ok
}

// Stop schedules no more requests, waits for those that are scheduled and, up to patience, for the answers, and returns
// what became of each request.
func (p *Pinger) Stop(patience time.Duration) ([]Echo, error) {
	err := p.prober.stop(patience)
	unix.Close(p.prober.sender)
	echoes := make([]Echo, len(p.prober.sent))
	for i, sent := range p.prober.sent {
		echoes[i] = Echo{Sent: sent, RoundTrip: p.roundTrips[uint32(i)]}
	}
	return echoes, err
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
