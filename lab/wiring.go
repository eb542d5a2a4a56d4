// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// subnet holds what the addresses of a link begin with: a /24's and a /64's. The ends have the host numbers 1 and 2.
type subnet struct {
	ipv4, ipv6 string
}

func clientSubnet(i int) subnet {
	return subnet{fmt.Sprintf("192.168.%d.", i), fmt.Sprintf("fd00:1:%d::", i)}
}

func serverSubnet(i int) subnet {
	return subnet{fmt.Sprintf("10.2.%d.", i), fmt.Sprintf("fd00:2:%d::", i)}
}

var (
	wanSubnet  = subnet{"10.1.1.", "fd00:3:1::"}
	pathSubnet = subnet{"10.1.2.", "fd00:3:2::"}
)

func (s subnet) addresses(number int) [2]netip.Prefix {
	return [2]netip.Prefix{
		netip.MustParsePrefix(fmt.Sprintf("%s%d/24", s.ipv4, number)),
		netip.MustParsePrefix(fmt.Sprintf("%s%d/64", s.ipv6, number)),
	}
}

// What routes lead to, one prefix of each family.
var (
	theClients = []netip.Prefix{netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}
	everything = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
)

// link is a virtual cable; a is the end towards the clients, with host number 1 in the subnet.
type link struct {
	subnet subnet
	a, b   end
	// wire is set where packets must be as on a real one, at most one MTU long. Elsewhere TCP may send several as one,
	// which saves work and is undone before the wire.
	wire bool
}

// end is a device at one end of a link. Its namespace reaches what is beyond through the other end.
type end struct {
	Namespace
	device string
	beyond []netip.Prefix
}

func (n *Network) links() []link {
	links := []link{
		{wanSubnet, end{n.Router, n.WAN, everything}, end{n.Modem, modemToRouter, theClients}, true},
		{pathSubnet, end{n.Modem, modemToServers, everything}, end{n.Delay, delayToModem, everything}, false},
	}
	for i, c := range n.Clients {
		router := end{n.Router, string(c.Namespace), nil}
		links = append(links, link{clientSubnet(i + 1), end{c.Namespace, c.Device, everything}, router, true})
	}
	for i, s := range n.Servers {
		delay := end{n.Delay, string(s.Namespace), nil}
		links = append(links, link{serverSubnet(i + 1), delay, end{s.Namespace, s.Device, everything}, false})
	}
	return links
}

func (n *Network) makeLinks() error {
	for _, namespace := range n.namespaces() {
		err := namespace.netlink(func(kernel *netlink.Handle) error {
			return kernel.LinkSetUp(&netlink.Device{LinkAttrs: netlink.LinkAttrs{Name: "lo"}})
		})
		if err != nil {
			return fmt.Errorf("bring up loopback of %s: %w", namespace, err)
		}
	}
	for _, l := range n.links() {
		if err := l.create(); err != nil {
			return fmt.Errorf("link %s and %s: %w", l.a.Namespace, l.b.Namespace, err)
		}
		if err := l.configure(); err != nil {
			return fmt.Errorf("configure link of %s and %s: %w", l.a.Namespace, l.b.Namespace, err)
		}
	}
	return nil
}

func (l link) create() error {
	peer, err := netns.GetFromName(string(l.b.Namespace))
	if err != nil {
		return err
	}
	defer peer.Close()
	attributes := netlink.NewLinkAttrs()
	attributes.Name = l.a.device
	veth := netlink.NewVeth(attributes)
	veth.PeerName = l.b.device
	veth.PeerNamespace = netlink.NsFd(peer)
	return l.a.netlink(func(kernel *netlink.Handle) error { return kernel.LinkAdd(veth) })
}

