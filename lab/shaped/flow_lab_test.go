// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package shaped_test

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab"
	"sqmd/lab/dsfield"
)

// flow is UDP traffic that does not give way.
type flow struct {
	path
	ipv6             bool
	fromPort, toPort uint16
	tos              int // DSCP in the upper six bits, ECN in the lower two
	size             int // of a packet in bytes, with IP and UDP headers
}

// ECN codepoints (RFC 3168).
const (
	notECT = 0
	ect0   = 2
)

func (f flow) addresses() (from, to netip.AddrPort) {
	if f.ipv6 {
		return netip.AddrPortFrom(f.from.IPv6, f.fromPort), netip.AddrPortFrom(f.to.IPv6, f.toPort)
	}
	return netip.AddrPortFrom(f.from.IPv4, f.fromPort), netip.AddrPortFrom(f.to.IPv4, f.toPort)
}

func (f flow) headers() int {
	if f.ipv6 {
		return 40 + 8
	}
	return 20 + 8
}

// open makes the sender, which is connected, and the receiver.
func (f flow) open() (sender, receiver int, err error) {
	from, to := f.addresses()
	if receiver, err = bound(f.to.Namespace, to); err != nil {
		return 0, 0, err
	}
	if sender, err = bound(f.from.Namespace, from); err != nil {
		unix.Close(receiver)
		return 0, 0, err
	}
	if err = dsfield.Set(sender, f.ipv6, uint8(f.tos)); err == nil {
		err = unix.Connect(sender, socketAddress(to))
	}
	if err != nil {
		unix.Close(sender)
		unix.Close(receiver)
		return 0, 0, fmt.Errorf("connect %v to %v: %w", from, to, err)
	}
	return sender, receiver, nil
}

// bound makes a UDP socket in a namespace.
func bound(in lab.Namespace, address netip.AddrPort) (socket int, err error) {
	family := unix.AF_INET
	if address.Addr().Is6() {
		family = unix.AF_INET6
	}
	err = in.Do(func() error {
		socket, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := unix.Bind(socket, socketAddress(address)); err != nil {
		unix.Close(socket)
		return 0, fmt.Errorf("bind to %v: %w", address, err)
	}
	return socket, nil
}

func socketAddress(to netip.AddrPort) unix.Sockaddr {
	if to.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
}

// tick is how often a flow sends what is due.
const tick = 10 * time.Millisecond

// flood sends at a rate in bit/s for a time.
func (f flow) flood(rate float64, duration time.Duration) error {
	sender, receiver, err := f.open()
	if err != nil {
		return err
	}
	defer unix.Close(sender)
	defer unix.Close(receiver)
	payload := make([]byte, f.size-f.headers())
	begin := time.Now()
	for sent := 0; ; {
		elapsed := time.Since(begin)
		if elapsed > duration {
			return nil
		}
		for due := int(elapsed.Seconds() * rate / 8 / float64(f.size)); sent < due; sent++ {
			// What the host's own queue has no room for is lost there instead of in the shaper.
			if err := unix.Sendto(sender, payload, unix.MSG_DONTWAIT, nil); err != nil && err != unix.EAGAIN && err != unix.ENOBUFS {
				return fmt.Errorf("send: %w", err)
			}
		}
		time.Sleep(tick)
	}
}

// send sends packets one after the other and returns the traffic classes that they arrive with.
func (f flow) send(count int) (arrived []int, err error) {
	sender, receiver, err := f.open()
	if err != nil {
		return nil, err
	}
	defer unix.Close(sender)
	defer unix.Close(receiver)
	timeout := unix.NsecToTimeval(int64(5 * time.Second))
	if err := dsfield.Ask(receiver, f.ipv6); err != nil {
		return nil, err
	}
	if err := unix.SetsockoptTimeval(receiver, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return nil, err
	}
	data, control := make([]byte, f.size), make([]byte, 64)
	for range count {
		if _, err := unix.Write(sender, make([]byte, f.size-f.headers())); err != nil {
			return arrived, fmt.Errorf("send: %w", err)
		}
		_, controlled, _, _, err := unix.Recvmsg(receiver, data, control, 0)
		for err == unix.EINTR {
			_, controlled, _, _, err = unix.Recvmsg(receiver, data, control, 0)
		}
		if err != nil {
			return arrived, fmt.Errorf("packet %d did not arrive: %w", len(arrived)+1, err)
		}
		tos, err := dsfield.Of(control[:controlled])
		if err != nil {
			return arrived, err
		}
		arrived = append(arrived, int(tos))
	}
	return arrived, nil
}
