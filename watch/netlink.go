// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"sqmd/link"
	"sqmd/rtnl"
)

const (
	// receiveBuffer is what the kernel may keep for us, in bytes of its own
	// accounting: some hundred notifications.
	receiveBuffer = 1 << 20
	// datagramSize is more than any notification: the kernel allocates at most
	// two pages for traffic control; those of links are larger only with dozens
	// of virtual functions.
	datagramSize = 32 << 10
	// sysfsLinks is the directory of links in sysfs.
	sysfsLinks = "/sys/class/net"
	// kernelPort is the netlink port of the kernel.
	kernelPort = 0
)

// groups are the multicast groups subscribed to.
const groups = 1<<(unix.RTNLGRP_LINK-1) | 1<<(unix.RTNLGRP_TC-1) |
	1<<(unix.RTNLGRP_IPV4_IFADDR-1) | 1<<(unix.RTNLGRP_IPV6_IFADDR-1)

// subscription is the kernel's side of a [Source]: one socket for notifications
// and one for questions.
//
// The first is no [rtnl.Conn], because of what must follow an ENOBUFS: see drain.
type subscription struct {
	file     *os.File
	raw      syscall.RawConn
	datagram []byte
	query    *link.Conn
}

// Netlink subscribes to the kernel's notifications about links, IPv4 and IPv6
// addresses and traffic control in the network namespace of the calling thread.
func Netlink() (Source, error) { return subscribe(receiveBuffer) }

func subscribe(buffer int) (*subscription, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open rtnetlink socket: %w", err)
	}
	s := &subscription{file: os.NewFile(uintptr(fd), "rtnetlink"), datagram: make([]byte, datagramSize)}
	if err := s.setUp(fd, buffer); err != nil {
		s.Close()
		return nil, fmt.Errorf("set up rtnetlink socket: %w", err)
	}
	return s, nil
}

func (s *subscription) setUp(fd, buffer int) error {
	// Only root may go above net.core.rmem_max; with less, ErrLost is more frequent.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, buffer)
	}
	err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups})
	if err != nil {
		return err
	}
	if s.raw, err = s.file.SyscallConn(); err != nil {
		return err
	}
	s.query, err = link.Dial()
	return err
}

// Close is part of [Source].
func (s *subscription) Close() error {
	if s.query != nil {
		s.query.Close()
	}
	return s.file.Close()
}

// Speed reads the speed of a link from sysfs.
func (s *subscription) Speed(name string) int { return linkSpeed(sysfsLinks, name) }

// Receive is part of [Source].
func (s *subscription) Receive() ([]Message, error) {
	n, err := s.wait()
	switch {
	case errors.Is(err, unix.ENOBUFS):
		if err := s.drain(); err != nil {
			return nil, err
		}
		return nil, ErrLost
	case err != nil:
		return nil, fmt.Errorf("receive from rtnetlink: %w", err)
	case n > len(s.datagram):
		return nil, fmt.Errorf("%w: one of %d bytes", ErrLost, n)
	}
	messages, err := decodeDatagram(s.datagram[:rtnl.Align(n)])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	return messages, nil
}

// wait waits for a datagram from the kernel and returns its size, which can be
// more than the buffer takes.
func (s *subscription) wait() (n int, err error) {
	closed := s.raw.Read(func(fd uintptr) bool {
		var from unix.Sockaddr
		n, from, err = receive(fd, s.datagram)
		if sender, ok := from.(*unix.SockaddrNetlink); err == nil && ok && sender.Pid != kernelPort {
			n = 0 // from another process, which root may send: not a notification
		}
		return err != unix.EAGAIN
	})
	if closed != nil {
		return 0, closed
	}
	return n, err
}

// drain empties the queue. After an ENOBUFS the kernel drops everything, without
// another ENOBUFS, until it has seen the queue empty (NETLINK_S_CONGESTED in
// net/netlink/af_netlink.c): a list made before that could miss what came right
// after it. As nothing joins the queue meanwhile, its length bounds the loop.
func (s *subscription) drain() (err error) {
	closed := s.raw.Read(func(fd uintptr) bool {
		for err == nil || err == unix.ENOBUFS {
			_, _, err = receive(fd, s.datagram[:1])
		}
		return true
	})
	if closed != nil {
		return closed
	}
	if err != unix.EAGAIN {
		return fmt.Errorf("receive from rtnetlink: %w", err)
	}
	return nil
}

// receive takes one datagram, or fails with EAGAIN when there is none. The size
// is that of the datagram, also when the buffer is smaller.
func receive(fd uintptr, buffer []byte) (int, unix.Sockaddr, error) {
	for {
		n, from, err := unix.Recvfrom(int(fd), buffer, unix.MSG_TRUNC)
		if err != unix.EINTR {
			return n, from, err
		}
	}
}

// Links is part of [Source].
func (s *subscription) Links() ([]Link, error) { return s.query.List() }
