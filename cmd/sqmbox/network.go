// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"

	"sqmd/lab/openwrt/settings"
	"sqmd/ubus"
)

// ifup tells netifd's stand-in that networks are up, each on the device that /etc/config/network names.
func ifup(b box, args []string) error {
	return eachNetwork(b, args, func(name string) (string, error) {
		return settings.System.Get(settings.Path{Config: "network", Section: name, Option: "device"})
	})
}

// ifdown tells it that they are down.
func ifdown(b box, args []string) error {
	return eachNetwork(b, args, func(string) (string, error) { return "", nil })
}

func eachNetwork(b box, names []string, device func(string) (string, error)) error {
	if len(names) == 0 {
		return errUsage
	}
	for _, name := range names {
		on, err := device(name)
		if err != nil {
			return fmt.Errorf("network %s: %w", name, err)
		}
		if _, err := ask(netifdObject, "network", ubus.Table{"interface": name, "device": on}); err != nil {
			return ubusError(b, err)
		}
	}
	return nil
}
