// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"slices"
	"syscall"

	"sqmd/ifb"
	"sqmd/link"
	"sqmd/tc"
)

// device is one link with its traffic control.
type device struct {
	link       ifb.Link
	txQueueLen uint32 // packets
	// noQueue is set for devices that by default have no queue.
	noQueue    bool
	carrier    bool
	ups, downs uint32 // how often the carrier came and went
	master     int
	foreign    bool

	// active is set while there is a root qdisc, the default one included: a
	// device that was never up has none.
	active bool
	root   *qdisc // nil for the default
	hook   *qdisc // ingress or clsact
	// hooked is set once there was a hook: the kernel then answers otherwise to
	// the deletion of one.
	hooked bool
}

// hardware is the kind of links that no program made.
const hardware = "device"

const (
	ethernetHeader    = 14
	defaultTxQueueLen = 1000
	ifbTxQueueLen     = 32
	pppTxQueueLen     = 3
)

// queueless are the kinds of virtual devices without a queue of their own.
var queueless = []string{"veth", "vlan", "bridge", "dummy", "wireguard", "macvlan", "vxlan"}

func (k *Kernel) addDevice(name, kind string, mtu, queues int) *device {
	k.lastIndex++
	d := &device{
		link:       ifb.Link{Index: k.lastIndex, Name: name, Kind: kind, MTU: mtu, Header: ethernetHeader, TxQueues: queues},
		txQueueLen: defaultTxQueueLen, noQueue: slices.Contains(queueless, kind), carrier: true,
	}
	switch kind {
	case "ifb":
		d.txQueueLen = ifbTxQueueLen
	case "ppp":
		d.txQueueLen, d.link.Header = pppTxQueueLen, 0
	case "wireguard":
		d.link.Header = 0
	}
	k.devices = append(k.devices, d)
	k.linkSeen(d)
	return d
}

// remove takes the device away with all that is on it. Redirects that led to it
// stay, and lose every packet from now on.
func (k *Kernel) remove(d *device) {
	k.devices = slices.DeleteFunc(k.devices, func(other *device) bool { return other == d })
	for _, other := range k.devices {
		for _, f := range other.filters() {
			for _, a := range actionsOf(f.Options) {
				if m, ok := a.Options.(*tc.Mirred); ok && m.Ifindex == d.link.Index {
					m.Ifindex = 0
				}
			}
		}
	}
	if d.link.Up {
		k.change(d, func() { d.link.Up = false })
	}
	k.linkGone(d.link.Index)
}

func (k *Kernel) setUp(d *device) {
	k.change(d, func() { d.link.Up, d.active = true, true })
}

// change alters the link and tells of it.
func (k *Kernel) change(d *device, alter func()) {
	alter()
	k.linkSeen(d)
}

// psched is the size of the largest packet as the scheduler counts it.
func (d *device) psched() uint32 { return uint32(d.link.MTU + d.link.Header) }

// qdiscs is all qdiscs of the device that have a handle.
func (d *device) qdiscs() []*qdisc {
	var all []*qdisc
	for _, q := range []*qdisc{d.root, d.hook} {
		all = q.appendTo(all)
	}
	return all
}

// lookup finds a qdisc by its handle.
func (d *device) lookup(h tc.Handle) *qdisc {
	for _, q := range d.qdiscs() {
		if q.Handle.Major() == h.Major() {
			return q
		}
	}
	return nil
}

// filters is all filters of the device.
func (d *device) filters() []*filter {
	var all []*filter
	for _, q := range d.qdiscs() {
		for _, b := range q.blocks() {
			all = append(all, b.all()...)
		}
	}
	return all
}

// Links is all devices.
func (k *Kernel) Links() ([]ifb.Link, error) {
	if err := k.asks("dump links"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	links := make([]ifb.Link, len(k.devices))
	for i, d := range k.devices {
		links[i] = d.watched()
	}
	return links, nil
}

// CreateIFB makes an IFB, down, and gives its index. The error is EEXIST for a
// name that is taken.
func (k *Kernel) CreateIFB(name string, queues int) (int, error) {
	if err := k.asks("create %s", name); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.lacking["ifb"]:
		return 0, syscall.EOPNOTSUPP
	case len(name) > link.NameMax:
		return 0, syscall.ERANGE
	case name == "" || queues < 1:
		return 0, syscall.EINVAL
	case k.byName(name) != nil:
		return 0, syscall.EEXIST
	}
	return k.addDevice(name, "ifb", 1500, queues).link.Index, nil
}

// SetAlias sets a device's interface alias; ENODEV when there is none.
func (k *Kernel) SetAlias(ifindex int, alias string) error {
	return k.onDevice("mark", ifindex, func(d *device) error {
		d.link.Alias = alias
		if d.link.Up { // the kernel keeps it to itself otherwise
			k.linkSeen(d)
		}
		return nil
	})
}

// SetUp sets a device up; ENODEV when there is none.
func (k *Kernel) SetUp(ifindex int) error {
	return k.onDevice("set up", ifindex, func(d *device) error {
		k.setUp(d)
		return nil
	})
}

// DeleteLink removes a device; ENODEV when there is none, EOPNOTSUPP for
// hardware.
func (k *Kernel) DeleteLink(ifindex int) error {
	return k.onDevice("remove", ifindex, func(d *device) error {
		if d.link.Kind == hardware {
			return syscall.EOPNOTSUPP
		}
		k.remove(d)
		return nil
	})
}

func (k *Kernel) onDevice(verb string, ifindex int, do func(*device) error) error {
	if err := k.asks("%s %s", verb, k.nameOf(ifindex)); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byIndex(ifindex)
	switch {
	case ifindex == 0 && verb != "set up": // to the kernel it is not given
		return syscall.EINVAL
	case d == nil:
		return syscall.ENODEV
	}
	return do(d)
}
