// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const (
	// receiveBuffer is what the kernel may keep for us, in bytes of its own
	// accounting: some hundred notifications.
	receiveBuffer = 1 << 20
	// datagramSize is more than any notification: the kernel allocates at most
	// two pages for traffic control; those of links are larger only with dozens
	// of virtual functions.
	datagramSize = 32 << 10
	// listTimeout bounds one wait for the kernel while links are listed.
	listTimeout = 5 * time.Second
	// listTries is how often links are listed when they changed meanwhile.
	listTries = 8
	// sysfsLinks is the directory of links in sysfs.
	sysfsLinks = "/sys/class/net"
	// skipStats leaves the counters out of a list (RTEXT_FILTER_SKIP_STATS,
	// linux/rtnetlink.h).
	skipStats = 1 << 3
)

// groups are the multicast groups subscribed to.
const groups = 1<<(unix.RTNLGRP_LINK-1) | 1<<(unix.RTNLGRP_TC-1) |
	1<<(unix.RTNLGRP_IPV4_IFADDR-1) | 1<<(unix.RTNLGRP_IPV6_IFADDR-1)

// subscription is the kernel's side of a [Source]: one socket for notifications
// and one for questions.
//
// The first is not one of the netlink package's, because what must follow an
// ENOBUFS can not be done with those: see drain.
type subscription struct {
	file     *os.File
	raw      syscall.RawConn
	datagram []byte
	query    nl.SocketHandle
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
	if s.query.Socket, err = nl.Subscribe(unix.NETLINK_ROUTE); err != nil {
		return err
	}
	limit := unix.NsecToTimeval(listTimeout.Nanoseconds())
	return errors.Join(s.query.Socket.SetSendTimeout(&limit), s.query.Socket.SetReceiveTimeout(&limit))
}

// Close is part of [Source].
func (s *subscription) Close() error {
	s.query.Close()
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
	messages, err := decodeDatagram(s.datagram[:align4(n)])
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
		if sender, ok := from.(*unix.SockaddrNetlink); err == nil && ok && sender.Pid != nl.PidKernel {
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
func (s *subscription) Links() ([]Link, error) {
	bodies, err := s.dumpLinks()
	for try := 1; try < listTries && errors.Is(err, netlink.ErrDumpInterrupted); try++ {
		bodies, err = s.dumpLinks()
	}
	if err != nil {
		return nil, err
	}
	links := make([]Link, 0, len(bodies))
	for _, body := range bodies {
		l, _, err := decodeLink(binary.NativeEndian, body)
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return links, nil
}

func (s *subscription) dumpLinks() ([][]byte, error) {
	request := nl.NewNetlinkRequest(unix.RTM_GETLINK, unix.NLM_F_DUMP)
	request.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	request.AddData(nl.NewRtAttr(unix.IFLA_EXT_MASK, nl.Uint32Attr(skipStats)))
	request.Sockets = map[int]*nl.SocketHandle{unix.NETLINK_ROUTE: &s.query}
	return request.Execute(unix.NETLINK_ROUTE, unix.RTM_NEWLINK)
}
