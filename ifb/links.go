// SPDX-License-Identifier: GPL-2.0-or-later

package ifb

import "sqmd/link"

// Link is a network device.
type Link = link.Link

// Links reads devices and makes IFBs in one network namespace.
type Links struct{ kernel *link.Conn }

// OpenLinks opens a connection in the current network namespace.
func OpenLinks() (*Links, error) {
	kernel, err := link.Dial()
	if err != nil {
		return nil, err
	}
	return &Links{kernel}, nil
}

// Close closes the connection.
func (l *Links) Close() { l.kernel.Close() }

// List is all devices of the namespace.
func (l *Links) List() ([]Link, error) { return l.kernel.List() }

// Create makes an IFB; see [link.Conn.CreateIFB].
func (l *Links) Create(name string, queues int) (int, error) {
	return l.kernel.CreateIFB(name, queues)
}

// SetAlias sets the interface alias.
func (l *Links) SetAlias(index int, alias string) error { return l.kernel.SetAlias(index, alias) }

// SetUp sets the device up.
func (l *Links) SetUp(index int) error { return l.kernel.SetUp(index) }

// Delete removes the device and with it all qdiscs on it.
func (l *Links) Delete(index int) error { return l.kernel.Delete(index) }
