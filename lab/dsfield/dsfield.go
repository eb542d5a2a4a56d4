// SPDX-License-Identifier: GPL-2.0-or-later

// Package dsfield sets and reads the octet that IPv4 calls type of service and IPv6 traffic class, of what a socket sends
// and receives. Its upper six bits are the DSCP (RFC 2474, section 3), the others ECN.
package dsfield

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Set makes a socket send packets with the octet.
func Set(socket int, ipv6 bool, octet uint8) error {
	level, option := unix.IPPROTO_IP, unix.IP_TOS
	if ipv6 {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
	}
	if err := unix.SetsockoptInt(socket, level, option, int(octet)); err != nil {
		return fmt.Errorf("set traffic class %#02x: %w", octet, err)
	}
	return nil
}

// Ask makes a socket tell the octet of each packet that it receives, in the control data of recvmsg(2), where [Of] finds
// it.
func Ask(socket int, ipv6 bool) error {
	level, option := unix.IPPROTO_IP, unix.IP_RECVTOS
	if ipv6 {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_RECVTCLASS
	}
	if err := unix.SetsockoptInt(socket, level, option, 1); err != nil {
		return fmt.Errorf("ask for the traffic class: %w", err)
	}
	return nil
}

// Of reads the octet from the control data of a packet. They have a byte with IPv4, and an int in the machine's order
// with IPv6.
func Of(control []byte) (octet uint8, err error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, fmt.Errorf("read control data: %w", err)
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.IPPROTO_IP && m.Header.Type == unix.IP_TOS && len(m.Data) >= 1:
			return m.Data[0], nil
		case m.Header.Level == unix.IPPROTO_IPV6 && m.Header.Type == unix.IPV6_TCLASS && len(m.Data) >= 4:
			return uint8(binary.NativeEndian.Uint32(m.Data)), nil
		}
	}
	return 0, errors.New("a packet came without its traffic class")
}
