// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"sqmd/lab/openwrt/settings"
	"sqmd/ubus"
)

// configSums is where reload_config keeps what it compares with.
const configSums = "/var/run/config.md5"

// reloadConfig tells procd which configurations have changed since it was last called. The first call only looks.
func reloadConfig(b box, _ []string) error {
	before := map[string]string{}
	text, err := os.ReadFile(configSums)
	first := errors.Is(err, os.ErrNotExist)
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil && !first {
		return err
	}
	configs, err := settings.System.Configs()
	if err != nil {
		return err
	}
	now := map[string]string{}
	for _, config := range configs {
		shown, err := settings.System.Show(settings.Path{Config: config}, true)
		if err != nil {
			continue // uci show fails, too, and what it printed so far is what counts
		}
		now[config] = fmt.Sprintf("%x", md5.Sum([]byte(shown)))
		if first || now[config] == before[config] {
			continue
		}
		event := ubus.Table{"type": "config.change", "data": ubus.Table{"package": config}}
		if _, err := ask("service", "event", event); err != nil {
			return ubusError(b, err)
		}
	}
	if text, err = json.Marshal(now); err != nil {
		return err
	}
	return os.WriteFile(configSums, text, 0o600)
}
