// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// world is the network of a case: the namespace this process is in, with the devices of the case, and an outer one that
// holds the other end of each.
type world struct {
	inner, outer space
	devices      []attached
	introduced   []string // devices that have addresses
}

// space is a network namespace.
type space struct {
	file *os.File
	*netlink.Handle
}

// attached is a device of the case and what faces it outside.
type attached struct {
	Device
	index int // from 0; numbers the addresses
	peer  string
}

// newWorld makes the devices of a case, all up, in the namespace of this process, and their peers in a new one.
func newWorld(devices []Device) (*world, error) {
	w := new(world)
	var err error
	if w.inner, err = currentSpace(); err != nil {
		return nil, err
	}
	if err := w.newOuter(); err != nil {
		return nil, fmt.Errorf("make outer namespace: %w", err)
	}
	for _, space := range []space{w.inner, w.outer} {
		if err := space.setUp("lo"); err != nil {
			return nil, err
		}
	}
	for i, d := range devices {
		if err := w.attach(i, d); err != nil {
			return nil, fmt.Errorf("make %s %s: %w", d.Kind, d.Name, err)
		}
	}
	return w, nil
}

// close lets go of the outer namespace. Until then it exists, because it is open here, and with it the devices of the
// case, which go when their peers do.
func (w *world) close() {
	w.outer.file.Close()
	w.inner.file.Close()
}

// currentSpace opens the namespace of the calling thread.
func currentSpace() (s space, err error) {
	if s.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return s, err
	}
	s.Handle, err = netlink.NewHandle(unix.NETLINK_ROUTE)
	return s, err
}

func (w *world) newOuter() error {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	var err error
	if w.outer, err = currentSpace(); err != nil {
		return err
	}
	return w.leave()
}

// leave takes the locked thread back to the inner namespace. A thread that cannot go back stays locked, and ends with
// its goroutine.
func (w *world) leave() error {
	if err := unix.Setns(int(w.inner.file.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	runtime.UnlockOSThread()
	return nil
}

// within runs a function on a thread in the given namespace. Sockets stay in the namespace they were made in.
func (w *world) within(s space, do func() error) error {
	runtime.LockOSThread()
	if err := unix.Setns(int(s.file.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	if err := do(); err != nil {
		_ = w.leave()
		return err
	}
	return w.leave()
}

func (s space) setUp(name string) error {
	link, err := s.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find %s: %w", name, err)
	}
	if err := s.LinkSetUp(link); err != nil {
		return fmt.Errorf("set %s up: %w", name, err)
	}
	return nil
}

// attach makes one device and its peer. A bridge gets a port of the lab's: without one it has no carrier, and packets
// have no way in or out.
func (w *world) attach(i int, d Device) error {
	a := attached{Device: d, index: i, peer: fmt.Sprintf("peer%d", i)}
	w.devices = append(w.devices, a)
	var err error
	switch d.Kind {
	case "veth":
		err = w.addPair(d.Name, a.peer, d.MTU)
	case "vlan":
		err = w.addVLAN(a)
	case "bridge":
		err = w.addBridge(a)
	default:
		err = fmt.Errorf("unknown kind of device")
	}
	if err != nil {
		return err
	}
	if err := w.outer.setUp(a.peer); err != nil {
		return err
	}
	return w.inner.setUp(d.Name)
}

func attributes(name string) netlink.LinkAttrs {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = name
	return attrs
}

func (w *world) addPair(name, peer string, mtu int) error {
	pair := netlink.NewVeth(attributes(name))
	pair.MTU, pair.PeerMTU = mtu, uint32(mtu)
	pair.PeerName, pair.PeerNamespace = peer, netlink.NsFd(w.outer.file.Fd())
	return w.inner.LinkAdd(pair)
}

func (w *world) addVLAN(a attached) error {
	lower, err := w.inner.LinkByName(a.Link)
	if err != nil {
		return fmt.Errorf("find %s: %w", a.Link, err)
	}
	outerLower, err := w.outer.LinkByName(w.peerOf(a.Link))
	if err != nil {
		return fmt.Errorf("find the peer of %s: %w", a.Link, err)
	}
	for _, end := range []struct {
		space
		name  string
		lower int
	}{{w.inner, a.Name, lower.Attrs().Index}, {w.outer, a.peer, outerLower.Attrs().Index}} {
		attrs := attributes(end.name)
		attrs.ParentIndex = end.lower
		if err := end.LinkAdd(&netlink.Vlan{LinkAttrs: attrs, VlanId: a.VLAN}); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) addBridge(a attached) error {
	bridge := &netlink.Bridge{LinkAttrs: attributes(a.Name)}
	if err := w.inner.LinkAdd(bridge); err != nil {
		return err
	}
	port := fmt.Sprintf("%s%d", portPrefix, a.index)
	if err := w.addPair(port, a.peer, 1500); err != nil {
		return fmt.Errorf("make its port: %w", err)
	}
	link, err := w.inner.LinkByName(port)
	if err != nil {
		return fmt.Errorf("find its port: %w", err)
	}
	if err := w.inner.LinkSetMaster(link, bridge); err != nil {
		return fmt.Errorf("add its port: %w", err)
	}
	return w.inner.LinkSetUp(link)
}

func (w *world) peerOf(name string) string {
	for _, a := range w.devices {
		if a.Name == name {
			return a.peer
		}
	}
	return ""
}

// find gives the attached device of that name.
func (w *world) find(name string) (attached, bool) {
	for _, a := range w.devices {
		if a.Name == name {
			return a, true
		}
	}
	return attached{}, false
}

// address gives the device's address (host 1) or its peer's (host 2), from private ranges (RFC 1918, RFC 4193).
func (a attached) address(version int, host byte) *net.IPNet {
	if version == 4 {
		return &net.IPNet{IP: net.IPv4(10, 77, byte(a.index), host).To4(), Mask: net.CIDRMask(24, 32)}
	}
	ip := net.IP{0xfd, 0x77, 0, 0, 0, 0, 0, byte(a.index), 0, 0, 0, 0, 0, 0, 0, host}
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(64, 128)}
}

// introduce gives the device and its peer addresses and tells each the other's, so that no packet but the probes' has to
// pass.
func (w *world) introduce(a attached) error {
	inner, err := w.inner.LinkByName(a.Name)
	if err != nil {
		return err
	}
	outer, err := w.outer.LinkByName(a.peer)
	if err != nil {
		return err
	}
	for _, version := range []int{4, 6} {
		own, other := a.address(version, 1), a.address(version, 2)
		if err := w.inner.acquaint(inner, own, other.IP, outer.Attrs().HardwareAddr); err != nil {
			return fmt.Errorf("address %s: %w", a.Name, err)
		}
		if err := w.outer.acquaint(outer, other, own.IP, inner.Attrs().HardwareAddr); err != nil {
			return fmt.Errorf("address the peer of %s: %w", a.Name, err)
		}
	}
	return nil
}

// acquaint gives a link an address and a permanent neighbour.
func (s space) acquaint(link netlink.Link, own *net.IPNet, neighbour net.IP, at net.HardwareAddr) error {
	if err := s.AddrAdd(link, &netlink.Addr{IPNet: own, Flags: unix.IFA_F_NODAD}); err != nil {
		return err
	}
	return s.NeighSet(&netlink.Neigh{
		LinkIndex: link.Attrs().Index, State: netlink.NUD_PERMANENT, IP: neighbour, HardwareAddr: at,
	})
}
