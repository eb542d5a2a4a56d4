// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"sqmd/ifb"
	"sqmd/link"
	"sqmd/tc"
)

// Live is the kernel of the current network namespace.
type Live struct {
	*tc.Conn
	links *link.Conn
}

// OpenKernel connects to the kernel. It needs no privilege; changes do.
func OpenKernel() (*Live, error) {
	conn, err := tc.Dial()
	if err != nil {
		return nil, err
	}
	links, err := link.Dial()
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &Live{conn, links}, nil
}

// Close closes the connections.
func (l *Live) Close() {
	l.Conn.Close()
	l.links.Close()
}

// Links is all devices.
func (l *Live) Links() ([]ifb.Link, error) { return l.links.List() }

// CreateIFB makes an IFB, down, and gives its index.
func (l *Live) CreateIFB(name string, queues int) (int, error) {
	return l.links.CreateIFB(name, queues)
}

// SetAlias sets a device's interface alias.
func (l *Live) SetAlias(ifindex int, alias string) error { return l.links.SetAlias(ifindex, alias) }

// SetUp sets a device up.
func (l *Live) SetUp(ifindex int) error { return l.links.SetUp(ifindex) }

// DeleteLink removes a device.
func (l *Live) DeleteLink(ifindex int) error { return l.links.Delete(ifindex) }
