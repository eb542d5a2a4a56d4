// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"slices"
	"strings"

	"sqmd/doctor"
	"sqmd/link"
	"sqmd/watch"
)

// DevicesReport is the answer of devices: what there is to shape.
type DevicesReport struct {
	// Devices begins with those towards the Internet; ports of bridges, which are
	// hardly meant, are last.
	Devices []DeviceReport `json:"devices"`
}

// DeviceReport is a network device. Directions are the router's: download is what
// the device receives.
type DeviceReport struct {
	Device string `json:"device"`
	// Networks are the logical networks that it carries, if there is a ubus.
	Networks []string `json:"networks,omitempty"`
	// WAN is set where a default route leads to it, or a network of its is called wan
	// and so on.
	WAN       bool   `json:"wan"`
	Kind      string `json:"kind"` // ethernet, ppp, vlan, bridge, wifi, tunnel or other
	MTU       int    `json:"mtu_bytes"`
	Up        bool   `json:"up"`
	Carrier   bool   `json:"carrier"`
	SpeedMbit int    `json:"speed_mbit,omitempty"` // 0 where there is none
	// Carried is the most that the device has carried for ten seconds since the
	// daemon runs.
	CarriedDownloadKbit uint64 `json:"carried_download_kbit"`
	CarriedUploadKbit   uint64 `json:"carried_upload_kbit"`
	// Queue is the section that shapes it, "" for none.
	Queue string `json:"queue,omitempty"`
}

// maxDevices bounds the answer.
const maxDevices = 128

func (c *core) devices() DevicesReport {
	system, defaults := doctor.GatherLinks(c.options.Root)
	report := DevicesReport{Devices: []DeviceReport{}}
	var ordered [3][]DeviceReport // by how likely it is that they are meant
	for _, l := range c.links.Links() {
		if l.Name == "lo" || l.Kind == "ifb" {
			continue
		}
		d := c.deviceReport(l, system[l.Name])
		d.WAN = slices.Contains(defaults, l.Name) || slices.ContainsFunc(d.Networks, func(name string) bool { return strings.HasPrefix(name, "wan") })
		place := 1
		if master, _ := c.links.ByIndex(l.Master); master.Kind == "bridge" {
			place = 2
		} else if d.WAN {
			place = 0
		}
		ordered[place] = append(ordered[place], d)
	}
	for _, some := range ordered {
		report.Devices = append(report.Devices, some[:min(len(some), maxDevices-len(report.Devices))]...)
	}
	return report
}

func (c *core) deviceReport(l watch.Link, system doctor.Link) DeviceReport {
	d := DeviceReport{Device: l.Name, Networks: c.networks.of(l.Name), Kind: deviceKind(l, system.Kind),
		MTU: l.MTU, Up: l.Up, Carrier: l.Carrier, SpeedMbit: l.SpeedMbit}
	d.CarriedDownloadKbit, d.CarriedUploadKbit = c.carried.Of(l.Name)
	if q := c.queues[l.Name]; q != nil {
		if sections := q.unit.Sections(); len(sections) > 0 {
			d.Queue = sections[0]
		}
	}
	return d
}

var (
	tunnelKinds   = []string{"wireguard", "tun", "gre", "gretap", "ip6gre", "ip6gretap", "ipip", "sit", "ip6tnl", "vti", "vti6", "xfrm", "vxlan", "geneve", "l2tp"}
	ethernetKinds = []string{"dsa", "veth", "macvlan"}
)

// deviceKind is what people call a device. Two places tell: rtnetlink says which
// program or driver of the kernel's made it, sysfs what it is to its driver.
func deviceKind(l watch.Link, system string) string {
	switch {
	case l.Kind == "bridge", l.Kind == "vlan":
		return l.Kind
	case l.Kind == "ppp", system == "ppp":
		return "ppp"
	case slices.Contains(tunnelKinds, l.Kind):
		return "tunnel"
	case system == "wlan":
		return "wifi"
	case l.Kind == link.Hardware && l.Header > 0 && system != "wwan", slices.Contains(ethernetKinds, l.Kind):
		return "ethernet"
	}
	return "other"
}
