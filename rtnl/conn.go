// SPDX-License-Identifier: GPL-2.0-or-later

package rtnl

import (
	"cmp"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// requestTimeout bounds one wait for the kernel. rtnetlink answers at once
	// unless another process holds the RTNL lock.
	requestTimeout = 5 * time.Second
	// datagramSize is the most that the kernel puts into one datagram of a dump,
	// and more than any acknowledgement (netlink_dump, net/netlink/af_netlink.c).
	datagramSize = 32 << 10
	// kernelPort is the netlink port of the kernel.
	kernelPort = 0
)

// Conn is one rtnetlink socket. It is not safe for concurrent use, except Close.
type Conn struct {
	file     *os.File
	raw      syscall.RawConn
	datagram []byte
	sequence uint32 // of the last request
}

// Dial opens an rtnetlink socket in the network namespace of the calling thread.
func Dial() (*Conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open rtnetlink socket: %w", err)
	}
	// The texts of refusals, and room for them because the request is not echoed.
	// Kernels that lack an option leave out the one or do the other.
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_EXT_ACK, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)
	c := &Conn{file: os.NewFile(uintptr(fd), "rtnetlink"), datagram: make([]byte, datagramSize)}
	err = unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
	if err == nil {
		c.raw, err = c.file.SyscallConn()
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("set up rtnetlink socket: %w", err)
	}
	return c, nil
}

// Close closes the socket. It may be called from any goroutine, and again; an
// exchange that is under way fails.
func (c *Conn) Close() error { return c.file.Close() }

func (c *Conn) send(out []byte) error {
	err := c.patiently(c.raw.Write, func(fd uintptr) error { return sendRaw(fd, out) })
	if err != nil {
		return fmt.Errorf("send to rtnetlink: %w", err)
	}
	return nil
}

// receive waits for a datagram from the kernel and returns its messages, which
// are good until the next call.
func (c *Conn) receive() ([]syscall.NetlinkMessage, error) {
	for {
		n, port, err := c.receiveAny()
		switch {
		case err != nil:
			return nil, fmt.Errorf("receive from rtnetlink: %w", err)
		case port != kernelPort: // root may send to anyone
			continue
		case n > len(c.datagram):
			return nil, fmt.Errorf("receive from rtnetlink: %w: %d bytes, room for %d", ErrTruncated, n, len(c.datagram))
		}
		messages, err := syscall.ParseNetlinkMessage(c.datagram[:min(Align(n), len(c.datagram))])
		if err != nil {
			return nil, fmt.Errorf("receive from rtnetlink: %w", ErrTruncated)
		}
		return messages, nil
	}
}

// receiveAny takes one datagram. n is its size, which can be more than there is
// room for.
func (c *Conn) receiveAny() (n int, port uint32, err error) {
	err = c.patiently(c.raw.Read, func(fd uintptr) error {
		var err error
		n, port, err = receiveRaw(fd, c.datagram)
		return err
	})
	return n, port, err
}

// patiently makes a call that does not wait, and makes it again when the socket is
// ready, which whenReady (raw.Read or raw.Write) waits for.
//
// As a rule there is nothing to wait for: the kernel answers before a send returns.
// Only where there is does the socket get a deadline, because the timer of one that
// is not reached wakes the process all the same.
func (c *Conn) patiently(whenReady func(func(fd uintptr) bool) error, call func(fd uintptr) error) (err error) {
	closed := c.raw.Control(func(fd uintptr) { err = call(fd) })
	if closed != nil || err != unix.EAGAIN {
		return cmp.Or(closed, err)
	}
	if err := c.file.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return err
	}
	closed = whenReady(func(fd uintptr) bool {
		err = call(fd)
		return err != unix.EAGAIN
	})
	if closed == nil {
		closed = c.file.SetDeadline(time.Time{})
	}
	return cmp.Or(closed, err)
}
