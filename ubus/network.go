// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sqmd/link"
)

var (
	// ErrNoNetifd says that netifd, which knows the networks, is not on the bus.
	ErrNoNetifd = errors.New("netifd is not on the bus: it is starting, or this is not OpenWrt")

	// ErrNoNetwork says that netifd knows no network of that name.
	ErrNoNetwork = errors.New("no such network in /etc/config/network: 'ubus list network.interface.*' shows the names")

	// ErrNetworkDown says that a network has no device at present.
	ErrNetworkDown = errors.New("network is down and has no device: start it with ifup, or wait")
)

// ResolveDevice asks the ubusd of this machine once; see [Client.ResolveDevice].
// The error is [ErrNoBus] where there is none.
func ResolveDevice(ctx context.Context, network string) (string, error) {
	c, err := Dial(ctx, "")
	if errors.Is(err, ErrNoBus) {
		err = fmt.Errorf("%w: without it give a device, such as eth0, instead of a network", err)
	}
	if err != nil {
		return "", fmt.Errorf("resolve network %s: %w", network, err)
	}
	defer c.Close()
	return c.ResolveDevice(ctx, network)
}

// ResolveDevice returns the device that carries the packets of a logical network
// of OpenWrt, such as "pppoe-wan" for "wan": its layer-3 device or, where netifd
// names none, the device it is configured on. The error is [ErrNoNetifd],
// [ErrNoNetwork] or [ErrNetworkDown] where that is the reason.
//
// A network that is down has no layer-3 device. Its configured device stands in
// only for protocols that use it as it is; PPPoE for example makes another one,
// and shaping the one below it would count the wrong packets.
func (c *Client) ResolveDevice(ctx context.Context, network string) (string, error) {
	device, err := c.resolveDevice(ctx, network)
	if err != nil {
		return "", fmt.Errorf("resolve network %s: %w", network, err)
	}
	return device, nil
}

func (c *Client) resolveDevice(ctx context.Context, network string) (string, error) {
	if network == "" || strings.ContainsAny(network, "*\x00") {
		return "", ErrNoNetwork
	}
	status, err := c.Call(ctx, "network.interface."+network, "status", nil)
	if errors.Is(err, StatusNotFound) {
		if _, err := c.Lookup(ctx, "network.interface"); errors.Is(err, StatusNotFound) {
			return "", ErrNoNetifd
		}
		return "", ErrNoNetwork
	}
	if err != nil {
		return "", err
	}
	return layer3Device(status)
}

// Network is a logical network of OpenWrt.
type Network struct {
	Name string
	// Device carries its packets, as [Client.ResolveDevice] says; "" while it has none.
	Device string
}

// Bounds of a list of networks, and of a name in it, in bytes.
const (
	maxNetworks    = 256
	maxNetworkName = 64
)

// Networks lists the logical networks that netifd knows, 256 at most, without the
// loopback. The error is [ErrNoNetifd] where it is not on the bus.
func (c *Client) Networks(ctx context.Context) ([]Network, error) {
	reply, err := c.Call(ctx, "network.interface", "dump", nil)
	if errors.Is(err, StatusNotFound) {
		err = ErrNoNetifd
	}
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	return networksOf(reply), nil
}

// networksOf reads the reply of netifd's method dump. What is no network is passed
// over.
func networksOf(reply Table) []Network {
	all := []Network{}
	listed, _ := reply["interface"].([]any)
	for _, entry := range listed {
		status, _ := entry.(Table)
		name, _ := status["interface"].(string)
		if name == "" || name == "loopback" || len(name) > maxNetworkName || len(all) == maxNetworks {
			continue
		}
		device, err := layer3Device(status)
		if err != nil {
			device = ""
		}
		all = append(all, Network{name, device})
	}
	return all
}

// layer3Device reads the reply of netifd's method status.
func layer3Device(status Table) (string, error) {
	device, _ := status["l3_device"].(string)
	if device == "" {
		up, _ := status["up"].(bool)
		protocol, _ := status["proto"].(string)
		if up || usesDeviceAsIs(protocol) {
			device, _ = status["device"].(string)
		}
	}
	if device == "" || device[0] == '@' { // an alias of a network that is down
		return "", ErrNetworkDown
	}
	if !link.IsName(device) {
		return "", fmt.Errorf("netifd names %q, which is no network device", device)
	}
	return device, nil
}

// usesDeviceAsIs tells whether a protocol of netifd puts layer 3 on the
// configured device and makes none of its own.
func usesDeviceAsIs(protocol string) bool {
	switch protocol {
	case "static", "dhcp", "dhcpv6", "none":
		return true
	}
	return false
}
