// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"strings"
	"testing"

	"sqmd/lab/openwrt"
)

// The stand-in of sqm-scripts shapes at boot, follows its configuration and its network, and stops.
func TestSQMScripts(t *testing.T) {
	r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
	r.awaitShape(5000, 20000)
	r.sh("reload_config; uci set sqm.eth1.upload=6000; uci commit sqm; reload_config")
	r.awaitShape(6000, 20000)
	r.sh("ifdown wan")
	r.awaitShape(0, 0)
	r.sh("ifup wan")
	r.awaitShape(6000, 20000)
	r.sh("/etc/init.d/sqm stop")
	r.awaitShape(0, 0)
	if log := r.Read(openwrt.Log); !strings.Contains(log, "SQM: Stopping SQM on eth1") {
		t.Errorf("log:\n%s", log)
	}
}

// counting is an init script of a service that only sleeps.
const counting = `#!/bin/sh /etc/rc.common
START=60
STOP=10
USE_PROCD=1
extra_command hello "say hello"
hello() { echo "hello $1"; }
service_triggers() { procd_add_reload_trigger system; }
start_service() {
	config_load system
	local enabled
	config_get_bool enabled @x enabled 1
	[ "$(uci -q get system.@system[0].off)" = 1 ] && return
	procd_open_instance main
	procd_set_param command /bin/sleep 1000
	procd_append_param command 1
	procd_set_param file /etc/config/system
	procd_set_param respawn
	procd_close_instance
}
`

// An init script goes through rc.common, procd.sh, procd and its triggers.
func TestInitScript(t *testing.T) {
	r := newRouter(t, openwrt.Options{})
	r.must(r.Write("/etc/init.d/counting", counting, 0o755))
	r.must(r.Boot(r.ctx))
	if got := r.code("/etc/init.d/counting enabled"); got == 0 {
		t.Error("enabled before it was")
	}
	r.sh("/etc/init.d/counting enable; /etc/init.d/counting enabled && /etc/init.d/counting start")
	sleeps := func() int {
		for _, p := range r.Processes() {
			if p.Command == "/bin/sleep 1000 1" {
				return p.PID
			}
		}
		return 0
	}
	r.await("the service runs", func() bool { return sleeps() != 0 })
	first := sleeps()
	if got := r.sh("/etc/init.d/counting status; /etc/init.d/counting hello you"); got != "running\nhello you\n" {
		t.Errorf("said %q", got)
	}
	r.sh("/etc/init.d/counting reload")
	if got := sleeps(); got != first {
		t.Errorf("process %d became %d in a reload without a change", first, got)
	}
	r.sh("reload_config; uci set system.@system[0].hostname=other; uci commit; reload_config")
	r.await("it is restarted", func() bool { got := sleeps(); return got != 0 && got != first })
	r.sh("uci set system.@system[0].off=1; uci commit; reload_config")
	r.await("it is disabled", func() bool { return sleeps() == 0 })
	r.sh("uci set system.@system[0].off=0; uci commit; reload_config")
	r.await("it is enabled again", func() bool { return sleeps() != 0 })
	r.sh("/etc/init.d/counting stop")
	r.await("it stops", func() bool { return sleeps() == 0 })
	if got := r.code("/etc/init.d/counting status"); got != 3 {
		t.Errorf("status of a stopped service ends with %d", got)
	}
	r.powerCycle()
	r.await("it is started at boot", func() bool { return sleeps() != 0 })
}
