// SPDX-License-Identifier: GPL-2.0-or-later

package link

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"sqmd/rtnl"
)

// Conn is a connection to the kernel about the links of one network namespace.
// It is not safe for concurrent use, except Close. The kernel's refusals are
// [rtnl.KernelError].
type Conn struct{ kernel *rtnl.Conn }

// Dial connects in the network namespace of the calling thread. It needs no
// privilege; changes do.
func Dial() (*Conn, error) {
	kernel, err := rtnl.Dial()
	if err != nil {
		return nil, err
	}
	return &Conn{kernel}, nil
}

// Close ends the connection. It may be called from any goroutine, and again; a
// List that is under way fails.
func (c *Conn) Close() error { return c.kernel.Close() }

// List is all links of the namespace.
func (c *Conn) List() ([]Link, error) {
	bodies, err := c.kernel.Dump(listRequest(binary.NativeEndian))
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	links := make([]Link, len(bodies))
	for i, body := range bodies {
		if links[i], _, err = Decode(binary.NativeEndian, body); err != nil {
			return nil, fmt.Errorf("list links: %w", err)
		}
	}
	return links, nil
}

// CreateIFB makes an IFB, still down, and returns its index. queues is the number
// of transmit and receive queues, 1 to 4096; 1 for an ordinary one. The error is
// EEXIST for a name that is taken, ERANGE for one of more than 15 bytes,
// EOPNOTSUPP where the kernel has no IFBs.
func (c *Conn) CreateIFB(name string, queues int) (int, error) {
	if name == "" { // the kernel would choose one
		return 0, syscall.EINVAL
	}
	if err := c.do(createRequest(binary.NativeEndian, name, queues)); err != nil {
		return 0, err
	}
	// The kernel tells the index of a new link only since 6.2 (NLM_F_ECHO).
	links, err := c.List()
	if err != nil {
		return 0, err
	}
	for _, l := range links {
		if l.Name == name {
			return l.Index, nil
		}
	}
	return 0, fmt.Errorf("%s is gone again: %w", name, syscall.ENODEV)
}

// SetAlias sets the interface alias, of at most 255 bytes; "" removes it. The
// error is ENODEV when there is no such link.
func (c *Conn) SetAlias(index int, alias string) error {
	return c.do(aliasRequest(binary.NativeEndian, index, alias))
}

// SetUp switches the link on. The error is ENODEV when there is no such link.
func (c *Conn) SetUp(index int) error { return c.do(upRequest(binary.NativeEndian, index)) }

// Delete removes the link and with it all qdiscs on it. The error is ENODEV when
// there is no such link, EOPNOTSUPP for hardware.
func (c *Conn) Delete(index int) error { return c.do(deleteRequest(binary.NativeEndian, index)) }

func (c *Conn) do(r rtnl.Request) error {
	results, err := c.kernel.Do(r)
	if err != nil {
		return err
	}
	return results[0]
}