// configure gives both ends addresses, makes them known to each other, and routes to what is behind the other.
func (l link) configure() error {
	a, b := l.subnet.addresses(1), l.subnet.addresses(2)
	hardwareA, err := l.a.bringUp(a, l.wire)
	if err != nil {
		return err
	}
	hardwareB, err := l.b.bringUp(b, l.wire)
	if err != nil {
		return err
	}
	if err := l.a.addNeighbour(b, hardwareB); err != nil {
		return err
	}
	return l.b.addNeighbour(a, hardwareA)
}

func (e end) bringUp(addresses [2]netip.Prefix, wire bool) (hardware net.HardwareAddr, err error) {
	err = e.netlink(func(kernel *netlink.Handle) error {
		device, err := kernel.LinkByName(e.device)
		if err != nil {
			return err
		}
		if wire {
			// Longer packets are cut before they leave the device. None are put together again: virtual links do no GRO.
			if err := kernel.LinkSetGSOMaxSegs(device, 1); err != nil {
				return err
			}
		}
		for _, address := range addresses {
			if err := kernel.AddrAdd(device, &netlink.Addr{IPNet: ipNet(address)}); err != nil {
				return err
			}
		}
		hardware = device.Attrs().HardwareAddr
		return kernel.LinkSetUp(device)
	})
	return hardware, err
}

// linkPatience is how long links may take; the kernel reports changes of a carrier once a second.
const linkPatience = 10 * time.Second

// waitForLinks waits until all devices can be used for IPv6: that is when the kernel has noticed the carrier and made
// the link-local address that neighbour discovery needs.
func (n *Network) waitForLinks() error {
	deadline := time.Now().Add(linkPatience)
	for _, l := range n.links() {
		for _, e := range []end{l.a, l.b} {
			for {
				ready, err := e.ready()
				if err != nil {
					return fmt.Errorf("wait for %s in %s: %w", e.device, e.Namespace, err)
				}
				if ready {
					break
				}
				if time.Now().After(deadline) {
					return fmt.Errorf("%s in %s is not ready after %v", e.device, e.Namespace, linkPatience)
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
	return nil
}

func (e end) ready() (ready bool, err error) {
	err = e.netlink(func(kernel *netlink.Handle) error {
		device, err := kernel.LinkByName(e.device)
		if err != nil {
			return err
		}
		addresses, err := kernel.AddrList(device, netlink.FAMILY_V6)
		if errors.Is(err, netlink.ErrDumpInterrupted) {
			return nil // an address came or went meanwhile: not yet
		}
		ready = slices.ContainsFunc(addresses, func(a netlink.Addr) bool {
			return a.IP.IsLinkLocalUnicast() && a.Flags&unix.IFA_F_TENTATIVE == 0
		})
		return err
	})
	return ready, err
}

// addNeighbour makes the other end of the link known for good, and adds the routes to what is beyond. Finding the
// neighbour out by ARP and neighbour discovery would cost the first packets of a measurement.
func (e end) addNeighbour(addresses [2]netip.Prefix, hardware net.HardwareAddr) error {
	return e.netlink(func(kernel *netlink.Handle) error {
		device, err := kernel.LinkByName(e.device)
		if err != nil {
			return err
		}
		for family, address := range addresses {
			ip := net.IP(address.Addr().AsSlice())
			neighbour := &netlink.Neigh{LinkIndex: device.Attrs().Index, State: netlink.NUD_PERMANENT, IP: ip, HardwareAddr: hardware}
			if err := kernel.NeighSet(neighbour); err != nil {
				return fmt.Errorf("add neighbour %s: %w", ip, err)
			}
			if e.beyond == nil {
				continue
			}
			route := &netlink.Route{Dst: ipNet(e.beyond[family]), Gw: ip}
			if err := kernel.RouteAdd(route); err != nil {
				return fmt.Errorf("add route to %s: %w", e.beyond[family], err)
			}
		}
		return nil
	})
}

func ipNet(prefix netip.Prefix) *net.IPNet {
	return &net.IPNet{
		IP:   prefix.Addr().AsSlice(),
		Mask: net.CIDRMask(prefix.Bits(), prefix.Addr().BitLen()),
	}
}
