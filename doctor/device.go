// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"maps"
	"slices"
	"strings"

	"sqmd/shaping"
)

// device looks for queues whose device does not exist.
func (x *examination) device(q Queue) {
	i := slices.IndexFunc(q.Status.Directions, func(d shaping.DirectionStatus) bool { return d.State == shaping.Waiting })
	if _, exists := x.Links[q.Device]; exists || i < 0 {
		return // a direction may also wait for a network that is down
	}
	reason := q.Status.Directions[i].Reason
	like := x.meant(q.Device)
	if like == nil {
		x.findOn(q, deviceWaiting, "the device does not exist now; the queue is shaped as soon as it appears", reason,
			"nothing if the connection is down, else check interface in /etc/config/sqm")
		return
	}
	x.findOn(q, deviceName, "the device does not exist, and "+strings.Join(like, " or ")+" may be what was meant", reason+"; "+strings.Join(like, ", ")+" exists",
		"set interface '"+like[0]+"' in /etc/config/sqm if that is the one")
}

// maxMeant bounds the devices that are offered instead of a missing one.
const maxMeant = 3

// meant are existing devices that a missing one's name may stand for: first what
// the internet connection runs over, then names like it.
func (x *examination) meant(missing string) []string {
	if missing == "" || comesAndGoes(missing) {
		return nil
	}
	free := func(name string) bool {
		_, exists := x.Links[name]
		used := slices.ContainsFunc(x.Queues, func(q Queue) bool { return q.Device == name })
		return exists && !used && name != "lo" && !strings.HasPrefix(name, "ifb")
	}
	like := []string{}
	for _, name := range x.DefaultRoutes {
		if free(name) {
			like = append(like, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.Links)) {
		if free(name) && alike(name, missing) && !slices.Contains(like, name) {
			like = append(like, name)
		}
	}
	if len(like) == 0 {
		return nil
	}
	return like[:min(len(like), maxMeant)]
}

// comesAndGoes reports whether devices of such a name exist only while their
// connection is up.
func comesAndGoes(name string) bool {
	return slices.ContainsFunc([]string{"ppp", "pptp", "l2tp", "wg", "tun", "tap", "wwan", "usb", "3g-", "6in4", "6to4", "gre"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// alike reports whether the names differ in their numbers or case only (eth1 and
// eth0.2), or one is a network's device by another protocol (wan and pppoe-wan).
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stem := func(name string) string { return strings.TrimRight(name, "0123456789.") }
	if stem(a) == stem(b) && stem(a) != "" {
		return true
	}
	return strings.HasSuffix(a, "-"+b) || strings.HasSuffix(b, "-"+a)
}
