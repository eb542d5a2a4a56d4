// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"sqmd/shaping"
	"sqmd/uci"
)

// linkSpeed looks for rates that the device cannot carry.
func (x *examination) linkSpeed(q Queue) {
	speed := x.Links[q.Device].SpeedMbit
	if speed == 0 {
		return
	}
	for _, s := range q.sides() {
		if s.rate.Kbit() > int64(speed)*1000 {
			x.findOn(q, rateAboveLink, fmt.Sprintf("the %s rate is above the speed of %s, which then queues where nothing manages it", s.direction, q.Device),
				fmt.Sprintf("%s %d kbit/s; /sys/class/net/%s/speed is %d Mbit/s", s.direction, s.rate.Kbit(), q.Device, speed),
				fmt.Sprintf("look for a bad cable or port, or set %s to at most %d", s.direction, int64(speed)*950))
		}
	}
}

// overhead looks for lines whose framing is not counted.
func (x *examination) overhead(q Queue) {
	line := x.framing(q.Device)
	if line == "" {
		return
	}
	var uncounted []string
	var section *uci.Queue
	for _, s := range q.sides() {
		// link_preset raw says that it is meant.
		if s.LinkLayer == uci.LinkNone && s.LinkPreset != "raw" && s.rate > 0 && !counts(s) {
			uncounted, section = append(uncounted, s.direction.String()), s.Queue
		}
	}
	if section == nil {
		return
	}
	remedy := "set link_preset in queue '" + section.Section + "' to what the line is: "
	if section.UsesCake() {
		remedy += "pppoe-vdsl2 (VDSL2), pppoe-llc (ADSL), gpon-vlan-pppoe (fibre), or another"
	} else {
		remedy += "pppoe-llc (ADSL), gpon-vlan-pppoe (fibre), or another that is not for cake only"
	}
	x.findOn(q, noOverhead, fmt.Sprintf("what the line adds to each packet is not counted for %s", strings.Join(uncounted, " and ")),
		fmt.Sprintf("%s is %s, and linklayer is none", q.Device, line), remedy)
}

// framing names the line's framing where the device tells it: "" for others.
func (x *examination) framing(device string) string {
	link := x.Links[device]
	switch {
	case strings.HasPrefix(device, "pppoe-"):
		return "PPPoE"
	case strings.HasPrefix(device, "pppoa-"):
		return "PPPoA"
	case hasPrefix(device, "3g-", "l2tp-", "pptp-", "sstp-"):
		return "" // PPP over something else
	case link.Kind == "ppp":
		return "PPP, which is most likely PPPoE"
	}
	for _, name := range append([]string{device}, link.Lower...) {
		// What OpenWrt's drivers of DSL modems call their devices.
		if hasPrefix(name, "dsl", "ptm", "nas") {
			return "a DSL modem's device"
		}
	}
	return ""
}

func hasPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// counts reports whether the raw words for cake count the line; see tc-cake(8).
func counts(s side) bool {
	return s.UsesCake() && slices.ContainsFunc(strings.Fields(s.words), func(word string) bool {
		return slices.Contains([]string{"overhead", "atm", "ptm", "conservative", "ethernet", "ether-vlan", "docsis"}, word) ||
			hasPrefix(word, "pppoe-", "pppoa-", "ipoa-", "bridged-")
	})
}

// directions looks for a LAN that is shaped as if it were the internet connection.
func (x *examination) directions(q Queue) {
	var up, down uci.Rate
	for _, s := range q.sides() {
		if s.direction == shaping.Upload {
			up = s.rate
		} else {
			down = s.rate
		}
	}
	lan := x.lan(q.Device)
	if up == 0 || down <= up || lan == "" {
		return
	}
	x.findOn(q, directionsSwapped, q.Device+" is on the LAN side, where download is what the people behind it send: the rates are most likely the wrong way round",
		fmt.Sprintf("%s; download %d kbit/s, upload %d kbit/s", lan, down.Kbit(), up.Kbit()),
		"shape the device of the internet connection, or swap download and upload")
}

// lanBridge is the name of OpenWrt's LAN.
const lanBridge = "br-lan"

// lan says why the device is on the LAN side; "" where it is not, or where that
// cannot be told.
func (x *examination) lan(device string) string {
	bridge, evidence := device, device+" is a bridge"
	if of := x.Links[device].Bridge; of != "" {
		bridge, evidence = of, device+" is a port of "+of
	}
	if x.Links[bridge].Kind != "bridge" || x.carriesLine(bridge) {
		return ""
	}
	if bridge == lanBridge {
		return evidence
	}
	// Another bridge may well be the internet connection's, or carry its PPPoE.
	ppp := func(name string) bool { return hasPrefix(name, "ppp") || x.Links[name].Kind == "ppp" }
	if len(x.DefaultRoutes) == 0 || slices.ContainsFunc(x.DefaultRoutes, ppp) {
		return ""
	}
	return evidence + ", and the default route is through " + strings.Join(x.DefaultRoutes, " and ")
}

// carriesLine reports whether the internet connection may run through a bridge:
// over itself, or over a VLAN of it.
func (x *examination) carriesLine(bridge string) bool {
	if slices.Contains(x.DefaultRoutes, bridge) {
		return true
	}
	for _, l := range x.Links {
		if slices.Contains(l.Lower, bridge) {
			return true
		}
	}
	return false
}
