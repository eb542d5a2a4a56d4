// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sqmd/uci"
)

// other is a program that shapes or sets rates, as OpenWrt packages it.
type other struct {
	service  string // init script
	program  string // path without which the init script is someone else's; "" for none
	config   string // file of /etc/config; "" for none
	rateOnly bool
	// busy tells from the configuration whether the program shapes, and what: nil
	// devices are unknown ones. busy is nil where that cannot be told.
	busy func(uci.File) (devices []string, ok bool)
}

var others = []other{
	{service: "cake-autorate", rateOnly: true},
	{service: "nft-qos", config: "nft-qos", busy: anySection("default", func(s uci.Section) bool {
		return flag(s, "limit_enable") || flag(s, "limit_mac_enable") || flag(s, "priority_enable")
	})},
	{service: "qos", config: "qos", busy: anySection("interface", func(s uci.Section) bool { return flag(s, "enabled") })},
	{service: "qosify", config: "qosify", busy: func(f uci.File) ([]string, bool) {
		on := func(s uci.Section) bool { return !flag(s, "disabled") }
		if _, ok := anySection("interface", on)(f); ok {
			return nil, true // logical names
		}
		return devicesOf(f, "device", "name", on)
	}},
	{service: "qosmate", config: "qosmate", busy: func(f uci.File) ([]string, bool) {
		if _, ok := anySection("global", func(s uci.Section) bool { return flag(s, "enabled") })(f); !ok {
			return nil, false
		}
		return devicesOf(f, "settings", "WAN", func(uci.Section) bool { return true })
	}},
	// It reads the configuration that sqmd reads, and so shapes the same devices.
	{service: "sqm", program: "usr/lib/sqm/run.sh"},
	{service: "sqm-autorate", rateOnly: true},
}

func anySection(kind string, on func(uci.Section) bool) func(uci.File) ([]string, bool) {
	return func(f uci.File) ([]string, bool) {
		return nil, slices.ContainsFunc(f.Sections, func(s uci.Section) bool { return s.Type == kind && on(s) })
	}
}

// devicesOf are the devices that an option of sections names.
func devicesOf(f uci.File, kind, option string, on func(uci.Section) bool) (devices []string, ok bool) {
	for _, s := range f.Sections {
		if o, named := s.Lookup(option); named && s.Type == kind && on(s) {
			devices = append(devices, o.Text())
		}
	}
	return devices, len(devices) > 0
}

// maxServices bounds the entries of /etc/rc.d that are looked at.
const maxServices = 4096

// readManagers finds those of the others that start at boot and have something
// to do.
func readManagers(root string) ([]Manager, error) {
	const directory = "etc/rc.d"
	links, err := names(filepath.Join(root, directory), maxServices)
	failures := []error{err}
	var found []Manager
	for _, o := range others {
		i := slices.IndexFunc(links, func(name string) bool { return starts(name, o.service) })
		if i < 0 || o.program != "" && !exists(filepath.Join(root, o.program)) {
			continue
		}
		m := Manager{Service: o.service, RateOnly: o.rateOnly, Evidence: "/" + directory + "/" + links[i] + " exists"}
		if o.busy != nil {
			file, err := readUCI(root, o.config)
			failures = append(failures, err)
			var ok bool
			if m.Devices, ok = o.busy(file); !ok {
				continue
			}
			m.Evidence += ", and /etc/config/" + o.config + " enables it"
		}
		found = append(found, m)
	}
	return found, errors.Join(failures...)
}

// starts reports whether name is the link in /etc/rc.d that starts a service: S,
// two digits and the service's name.
func starts(name, service string) bool {
	return len(name) > 3 && name[0] == 'S' && strings.Trim(name[1:3], "0123456789") == "" && name[3:] == service
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
