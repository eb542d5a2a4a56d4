// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package dsfield

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestRoundTrip sends a packet with each octet through the loopback device.
func TestRoundTrip(t *testing.T) {
	for _, ipv6 := range []bool{false, true} {
		sender, receiver := pair(t, ipv6)
		if err := Ask(receiver, ipv6); err != nil {
			t.Fatal(err)
		}
		for _, octet := range []uint8{0, 1, 0x88, 0xb8, 0xff} {
			if err := Set(sender, ipv6, octet); err != nil {
				t.Fatal(err)
			}
			if _, err := unix.Write(sender, []byte("x")); err != nil {
				t.Fatal(err)
			}
			data, control := make([]byte, 8), make([]byte, 64)
			_, n, _, _, err := unix.Recvmsg(receiver, data, control, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Of(control[:n]); err != nil || got != octet {
				t.Errorf("IPv6 %v: %#02x came as %#02x, %v", ipv6, octet, got, err)
			}
		}
	}
}

// pair makes two sockets, of which the first sends to the second.
func pair(t *testing.T, ipv6 bool) (sender, receiver int) {
	t.Helper()
	family, loopback := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if ipv6 {
		family, loopback = unix.AF_INET6, &unix.SockaddrInet6{Addr: [16]byte{15: 1}}
	}
	var sockets [2]int
	for i := range sockets {
		fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		sockets[i] = fd
	}
	sender, receiver = sockets[0], sockets[1]
	if err := unix.Bind(receiver, loopback); err != nil {
		t.Fatal(err)
	}
	timeout := unix.Timeval{Sec: 10}
	if err := unix.SetsockoptTimeval(receiver, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(receiver)
	if err == nil {
		err = unix.Connect(sender, at)
	}
	if err != nil {
		t.Fatal(err)
	}
	return sender, receiver
}
