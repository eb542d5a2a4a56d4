// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"sqmd/rtnl"
)

// Conn is one rtnetlink socket. It is not safe for concurrent use.
type Conn struct{ kernel *rtnl.Conn }

// Dial opens an rtnetlink socket in the current network namespace.
func Dial() (*Conn, error) {
	kernel, err := rtnl.Dial()
	if err != nil {
		return nil, err
	}
	return &Conn{kernel}, nil
}

// Close closes the socket.
func (c *Conn) Close() { c.kernel.Close() }

// KernelError is the kernel's refusal of a request.
type KernelError = rtnl.KernelError

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
	messages := make([]rtnl.Request, len(requests))
	for i, r := range requests {
		messages[i] = rtnl.Request{Type: r.typ, Flags: r.flags, Body: r.body}
	}
	return c.kernel.Do(messages...)
}

// dump asks for a list of objects, named what in the error, and calls f for each.
func (c *Conn) dump(what string, typ uint16, ifindex int, parent Handle, f func(order binary.ByteOrder, body []byte) error) error {
	order := binary.NativeEndian
	bodies, err := c.kernel.Dump(rtnl.Request{Type: typ, Body: tcmsg(order, ifindex, 0, parent, 0).buf})
	for i := 0; err == nil && i < len(bodies); i++ {
		err = f(order, bodies[i])
	}
	if err != nil {
		return fmt.Errorf("dump %s: %w", what, err)
	}
	return nil
}

// Qdiscs dumps the qdiscs of all devices of the namespace, ingress and clsact
// included, with statistics.
func (c *Conn) Qdiscs() (all []Qdisc, err error) {
	err = c.dump("qdiscs", unix.RTM_GETQDISC, 0, 0, func(order binary.ByteOrder, body []byte) error {
		q, err := decodeQdisc(order, body)
		all = append(all, q)
		return err
	})
	return all, err
}

// Classes dumps the classes of one device, with statistics.
func (c *Conn) Classes(ifindex int) (all []Class, err error) {
	err = c.dump("classes", unix.RTM_GETTCLASS, ifindex, 0, func(order binary.ByteOrder, body []byte) error {
		class, err := decodeClass(order, body)
		all = append(all, class)
		return err
	})
	return all, err
}

// Filters dumps the filters under one parent of a device. The heads that the
// kernel lists for each preference, and the hash tables of u32, carry no
// options or no rule and are left out.
func (c *Conn) Filters(ifindex int, parent Handle) (all []Filter, err error) {
	err = c.dump("filters", unix.RTM_GETTFILTER, ifindex, parent, func(order binary.ByteOrder, body []byte) error {
		f, err := decodeFilter(order, body)
		if err == nil && f.Options != nil && !f.table() {
			all = append(all, f)
		}
		return err
	})
	return all, err
}
