// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Topology describes a network inside a guest, a chain of namespaces from left to right:
//
//	client1, client2... -- router -- modem -- delay -- server1, server2...
//
// The modem is the line's true bottleneck, both ways. Between router and modem is the device that sqmd shapes.
type Topology struct {
	// Clients and Servers are how many of each there are; one by default.
	Clients, Servers int
	// WAN is the name of the router's device towards the modem; eth1 by default.
	WAN string
	// Down and Up limit the modem towards the router and towards the servers.
	Down, Up Bottleneck
	// Delay is added on the way between modem and servers, once each way: the path's round trip is twice as long.
	Delay time.Duration
}

// Host is a client or server.
type Host struct {
	Namespace
	// Device is the host's only network device.
	Device string
	// IPv4 and IPv6 are its addresses; every host reaches all others at both.
	IPv4, IPv6 netip.Addr
}

// Network is a topology that exists.
type Network struct {
	Clients, Servers     []Host
	Router, Modem, Delay Namespace
	// WAN is the name of the router's device towards the modem.
	WAN string
}

// Names of devices inside the chain. The other devices of router and delay are named for the host at their other end.
const (
	hostDevice     = "eth0"
	modemToRouter  = "router"
	modemToServers = "servers"
	delayToModem   = "modem"
)

// Build makes the network. There can be one at a time in a guest.
func (t Topology) Build() (*Network, error) {
	n := &Network{Router: "router", Modem: "modem", Delay: "delay", WAN: t.WAN}
	if n.WAN == "" {
		n.WAN = "eth1"
	}
	for i := 1; i <= max(1, t.Clients); i++ {
		n.Clients = append(n.Clients, newHost("client", i, clientSubnet(i).addresses(1)))
	}
	for i := 1; i <= max(1, t.Servers); i++ {
		n.Servers = append(n.Servers, newHost("server", i, serverSubnet(i).addresses(2)))
	}
	for _, step := range []func() error{
		n.makeNamespaces,
		n.makeLinks,
		n.waitForLinks,
		n.scheduleHosts,
		func() error { return n.SetDelay(t.Delay) },
		func() error { return n.SetBottleneck(t.Down, t.Up) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, n.Close())
		}
	}
	return n, nil
}

func newHost(role string, i int, addresses [2]netip.Prefix) Host {
	return Host{
		Namespace: Namespace(fmt.Sprintf("%s%d", role, i)),
		Device:    hostDevice,
		IPv4:      addresses[0].Addr(),
		IPv6:      addresses[1].Addr(),
	}
}

// Close removes the network and all that was configured in it.
func (n *Network) Close() error {
	var failures []error
	for _, namespace := range n.namespaces() {
		failures = append(failures, namespace.remove())
	}
	return errors.Join(failures...)
}

func (n *Network) namespaces() []Namespace {
	all := []Namespace{n.Router, n.Modem, n.Delay}
	for _, host := range slices.Concat(n.Clients, n.Servers) {
		all = append(all, host.Namespace)
	}
	return all
}

func (n *Network) makeNamespaces() error {
	for _, namespace := range n.namespaces() {
		if err := namespace.create(); err != nil {
			return err
		}
		settings := map[string]string{
			// Nobody else is on a link that duplicate address detection could find: addresses are usable at once.
			"ipv6/conf/default/accept_dad": "0",
			// What one connection learnt about the path must not change the next.
			"ipv4/tcp_no_metrics_save": "1",
			// Lets programs ping by ICMP sockets.
			"ipv4/ping_group_range": "0 0",
		}
		switch namespace {
		case n.Router, n.Modem, n.Delay:
			settings["ipv4/ip_forward"] = "1"
			settings["ipv6/conf/all/forwarding"] = "1"
		}
		for name, value := range settings {
			if err := namespace.Sysctl(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}
