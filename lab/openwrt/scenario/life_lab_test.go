// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/openwrt"
)

// noGap is how long the line may look unshaped where nothing is ever taken away: between two looks of a slow machine.
const noGap = 0

// A box without sqm-scripts: installed, configured, disabled, enabled, stopped and started, each twice.
func TestLife(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{})
		r.addForeign()
		foreign := r.snapshot()
		r.install(m, oldVersion)
		first := r.mustRun(0)
		r.mustBeInstalled()
		if diff := cmp.Diff(foreign, r.snapshot()); diff != "" {
			t.Errorf("installing changed the kernel:\n%s", diff)
		}
		r.install(m, oldVersion)
		r.configure(1, 20000, 5000)
		r.mustBeShaped(5000, 20000)
		if pid := r.daemon(); pid != first {
			t.Errorf("daemon %d became %d though only the configuration changed", first, pid)
		}
		r.reloads()
		for range 2 {
			r.disablesAndEnables()
		}
		r.restarts()
		for range 2 {
			r.stopsAndStarts()
		}
		r.sh("/etc/init.d/sqmd stop")
		r.mustNotRun()
		if diff := cmp.Diff(foreign, r.snapshot()); diff != "" {
			t.Errorf("stopped, the kernel is not as before:\n%s", diff)
		}
	})
}

// mustBeInstalled looks at the files, and at what procd was asked for.
func (r *router) mustBeInstalled() {
	r.t.Helper()
	for name, want := range map[string]bool{
		"/usr/sbin/sqmd": true, "/etc/init.d/sqmd": true, "/etc/config/sqmd": true, "/etc/config/sqm": true,
		"/etc/uci-defaults/50-sqmd": false, "/etc/rc.d/S49sqmd": true,
	} {
		if r.Exists(name) != want {
			r.t.Errorf("%s is there: %v", name, !want)
		}
	}
	set := r.lastSet()
	var instances []string
	table, _ := set.Request["instances"].(map[string]any)
	for name := range table {
		instances = append(instances, name)
	}
	if len(instances) != 1 {
		r.t.Fatalf("instances %v", instances)
	}
	in := set.Instance(instances[0])
	for name, want := range map[string]any{
		"command": []any{"/usr/sbin/sqmd", "run"}, "file": []any{"/usr/sbin/sqmd"},
		"stdout": true, "stderr": true, "reload_signal": nil,
	} {
		if diff := cmp.Diff(want, in[name]); diff != "" {
			r.t.Errorf("procd was asked for another %s:\n%s", name, diff)
		}
	}
	if _, respawns := in["respawn"]; !respawns {
		r.t.Error("the daemon is not respawned")
	}
	r.t.Logf("procd was asked: %v", set.Request)
}

// reloads asks for a reload twice: the same process goes on, and packets are never let through unshaped.
func (r *router) reloads() {
	r.t.Helper()
	before := r.daemon()
	w := r.watch()
	for range 2 {
		r.sh("/etc/init.d/sqmd reload")
	}
	r.configure(1, 21000, 5100)
	r.mustBeShaped(5100, 21000)
	r.configure(1, 20000, 5000)
	r.mustBeShaped(5000, 20000)
	r.unwatch(w, "reload", noGap)
	if pid := r.daemon(); pid != before {
		r.t.Errorf("daemon %d became %d in a reload", before, pid)
	}
}

// disablesAndEnables saves enabled 0 and 1.
func (r *router) disablesAndEnables() {
	r.t.Helper()
	r.sh("uci set sqmd.main.enabled=0; uci commit sqmd")
	r.changed("sqmd")
	r.mustNotRun()
	r.mustBeBare()
	if got := r.lastSet().Request; len(got["triggers"].([]any)) == 0 {
		r.t.Errorf("a disabled service has no triggers: %v", got)
	}
	r.sh("uci set sqmd.main.enabled=1; uci commit sqmd")
	r.changed("sqmd")
	r.mustRun(0)
	r.mustBeShaped(5000, 20000)
}

// restarts makes another process twice, under which all stays shaped.
func (r *router) restarts() {
	r.t.Helper()
	w := r.watch()
	for range 2 {
		before := r.daemon()
		r.sh("/etc/init.d/sqmd restart")
		r.mustRun(before)
		r.mustBeShaped(5000, 20000)
	}
	r.unwatch(w, "restart", noGap)
}

// stopsAndStarts removes what was shaped, and brings it back.
func (r *router) stopsAndStarts() {
	r.t.Helper()
	for range 2 {
		r.sh("/etc/init.d/sqmd stop")
	}
	r.mustNotRun()
	r.mustBeBare()
	if code := r.code("/etc/init.d/sqmd enabled"); code != 0 {
		r.t.Error("stop disabled it")
	}
	for range 2 {
		r.sh("/etc/init.d/sqmd start")
	}
	r.mustRun(0)
	r.mustBeShaped(5000, 20000)
}

// The verbs of the init script that only look.
func TestVerbs(t *testing.T) {
	r := boot(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
	m := managers[0]
	r.install(m, oldVersion)
	r.mustBeShaped(5000, 20000)
	for line, want := range map[string]string{
		"/etc/init.d/sqmd status": "shaped",
		"/etc/init.d/sqmd check":  "",
		"/etc/init.d/sqmd plan":   device,
		"/etc/init.d/sqmd":        "giveback",
		"ubus call sqmd status":   `"shaped": true`,
		"opkg list-installed":     "sqmd - ",
	} {
		if got := r.sh(line); !strings.Contains(got, want) {
			t.Errorf("%s says no %q:\n%s", line, want, got)
		}
	}
	r.must(r.Write("/etc/config/sqm", queue(1, 20000, 5000)+"\toption upload 'fast'\n", 0o600))
	if code := r.code("/etc/init.d/sqmd check"); code != 3 {
		t.Errorf("check of a bad configuration ends with %d", code)
	}
	r.sh("/etc/init.d/sqmd stop")
	if code := r.code("/etc/init.d/sqmd status"); code == 0 {
		t.Error("status of a stopped service says all is well")
	}
}

// A router that is switched on twice shapes each time, and what is left from the time before does no harm.
func TestBoot(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
		r.install(m, oldVersion)
		r.mustBeShaped(5000, 20000)
		for range 2 {
			r.powerCycle()
			r.mustRun(0)
			r.mustBeShaped(5000, 20000)
			if log := r.Read(openwrt.Log); strings.Contains(log, "crash") {
				t.Errorf("log:\n%s", log)
			}
		}
		r.sh("/etc/init.d/sqmd disable")
		r.powerCycle()
		time.Sleep(time.Second)
		if pid := r.daemon(); pid != 0 {
			t.Errorf("a disabled service runs as %d", pid)
		}
	})
}

// A daemon that is killed comes back, and nothing is unshaped meanwhile.
func TestKilled(t *testing.T) {
	r := boot(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
	r.install(managers[0], oldVersion)
	r.mustBeShaped(5000, 20000)
	w := r.watch()
	for range 2 {
		before := r.daemon()
		r.sh("kill -9 $(pidof sqmd)")
		r.mustRun(before)
		r.mustBeShaped(5000, 20000)
	}
	r.unwatch(w, "killed", noGap)
}
