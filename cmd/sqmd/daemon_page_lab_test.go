// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"sqmd/control"
	"sqmd/daemon"
	"sqmd/shaping"
)

// asked asks the daemon what a web page asks.
func (r *router) asked(method string, arguments, reply any) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.must(control.Call(ctx, filepath.Join(r.dir, "var/run/sqmd", daemon.SocketName), method, arguments, reply))
}

// What a web page asks for is answered from the real kernel, and changes nothing
// there.
func TestDaemonAnswersThePage(t *testing.T) {
	r := newRouter(t, wanQueue())
	r.startBus(map[string]string{"wan": "eth1", "lan": "lan0"})
	tap := r.tap()
	r.before = r.snapshot()
	r.started()
	tap()

	var o daemon.OverviewReport
	r.eventually("the overview tells of processors and throughput", func() bool {
		r.asked(daemon.MethodOverview, nil, &o)
		return o.CPU != nil && o.CPU.CPUs > 0 && o.Queues[0].Directions[0].ThroughputKbit > 0
	})
	up, down := o.Queues[0].Directions[0], o.Queues[0].Directions[1]
	if !o.Shaped || up.State != shaping.Shaped || up.RateKbit != upKbit || down.RateKbit != downKbit || len(up.Tins) != 1 || up.PeakUs == nil || *up.PeakUs == 0 {
		t.Errorf("%+v", o)
	}

	var devices daemon.DevicesReport
	eth1 := func() (d daemon.DeviceReport) {
		r.asked(daemon.MethodDevices, nil, &devices)
		for _, d := range devices.Devices {
			if d.Device == "eth1" {
				return d
			}
		}
		t.Fatalf("no eth1 among %+v", devices)
		return d
	}
	r.eventually("the most that eth1 has carried is known", func() bool { return eth1().CarriedUploadKbit > 0 })
	d := eth1()
	if d.CarriedUploadKbit < upKbit/2 || d.CarriedUploadKbit > 2*upKbit || d.CarriedDownloadKbit < downKbit/2 {
		t.Errorf("shaped to %d up and %d down it carried %+v", upKbit, downKbit, d)
	}
	if !d.WAN || d.Kind != "ethernet" || !d.Carrier || strings.Join(d.Networks, " ") != "wan" || d.Queue != "wan" {
		t.Errorf("%+v", d)
	}
	for _, d := range devices.Devices {
		if d.Device == "lo" || strings.HasPrefix(d.Device, "ifb") {
			t.Errorf("%+v", d)
		}
	}
	r.sh("ip route add default dev lan0")
	eth1()
	if first := devices.Devices[0]; first.Device != "lan0" && devices.Devices[1].Device != "lan0" {
		t.Errorf("the device of the default route is not among the first: %+v", devices)
	}
	r.sh("ip route del default dev lan0")

	var p daemon.PreviewReport
	for config, word := range map[string]string{
		wanQueue():                            "",
		queueOn("wan", "eth1", 777, downKbit): "bandwidth 777Kbit",
		queueOn("wan", "@wan", upKbit, 0):     "link delete",
		"":                                    "tc qdisc delete dev eth1 root",
	} {
		r.asked(daemon.MethodPreview, map[string]string{"config": config}, &p)
		if lines := strings.Join(p.Queues[0].Lines, "\n"); !p.Usable || !strings.Contains(lines, word) || word == "" && lines != "" {
			t.Errorf("preview of %q: %+v, want %q", config, p, word)
		}
	}
	r.expectShaped("eth1", upKbit, downKbit)
	if n := tap(); n != 0 {
		t.Errorf("%d requests for a change", n)
	}
}
