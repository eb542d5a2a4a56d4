// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// requestTimeout bounds one exchange with the kernel. rtnetlink answers at once
// unless another process holds the RTNL lock.
const requestTimeout = 5 * time.Second

// dumpTries is how often a dump is repeated when the kernel says that it changed
// while it was read (NLM_F_DUMP_INTR).
const dumpTries = 8

// Conn is one rtnetlink socket. It is not safe for concurrent use.
type Conn struct {
	socket *nl.NetlinkSocket
	order  binary.ByteOrder
	seq    uint32
}

// Dial opens an rtnetlink socket in the current network namespace.
func Dial() (*Conn, error) {
	socket, err := nl.Subscribe(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open rtnetlink socket: %w", err)
	}
	limit := unix.NsecToTimeval(requestTimeout.Nanoseconds())
	if err := errors.Join(socket.SetSendTimeout(&limit), socket.SetReceiveTimeout(&limit), socket.SetExtAck(true)); err != nil {
		socket.Close()
		return nil, fmt.Errorf("set up rtnetlink socket: %w", err)
	}
	// Without the request echoed back, an answer has room for the kernel's text.
	// Kernels that lack the option echo it; both forms are read.
	_ = unix.SetsockoptInt(socket.GetFd(), unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)
	return &Conn{socket: socket, order: binary.NativeEndian}, nil
}

// Close closes the socket.
func (c *Conn) Close() { c.socket.Close() }

// KernelError is the kernel's refusal of a request.
type KernelError struct {
	Errno   syscall.Errno
	Message string // extended acknowledgement text, "" when the kernel gave none
}

// Error is the kernel's own message, with the errno.
func (e *KernelError) Error() string {
	if e.Message == "" {
		return e.Errno.Error()
	}
	return e.Message + " (" + e.Errno.Error() + ")"
}

// Unwrap gives the errno, so that errors.Is(err, syscall.ENOENT) works.
func (e *KernelError) Unwrap() error { return e.Errno }

// Request is one change, ready to be sent.
type Request struct {
	typ, flags uint16
	body       []byte
}

// Mode says what a request does when the object exists or does not.
type Mode uint16

// Modes of qdisc, class and filter requests.
const (
	// Add creates, and fails when the object exists.
	Add Mode = unix.NLM_F_CREATE | unix.NLM_F_EXCL
	// Replace creates, or puts in place of what is there. Where a qdisc of the
	// same kind is, with the same handle or none in the request, the kernel
	// changes that one instead, and refuses what cannot be changed.
	Replace Mode = unix.NLM_F_CREATE | unix.NLM_F_REPLACE
	// Change alters in place, and fails when the object does not exist. It takes
	// away the size table of a qdisc unless the request has one.
	Change Mode = 0
)

// QdiscRequest asks for a qdisc.
func QdiscRequest(mode Mode, q Qdisc) (Request, error) {
	if mode == Change {
		q.Options = forChange(q.Options)
	}
	body, err := q.message(binary.NativeEndian)
	return Request{unix.RTM_NEWQDISC, uint16(mode), body}, err
}

// QdiscDelete removes the qdisc at q's parent (and handle, when given).
func QdiscDelete(q Qdisc) Request {
	e := tcmsg(binary.NativeEndian, q.Ifindex, q.Handle, q.Parent, 0)
	return Request{typ: unix.RTM_DELQDISC, body: e.buf}
}

// ClassRequest asks for a class.
func ClassRequest(mode Mode, c Class) (Request, error) {
	body, err := c.message(binary.NativeEndian)
	return Request{unix.RTM_NEWTCLASS, uint16(mode), body}, err
}

// ClassDelete removes a class by its id.
func ClassDelete(c Class) Request {
	e := tcmsg(binary.NativeEndian, c.Ifindex, c.Handle, c.Parent, 0)
	return Request{typ: unix.RTM_DELTCLASS, body: e.buf}
}

// FilterRequest asks for a filter.
func FilterRequest(mode Mode, f Filter) (Request, error) {
	body, err := f.message(binary.NativeEndian)
	return Request{unix.RTM_NEWTFILTER, uint16(mode), body}, err
}

// FilterDelete removes the filter with f's parent, preference, protocol, kind
// and handle; with handle 0, all of that preference and protocol.
func FilterDelete(f Filter) Request {
	body, _ := Filter{Ifindex: f.Ifindex, Parent: f.Parent, Pref: f.Pref, Protocol: f.Protocol,
		Handle: f.Handle, Chain: f.Chain, Kind: f.Kind}.message(binary.NativeEndian)
	return Request{typ: unix.RTM_DELTFILTER, body: body}
}

// Do sends the requests in one system call; the kernel carries them out in
// order, one after the other, with nothing of this process in between. It
// returns one error for each request, nil for success. The kernel does not stop
// at a failure. The second result is set when the exchange itself failed; what
// was carried out is then unknown.
func (c *Conn) Do(requests ...Request) ([]error, error) {
	first := c.seq + 1
	var out []byte
	for _, r := range requests {
		out = c.append(out, r, unix.NLM_F_ACK)
	}
	if err := unix.Sendto(c.socket.GetFd(), out, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, fmt.Errorf("send to rtnetlink: %w", err)
	}
	results := make([]error, len(requests))
	for waiting := len(requests); waiting > 0; {
		messages, err := c.receive()
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if at := m.Header.Seq - first; at < uint32(len(requests)) && m.Header.Type == unix.NLMSG_ERROR {
				results[at] = c.ackError(m)
				waiting--
			}
		}
	}
	return results, nil
}

