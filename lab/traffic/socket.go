// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab"
	"sqmd/lab/dsfield"
)

// connectPatience bounds how long a call on a new socket blocks.
const connectPatience = 5 * time.Second

// openSocket opens a blocking socket in the namespace, for the family of address.
func openSocket(in lab.Namespace, address netip.Addr, kind, protocol int) (socket int, err error) {
	err = in.Do(func() error {
		socket, err = unix.Socket(family(address), kind|unix.SOCK_CLOEXEC, protocol)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("open socket in %s: %w", in, err)
	}
	return socket, setPatience(socket, connectPatience)
}

// setPatience bounds how long calls on a socket block.
func setPatience(socket int, d time.Duration) error {
	timeout := unix.NsecToTimeval(int64(d))
	for _, option := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, option, &timeout); err != nil {
			return fmt.Errorf("set timeout of socket: %w", err)
		}
	}
	return nil
}

// connectTCP connects a socket. A signal of the Go runtime may interrupt the call, not the connecting.
func connectTCP(socket int, to netip.AddrPort) error {
	err := unix.Connect(socket, socketAddress(to))
	for deadline := time.Now().Add(connectPatience); err == unix.EINTR || err == unix.EALREADY; {
		if time.Now().After(deadline) {
			return unix.ETIMEDOUT
		}
		time.Sleep(10 * time.Millisecond)
		if err = unix.Connect(socket, socketAddress(to)); err == unix.EISCONN {
			return nil
		}
	}
	return err
}

func accept(listener int) (socket int, err error) {
	for {
		socket, _, err = unix.Accept4(listener, unix.SOCK_CLOEXEC)
		if err != unix.EINTR {
			return socket, err
		}
	}
}

// bind binds a socket to a free port of address and returns both.
func bind(socket int, address netip.Addr) (netip.AddrPort, error) {
	if err := unix.Bind(socket, socketAddress(netip.AddrPortFrom(address, 0))); err != nil {
		return netip.AddrPort{}, fmt.Errorf("bind to %s: %w", address, err)
	}
	bound, err := unix.Getsockname(socket)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("read bound port: %w", err)
	}
	port := 0
	switch bound := bound.(type) {
	case *unix.SockaddrInet4:
		port = bound.Port
	case *unix.SockaddrInet6:
		port = bound.Port
	}
	return netip.AddrPortFrom(address, uint16(port)), nil
}

func family(address netip.Addr) int {
	if address.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

func socketAddress(to netip.AddrPort) unix.Sockaddr {
	if to.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
}

// setDSCP makes a socket send packets with the codepoint.
func setDSCP(socket int, address netip.Addr, dscp uint8) error {
	return dsfield.Set(socket, address.Is6(), dscp<<2)
}

// retry reports whether a blocked call ended only for its user to look whether to go on.
func retry(err error) bool {
	return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR)
}
