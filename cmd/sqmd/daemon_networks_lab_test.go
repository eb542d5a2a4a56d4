// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/ubusd"
)

// startBus starts a bus in the jail, with networks that are up on a device each.
func (r *router) startBus(networks map[string]string) *ubusd.Server {
	r.t.Helper()
	path := filepath.Join(r.dir, "var/run/ubus/ubus.sock")
	r.must(os.MkdirAll(filepath.Dir(path), 0o755))
	bus, err := ubusd.Start(path)
	r.must(err)
	for name, device := range networks {
		r.must(bus.Network(name, device))
	}
	r.t.Cleanup(func() { bus.Close() }) // some tests have ended it themselves
	return bus
}

// networkQueues are two sections that name networks, one for each direction.
func networkQueues() string {
	return queueOn("wan", "@wan", upKbit, 0) + queueOn("wan6", "@wan6", 0, downKbit)
}

// A network that goes down while the device stays, and a bus that restarts, take
// nothing away and change nothing in the kernel.
func TestDaemonNetworks(t *testing.T) {
	r := newRouter(t, networkQueues())
	networks := map[string]string{"wan": "eth1", "wan6": "eth1"}
	bus := r.startBus(networks)
	tap := r.tap()
	r.before = r.snapshot()
	r.started()
	r.expectShaped("eth1", upKbit, downKbit)
	good := r.snapshot()
	tap()
	undisturbed := func(what string) {
		t.Helper()
		time.Sleep(settled)
		if n := tap(); n != 0 {
			t.Errorf("%s: %d requests for a change", what, n)
		}
		if diff := cmp.Diff(good, r.snapshot()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", what, diff)
		}
		r.expectShaped("eth1", upKbit, downKbit)
	}

	r.must(bus.Network("wan6", ""))
	undisturbed("wan6 is down")
	r.must(bus.Network("wan6", "eth1"))
	undisturbed("wan6 is up again")

	r.must(bus.Close())
	r.eventually("status says that there is no bus", func() bool { return !r.report().Daemon.Bus })
	undisturbed("no bus")
	r.startBus(networks)
	took := r.eventually("status says that the bus is back", func() bool { return r.report().Daemon.Bus })
	t.Logf("connected again %v after the bus was back", took)
	undisturbed("another bus")
	if lines := r.logged("refused"); len(lines) > 0 {
		t.Errorf("logged: %q", lines)
	}
}

// At boot the daemon may be there before the bus, and the bus before its networks.
func TestDaemonBusComesLate(t *testing.T) {
	r := newRouter(t, networkQueues())
	r.start()
	for _, q := range r.report().Queues {
		for _, d := range q.Directions {
			if d.State != "waiting" {
				t.Errorf("%s %s is %s (%s)", q.Queue, d.Direction, d.State, d.Reason)
			}
		}
	}
	bus := r.startBus(nil)
	r.eventually("status says that the bus is there", func() bool { return r.report().Daemon.Bus })
	r.must(bus.Network("wan", "eth1"))
	start := time.Now()
	r.untilShaped("eth1", upKbit, -1)
	t.Logf("shaped %v after the network was up", time.Since(start))
	r.must(bus.Network("wan6", "eth1"))
	r.untilShaped("eth1", upKbit, downKbit)
	r.begun = r.used()
	r.expectShaped("eth1", upKbit, downKbit)
}

// A network that moves to another device takes its queue with it.
func TestDaemonNetworkMoves(t *testing.T) {
	r := newRouter(t, queueOn("wan", "@wan", upKbit, downKbit))
	r.sh("ip link add wwan0 type dummy; ip link set wwan0 up")
	bus := r.startBus(map[string]string{"wan": "wwan0"})
	r.before = r.snapshot()
	r.start()
	r.untilShaped("wwan0", upKbit, downKbit)
	r.begun = r.used()
	r.must(bus.Network("wan", "eth1"))
	r.within("from the event to the device's being shaped", r.untilShaped("eth1", upKbit, downKbit), appearTime)
	r.eventually("the other device is free", func() bool { return r.shape("wwan0") == shape{-1, -1} && r.devices("ifb") == 1 })
	r.expectShaped("eth1", upKbit, downKbit)
	if n := len(r.logged("network wan is device eth1")); n == 0 {
		t.Error("not a word of the new device")
	}
	if said := r.log(); strings.Contains(said, "error") {
		t.Errorf("logged: %s", said)
	}
}
