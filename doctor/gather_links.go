// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxLinks bounds the devices that are looked at.
const maxLinks = 1024

// readLinks reads /sys/class/net.
func readLinks(directory string) map[string]Link {
	devices, err := names(directory, maxLinks)
	if err != nil {
		return nil
	}
	links := map[string]Link{}
	for _, device := range devices {
		links[device] = readLink(filepath.Join(directory, device))
	}
	return links
}

// arphrdPPP is the device type of PPP; linux/if_arp.h.
const arphrdPPP = "512"

func readLink(path string) Link {
	l := Link{Kind: kindOf(readText(filepath.Join(path, "uevent")))}
	if strings.TrimSpace(readText(filepath.Join(path, "type"))) == arphrdPPP {
		l.Kind = "ppp"
	}
	// The master of a device may be another thing than a bridge.
	if master, err := os.Readlink(filepath.Join(path, "master")); err == nil && exists(filepath.Join(path, "brport")) {
		l.Bridge = filepath.Base(master)
	}
	entries, _ := names(path, maxLinks) // a device can go while it is read
	for _, name := range entries {
		if lower, ok := strings.CutPrefix(name, "lower_"); ok {
			l.Lower = append(l.Lower, lower)
		}
	}
	if l.Kind == "bridge" {
		l.Lower = nil // its ports, which it does not run on
	}
	// -1 is a speed that is not known.
	if speed, err := strconv.Atoi(strings.TrimSpace(readText(filepath.Join(path, "speed")))); err == nil {
		l.SpeedMbit = max(speed, 0)
	}
	return l
}

// kindOf finds the device type in a uevent file.
func kindOf(uevent string) string {
	for _, line := range strings.Split(uevent, "\n") {
		if kind, ok := strings.CutPrefix(line, "DEVTYPE="); ok {
			return kind
		}
	}
	return ""
}

// rtfReject is the flag of a route that refuses packets; linux/route.h.
const rtfReject = 0x200

// defaultRoutes finds the devices of default routes in /proc/net/route and
// /proc/net/ipv6_route.
func defaultRoutes(ipv4, ipv6 string) []string {
	var devices []string
	add := func(device, flags string) {
		if n, err := strconv.ParseUint(flags, 16, 32); err == nil && n&rtfReject == 0 && !slices.Contains(devices, device) {
			devices = append(devices, device)
		}
	}
	// Device, destination, gateway, flags, three counters, mask.
	for _, line := range strings.Split(ipv4, "\n") {
		if f := strings.Fields(line); len(f) >= 8 && f[1] == "00000000" && f[7] == "00000000" {
			add(f[0], f[3])
		}
	}
	// Destination and its length, source and its length, gateway, metric, two
	// counters, flags, device.
	for _, line := range strings.Split(ipv6, "\n") {
		if f := strings.Fields(line); len(f) >= 10 && strings.Trim(f[0], "0") == "" && f[1] == "00" && f[9] != "lo" {
			add(f[9], f[8])
		}
	}
	return devices
}
