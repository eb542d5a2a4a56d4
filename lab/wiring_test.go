// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChain follows the links from the first client to the first server.
func TestChain(t *testing.T) {
	network := &Network{
		Router: "router", Modem: "modem", Delay: "delay", WAN: "eth1",
		Clients: []Host{newHost("client", 1, clientSubnet(1).addresses(1)), newHost("client", 2, clientSubnet(2).addresses(1))},
		Servers: []Host{newHost("server", 1, serverSubnet(1).addresses(2))},
	}
	next := map[Namespace]Namespace{}
	for _, l := range network.links() {
		next[l.a.Namespace] = l.b.Namespace
	}
	chain := []Namespace{"client2"}
	for at, ok := next["client2"]; ok; at, ok = next[at] {
		chain = append(chain, at)
	}
	if diff := cmp.Diff([]Namespace{"client2", "router", "modem", "delay", "server1"}, chain); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
}

func TestHostAddresses(t *testing.T) {
	host := newHost("client", 7, clientSubnet(7).addresses(1))
	got := []string{string(host.Namespace), host.Device, host.IPv4.String(), host.IPv6.String()}
	if diff := cmp.Diff([]string{"client7", "eth0", "192.168.7.1", "fd00:1:7::1"}, got); diff != "" {
		t.Errorf("host (-want +got):\n%s", diff)
	}
}
