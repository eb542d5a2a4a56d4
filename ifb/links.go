// SPDX-License-Identifier: GPL-2.0-or-later

package ifb

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const ethernetHeader = 14

// listTries is how often the list of links is read anew when links came or went
// while it was read.
const listTries = 8

// Link is a network device as far as shaping cares.
type Link struct {
	Index    int
	Name     string
	Kind     string // "ifb", "veth", "vlan", ...; "device" for hardware
	Alias    string
	MTU      int // bytes
	Header   int // bytes of link header that the kernel counts with a packet: 14 on Ethernet, 0 on PPP
	TxQueues int
	Up       bool
}

// Links reads devices and makes IFBs in one network namespace.
type Links struct{ handle *netlink.Handle }

// OpenLinks opens a connection in the current network namespace.
func OpenLinks() (*Links, error) {
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open rtnetlink socket for links: %w", err)
	}
	return &Links{handle}, nil
}

// Close closes the connection.
func (l *Links) Close() { l.handle.Close() }

// List is all devices of the namespace.
func (l *Links) List() ([]Link, error) {
	found, err := l.handle.LinkList()
	for try := 1; errors.Is(err, netlink.ErrDumpInterrupted) && try < listTries; try++ {
		found, err = l.handle.LinkList()
	}
	if err != nil {
		return nil, fmt.Errorf("list links: %w", err)
	}
	links := make([]Link, len(found))
	for i, f := range found {
		links[i] = fromNetlink(f)
	}
	return links, nil
}

func fromNetlink(f netlink.Link) Link {
	a := f.Attrs()
	header := 0
	if a.EncapType == "ether" {
		header = ethernetHeader
	}
	return Link{Index: a.Index, Name: a.Name, Kind: f.Type(), Alias: a.Alias, MTU: a.MTU, Header: header,
		TxQueues: a.NumTxQueues, Up: a.RawFlags&unix.IFF_UP != 0}
}

// Create makes an IFB, still down, and returns its index. queues is the number
// of transmit and receive queues; 1 for an ordinary one.
func (l *Links) Create(name string, queues int) (int, error) {
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.NumTxQueues, attrs.NumRxQueues = name, queues, queues
	attrs.TxQLen = -1 // the kernel's own default for an IFB
	if err := l.handle.LinkAdd(&netlink.Ifb{LinkAttrs: attrs}); err != nil {
		return 0, err
	}
	made, err := l.handle.LinkByName(name)
	if err != nil {
		return 0, err
	}
	return made.Attrs().Index, nil
}

// SetAlias sets the interface alias.
func (l *Links) SetAlias(index int, alias string) error {
	return l.handle.LinkSetAlias(byIndex(index), alias)
}

// SetUp sets the device up.
func (l *Links) SetUp(index int) error { return l.handle.LinkSetUp(byIndex(index)) }

// Delete removes the device and with it all qdiscs on it.
func (l *Links) Delete(index int) error { return l.handle.LinkDel(byIndex(index)) }

func byIndex(index int) netlink.Link {
	return &netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: index}}
}
