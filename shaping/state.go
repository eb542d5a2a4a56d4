// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"slices"

	"sqmd/ifb"
	"sqmd/tc"
)

// Kernel is what shaping needs of the kernel. All calls concern one network
// namespace.
type Kernel interface {
	Links() ([]ifb.Link, error)
	Qdiscs() ([]tc.Qdisc, error)
	Classes(ifindex int) ([]tc.Class, error)
	Filters(ifindex int, parent tc.Handle) ([]tc.Filter, error)
	// Do carries out requests in order without stopping at a failure, and gives
	// each one's result; see [tc.Conn.Do].
	Do(requests ...tc.Request) ([]error, error)
	// CreateIFB makes an IFB, down, and gives its index.
	CreateIFB(name string, queues int) (int, error)
	SetAlias(ifindex int, alias string) error
	SetUp(ifindex int) error
	DeleteLink(ifindex int) error
}

// State is what the kernel has: every link, and the traffic control of the
// devices that were asked for.
type State struct {
	Links   map[string]ifb.Link
	Devices map[string]*Device
}

// Device is the traffic control of one device.
type Device struct {
	Link ifb.Link
	Root *Tree // nil while the kernel's default qdisc is there
	// Hook is the ingress or clsact qdisc, nil when there is none; Ingress are
	// the filters on arriving packets.
	Hook    *tc.Qdisc
	Ingress []tc.Filter
}

// Read reads the links and, of every link that relevant accepts, the traffic
// control.
func Read(k Kernel, relevant func(ifb.Link) bool) (State, error) {
	s := State{Links: map[string]ifb.Link{}, Devices: map[string]*Device{}}
	links, err := k.Links()
	if err != nil {
		return State{}, err
	}
	var devices []*Device
	for _, l := range links {
		s.Links[l.Name] = l
		if relevant(l) {
			d := &Device{Link: l}
			devices, s.Devices[l.Name] = append(devices, d), d
		}
	}
	if len(devices) == 0 {
		return s, nil
	}
	qdiscs, err := k.Qdiscs()
	if err != nil {
		return State{}, err
	}
	for _, d := range devices {
		if err := d.read(k, qdiscs); err != nil {
			return State{}, err
		}
	}
	return s, nil
}

func (d *Device) read(k Kernel, qdiscs []tc.Qdisc) (err error) {
	d.place(qdiscs)
	if d.Hook != nil {
		if d.Ingress, err = k.Filters(d.Link.Index, tc.IngressHook); err != nil {
			return err
		}
	}
	if d.Root == nil {
		return nil
	}
	if d.Root.Filters, err = k.Filters(d.Link.Index, d.Root.Root.Handle); err != nil {
		return err
	}
	return d.readClasses(k)
}

// place finds the device's qdiscs among all.
func (d *Device) place(qdiscs []tc.Qdisc) {
	var leaves []tc.Qdisc
	for _, q := range qdiscs {
		switch {
		case q.Ifindex != d.Link.Index:
		case q.Parent == tc.IngressParent:
			d.Hook = &q
		case q.Parent == tc.Root && !q.Default():
			d.Root = &Tree{Root: q}
		case q.Parent != tc.Root:
			leaves = append(leaves, q)
		}
	}
	if d.Root != nil {
		d.Root.Leaves = leaves
	}
}

func (d *Device) readClasses(k Kernel) (err error) {
	if isOneOf(d.Root.Root.Kind, classKinds...) {
		d.Root.Classes, err = k.Classes(d.Link.Index)
		// Leaves such as fq_codel list a class for every flow that is active.
		d.Root.Classes = slices.DeleteFunc(d.Root.Classes, func(c tc.Class) bool { return !isOneOf(c.Kind, classKinds...) })
	}
	return err
}

// classKinds are the qdiscs whose classes someone made; those of other kinds come
// with the qdisc.
var classKinds = []string{"htb", "hfsc", "drr", "qfq"}

// ours reports whether the device is an IFB that carries our mark, and whose.
func ours(l ifb.Link) (owner string, ok bool) {
	owner, ok = ifb.Owner(l.Alias)
	return owner, ok && l.Kind == "ifb"
}

// ifbOf finds the IFB that carries our mark for device.
func (s State) ifbOf(device string) (ifb.Link, bool) {
	var first ifb.Link
	for _, l := range s.Links {
		if owner, ok := ours(l); ok && owner == device && (first.Index == 0 || l.Index < first.Index) {
			first = l
		}
	}
	return first, first.Index != 0
}
