// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/link"
	"sqmd/ubus"
	"sqmd/watch"
)

func (w *world) devices() []DeviceReport {
	w.t.Helper()
	reply, err := w.ask(MethodDevices, "{}")
	w.must(err)
	return reply.(DevicesReport).Devices
}

// put writes a file below the root of the system.
func (w *world) put(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.dir, path)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), 0o600))
}

func TestDevices(t *testing.T) {
	w := newWorld(t, section("home", "eth1", someQueue))
	w.put("proc/net/route", "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"+
		"pppoe-x\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n")
	w.put("sys/class/net/wlan0/uevent", "DEVTYPE=wlan\nINTERFACE=wlan0\n")
	dev := func(n int) string {
		return fmt.Sprintf("titles\n lo: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\neth1: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n", n, n, n*125000, n*12500)
	}
	w.put("proc/net/dev", dev(0))
	w.addDevice("pppoe-x", "ppp")
	w.addDevice("wlan0", "device")
	w.addDevice("br-lan", "bridge")
	w.addDevice("wg0", "wireguard")
	w.start()
	for n := range 15 {
		w.put("proc/net/dev", dev(n))
		w.pass(time.Second)
	}
	want := []DeviceReport{
		{Device: "pppoe-x", WAN: true, Kind: "ppp", MTU: 1500, Up: true, Carrier: true},
		{Device: "eth1", Kind: "ethernet", MTU: 1500, Up: true, Carrier: true, CarriedDownloadKbit: 1000, CarriedUploadKbit: 100, Queue: "home"},
		{Device: "wlan0", Kind: "wifi", MTU: 1500, Up: true, Carrier: true},
		{Device: "br-lan", Kind: "bridge", MTU: 1500, Up: true, Carrier: true},
		{Device: "wg0", Kind: "tunnel", MTU: 1500, Up: true, Carrier: true},
	}
	if diff := cmp.Diff(want, w.devices()); diff != "" {
		t.Errorf("without ubus (-want +got):\n%s", diff)
	}

	w.c.resolved(w.now, answer{all: []ubus.Network{{Name: "wan6", Device: "eth1"}, {Name: "wan", Device: "eth1"}, {Name: "lan", Device: "br-lan"}, {Name: "down"}}})
	got := map[string]DeviceReport{}
	for _, d := range w.devices() {
		got[d.Device] = d
	}
	if d := got["eth1"]; !d.WAN || !cmp.Equal(d.Networks, []string{"wan", "wan6"}) {
		t.Errorf("%+v", d)
	}
	if d := got["br-lan"]; d.WAN || !cmp.Equal(d.Networks, []string{"lan"}) {
		t.Errorf("%+v", d)
	}
	if d := got["pppoe-x"]; !d.WAN || d.Networks != nil {
		t.Errorf("%+v", d)
	}
}

// Ports of a bridge come last, and the answer has an end.
func TestDevicesAreBounded(t *testing.T) {
	w := newWorld(t, "").start()
	tell := func(l watch.Link) { w.c.event(w.now, watch.Event{Kind: watch.LinkAppeared, Link: l}) }
	tell(watch.Link{Index: 100, Name: "br-lan", Kind: "bridge"})
	tell(watch.Link{Index: 101, Name: "lan1", Kind: "dsa", Master: 100})
	tell(watch.Link{Index: 102, Name: "lo", Kind: link.Hardware})
	tell(watch.Link{Index: 103, Name: "ifb4eth1", Kind: "ifb"})
	tell(watch.Link{Index: 104, Name: "eth7", Kind: link.Hardware, Header: 14, SpeedMbit: 2500})
	var names []string
	for _, d := range w.devices() {
		names = append(names, d.Device+" "+d.Kind)
	}
	if diff := cmp.Diff([]string{"eth1 ethernet", "br-lan bridge", "eth7 ethernet", "lan1 ethernet"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range 2 * maxDevices {
		tell(watch.Link{Index: 200 + i, Name: fmt.Sprintf("veth%d", i), Kind: "veth", Master: 100})
	}
	all := w.devices()
	if len(all) != maxDevices || all[2].Device != "eth7" {
		t.Errorf("%d devices, the third is %s", len(all), all[2].Device)
	}
}

func TestDeviceKind(t *testing.T) {
	for _, c := range []struct {
		link   watch.Link
		system string
		want   string
	}{
		{watch.Link{Kind: link.Hardware, Header: 14}, "", "ethernet"},
		{watch.Link{Kind: link.Hardware, Header: 14}, "dsa", "ethernet"},
		{watch.Link{Kind: link.Hardware, Header: 14}, "wlan", "wifi"},
		{watch.Link{Kind: link.Hardware, Header: 14}, "wwan", "other"},
		{watch.Link{Kind: link.Hardware}, "ppp", "ppp"},
		{watch.Link{Kind: link.Hardware}, "", "other"},
		{watch.Link{Kind: "vlan", Header: 14}, "vlan", "vlan"},
		{watch.Link{Kind: "bridge", Header: 14}, "bridge", "bridge"},
		{watch.Link{Kind: "ppp"}, "", "ppp"},
		{watch.Link{Kind: "wireguard"}, "wireguard", "tunnel"},
		{watch.Link{Kind: "dummy", Header: 14}, "", "other"},
	} {
		if got := deviceKind(c.link, c.system); got != c.want {
			t.Errorf("%+v, in sysfs %q: %s, want %s", c.link, c.system, got, c.want)
		}
	}
}
