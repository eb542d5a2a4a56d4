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