func (c *Conn) append(out []byte, r Request, flags uint16) []byte {
	c.seq++
	at := len(out)
	out = append(out, make([]byte, unix.SizeofNlMsghdr)...)
	out = append(out, r.body...)
	h := out[at:]
	c.order.PutUint32(h, uint32(len(h)))
	c.order.PutUint16(h[4:], r.typ)
	c.order.PutUint16(h[6:], r.flags|flags|unix.NLM_F_REQUEST)
	c.order.PutUint32(h[8:], c.seq)
	for len(out)%4 != 0 {
		out = append(out, 0)
	}
	return out
}

func (c *Conn) receive() ([]syscall.NetlinkMessage, error) {
	for {
		messages, from, err := c.socket.Receive()
		if err != nil {
			return nil, fmt.Errorf("receive from rtnetlink: %w", err)
		}
		if from.Pid == nl.PidKernel {
			return messages, nil
		}
	}
}

// ackError reads an NLMSG_ERROR: s32 errno, the request's header (and, without
// NETLINK_CAP_ACK, its body), then attributes of which 1 is the text.
func (c *Conn) ackError(m syscall.NetlinkMessage) error {
	v := value{c.order, m.Data}
	errno := syscall.Errno(-int32(v.u32()))
	if errno == 0 {
		return nil
	}
	result := &KernelError{Errno: errno}
	if m.Header.Flags&unix.NLM_F_ACK_TLVS == 0 {
		return result
	}
	attributes := 4 + unix.SizeofNlMsghdr
	if m.Header.Flags&unix.NLM_F_CAPPED == 0 {
		attributes = 4 + align4(int(v.u32At(4)))
	}
	if attributes < len(m.Data) {
		// A broken text only makes the message poorer.
		_ = decoder{c.order, m.Data[attributes:]}.each(func(typ uint16, v value) {
			if typ == nl.NLMSGERR_ATTR_MSG {
				result.Message = v.str()
			}
		})
	}
	return result
}

// dump sends a dump request and calls f for each message of the answer. start is
// called before each try, so that the caller can forget a torn earlier one.
func (c *Conn) dump(typ uint16, body []byte, start func(), f func(body []byte) error) error {
	for try := 0; try < dumpTries; try++ {
		start()
		whole, err := c.dumpOnce(typ, body, f)
		if err != nil || whole {
			return err
		}
	}
	return errors.New("the kernel's state changed faster than it could be read")
}

func (c *Conn) dumpOnce(typ uint16, body []byte, f func(body []byte) error) (whole bool, err error) {
	out := c.append(nil, Request{typ: typ, body: body}, unix.NLM_F_DUMP)
	if err := unix.Sendto(c.socket.GetFd(), out, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return false, fmt.Errorf("send to rtnetlink: %w", err)
	}
	whole = true
	for {
		messages, err := c.receive()
		if err != nil {
			return false, err
		}
		for _, m := range messages {
			if m.Header.Seq != c.seq {
				continue
			}
			if m.Header.Flags&unix.NLM_F_DUMP_INTR != 0 {
				whole = false
			}
			switch m.Header.Type {
			case unix.NLMSG_DONE, unix.NLMSG_ERROR:
				if len(m.Data) >= 4 {
					err = c.ackError(m)
				}
				return whole, err
			}
			if err := f(m.Data); err != nil {
				return false, err
			}
		}
	}
}

// Qdiscs dumps the qdiscs of all devices of the namespace, ingress and clsact
// included, with statistics.
func (c *Conn) Qdiscs() ([]Qdisc, error) {
	var all []Qdisc
	err := c.dump(unix.RTM_GETQDISC, tcmsg(c.order, 0, 0, 0, 0).buf, func() { all = nil }, func(body []byte) error {
		q, err := decodeQdisc(c.order, body)
		all = append(all, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dump qdiscs: %w", err)
	}
	return all, nil
}

// Classes dumps the classes of one device, with statistics.
func (c *Conn) Classes(ifindex int) ([]Class, error) {
	var all []Class
	err := c.dump(unix.RTM_GETTCLASS, tcmsg(c.order, ifindex, 0, 0, 0).buf, func() { all = nil }, func(body []byte) error {
		class, err := decodeClass(c.order, body)
		all = append(all, class)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dump classes: %w", err)
	}
	return all, nil
}

// Filters dumps the filters under one parent of a device. The heads that the
// kernel lists for each preference, and the hash tables of u32, carry no
// options or no rule and are left out.
func (c *Conn) Filters(ifindex int, parent Handle) ([]Filter, error) {
	var all []Filter
	err := c.dump(unix.RTM_GETTFILTER, tcmsg(c.order, ifindex, 0, parent, 0).buf, func() { all = nil }, func(body []byte) error {
		f, err := decodeFilter(c.order, body)
		if err == nil && f.Options != nil && !f.table() {
			all = append(all, f)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("dump filters: %w", err)
	}
	return all, nil
}
