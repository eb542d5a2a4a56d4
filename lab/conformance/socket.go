// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab/dsfield"
)

// arrivalTimeout is how long a packet may take. The slowest shapers send a small packet every 30 ms.
const arrivalTimeout = time.Second

// errLost says that a packet did not arrive in time.
var errLost = errors.New("packet lost")

// socket is a UDP socket of one IP version that is bound to a device.
type socket struct {
	version int
	fd      int
}

func newSocket(version int, device string) (socket, error) {
	family := unix.AF_INET
	if version == 6 {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return socket{}, fmt.Errorf("make UDP socket: %w", err)
	}
	s := socket{version, fd}
	if err := unix.SetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device); err != nil {
		s.close()
		return socket{}, fmt.Errorf("bind UDP socket to %s: %w", device, err)
	}
	return s, nil
}

func (s socket) close() { unix.Close(s.fd) }

func (s socket) endpoint(ip net.IP, port int) unix.Sockaddr {
	if s.version == 4 {
		address := &unix.SockaddrInet4{Port: port}
		copy(address.Addr[:], ip.To4())
		return address
	}
	address := &unix.SockaddrInet6{Port: port}
	copy(address.Addr[:], ip.To16())
	return address
}

// send sends a packet that carries a number.
func (s socket) send(to net.IP, p Packet, number uint32) error {
	if err := dsfield.Set(s.fd, s.version == 6, p.DSCP<<2); err != nil {
		return err
	}
	return unix.Sendto(s.fd, binary.BigEndian.AppendUint32(nil, number), 0, s.endpoint(to, p.Port))
}

// listen makes the socket receive at an address, with the DSCP of what comes.
func (s socket) listen(ip net.IP, port int) error {
	if err := unix.Bind(s.fd, s.endpoint(ip, port)); err != nil {
		return fmt.Errorf("bind to %v port %d: %w", ip, port, err)
	}
	if err := dsfield.Ask(s.fd, s.version == 6); err != nil {
		return err
	}
	timeout := unix.NsecToTimeval(arrivalTimeout.Nanoseconds())
	return unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout)
}

// receive waits for the packet with a number and gives its DSCP; earlier ones are late and passed over.
func (s socket) receive(number uint32) (dscp uint8, err error) {
	payload, control := make([]byte, 64), make([]byte, 128)
	for {
		n, controlled, _, _, err := unix.Recvmsg(s.fd, payload, control, 0)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return 0, errLost
		case err != nil:
			return 0, fmt.Errorf("receive: %w", err)
		}
		if n == 4 && binary.BigEndian.Uint32(payload) == number {
			octet, err := dsfield.Of(control[:controlled])
			return octet >> 2, err
		}
	}
}
