// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResolveDevice(t *testing.T) {
	bus := newFakeBus(t)
	for name, status := range map[string]Table{
		"wan":       {"up": true, "l3_device": "pppoe-wan", "proto": "pppoe", "device": "eth0.7"},
		"wan6":      {"up": true, "l3_device": "pppoe-wan", "proto": "dhcpv6", "device": "@wan"},
		"lan":       {"up": true, "l3_device": "br-lan", "proto": "static", "device": "br-lan"},
		"old":       {"up": true, "proto": "qmi", "device": "wwan0"},
		"dhcp":      {"up": false, "pending": true, "proto": "dhcp", "device": "eth1"},
		"pppoe":     {"up": false, "pending": true, "proto": "pppoe", "device": "eth1"},
		"alias":     {"up": false, "proto": "dhcpv6", "device": "@wan"},
		"nothing":   {"up": true, "proto": "none"},
		"empty":     {},
		"odd":       {"up": "yes", "l3_device": 7, "device": "eth1"},
		"slash":     {"up": true, "l3_device": "../../etc"},
		"long":      {"up": true, "l3_device": "sixteen-bytes-xx"},
		"space":     {"up": true, "l3_device": "eth0 eth1"},
		"with.dots": {"up": true, "l3_device": "eth2"},
	} {
		bus.offerMethods("network.interface."+name, func(method string, _ Table) (Table, error) {
			if method != "status" {
				return nil, StatusMethodNotFound
			}
			return status, nil
		})
	}
	bus.offerMethods("network.interface", echo)
	bus.offerMethods("network.interface.denied", func(string, Table) (Table, error) { return nil, StatusPermissionDenied })
	c := bus.dial()
	odd := errors.New("netifd names")
	for _, n := range []struct {
		network, device string
		err             error
	}{
		{"wan", "pppoe-wan", nil},
		{"wan6", "pppoe-wan", nil},
		{"lan", "br-lan", nil},
		{"old", "wwan0", nil},
		{"dhcp", "eth1", nil},
		{"with.dots", "eth2", nil},
		{"pppoe", "", ErrNetworkDown},
		{"alias", "", ErrNetworkDown},
		{"nothing", "", ErrNetworkDown},
		{"empty", "", ErrNetworkDown},
		{"odd", "", ErrNetworkDown},
		{"slash", "", odd},
		{"long", "", odd},
		{"space", "", odd},
		{"wann", "", ErrNoNetwork},
		{"", "", ErrNoNetwork},
		{"*", "", ErrNoNetwork},
		{"wan*", "", ErrNoNetwork},
		{"wan\x00", "", ErrNoNetwork},
		{"denied", "", StatusPermissionDenied},
	} {
		device, err := c.ResolveDevice(testContext(t), n.network)
		switch {
		case device != n.device:
			t.Errorf("%q: device %q, want %q", n.network, device, n.device)
		case n.err == odd:
			if err == nil || errors.Is(err, ErrNetworkDown) || errors.Is(err, ErrNoNetwork) {
				t.Errorf("%q: error %v", n.network, err)
			}
		case !errors.Is(err, n.err):
			t.Errorf("%q: error %v, want %v", n.network, err, n.err)
		}
	}
}

func TestResolveDeviceWithoutNetifd(t *testing.T) {
	bus := newFakeBus(t)
	c := bus.dial()
	if _, err := c.ResolveDevice(testContext(t), "wan"); !errors.Is(err, ErrNoNetifd) {
		t.Errorf("error %v, want %v", err, ErrNoNetifd)
	}
}

func TestResolveErrorsSayWhatToDo(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("network.interface", echo)
	c := bus.dial()
	_, err := c.ResolveDevice(testContext(t), "wann")
	want := "resolve network wann: no such network in /etc/config/network: 'ubus list network.interface.*' shows the names"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestNetworks(t *testing.T) {
	bus := newFakeBus(t)
	var reply Table
	bus.offerMethods("network.interface", func(method string, _ Table) (Table, error) {
		if method != "dump" {
			return nil, StatusMethodNotFound
		}
		return reply, nil
	})
	c := bus.dial()
	many := Table{"interface": []any{}}
	for range 2 * maxNetworks {
		many["interface"] = append(many["interface"].([]any), Table{"interface": "n"})
	}
	for name, n := range map[string]struct {
		reply Table
		want  []Network
	}{
		"as netifd answers": {Table{"interface": []any{
			Table{"interface": "loopback", "up": true, "l3_device": "lo"},
			Table{"interface": "lan", "up": true, "l3_device": "br-lan", "proto": "static"},
			Table{"interface": "wan", "up": false, "proto": "pppoe", "device": "eth1"},
		}}, []Network{{"lan", "br-lan"}, {"wan", ""}}},
		"nothing": {Table{}, []Network{}},
		"odd": {Table{"interface": []any{"wan", int32(7), Table{}, Table{"interface": int32(1)}, Table{"interface": strings.Repeat("x", 65)},
			Table{"interface": "evil", "up": true, "l3_device": "../x"}}}, []Network{{"evil", ""}}},
		"no list": {Table{"interface": "wan"}, []Network{}},
	} {
		reply = n.reply
		got, err := c.Networks(testContext(t))
		if diff := cmp.Diff(n.want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	reply = many
	if got, err := c.Networks(testContext(t)); err != nil || len(got) != maxNetworks {
		t.Errorf("of %d networks %d are listed, error %v", 2*maxNetworks, len(got), err)
	}
	if _, err := newFakeBus(t).dial().Networks(testContext(t)); !errors.Is(err, ErrNoNetifd) {
		t.Errorf("without netifd: %v", err)
	}
}
