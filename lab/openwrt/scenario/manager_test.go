// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sqmd/daemon"
	"sqmd/lab/openwrt"
)

// manager is a package manager.
type manager struct {
	name            string
	install, remove string // commands, to which a file and a name are added
	suffix          string // of package files
	beside          string // what is added to the name of a new configuration file next to a changed one
	// keepsRunning says that an upgrade stops nothing.
	keepsRunning bool
}

var managers = []manager{
	{name: "opkg", install: "opkg install", remove: "opkg remove", suffix: ".ipk", beside: "-opkg"},
	{name: "apk", install: "apk add --allow-untrusted", remove: "apk del", suffix: ".apk", beside: ".apk-new", keepsRunning: true},
}

// each runs a test with either manager, each in a goroutine, thread and namespaces of its own.
func each(t *testing.T, test func(t *testing.T, m manager)) {
	for _, m := range managers {
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// Versions of the packages.
const (
	oldVersion = "old"
	newVersion = "new"
)

// put makes a package file of that version be in the router, and says where.
func (r *router) put(m manager, version string) (path string) {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(packages(), version, "sqmd"+m.suffix))
	r.must(err)
	path = "/root/sqmd-" + version + m.suffix
	r.must(r.Write(path, string(content), 0o644))
	return path
}

// install installs a version or upgrades to it, and says what was printed.
func (r *router) install(m manager, version string) string {
	r.t.Helper()
	return r.sh(m.install + " " + r.put(m, version))
}

func (r *router) remove(m manager) string {
	r.t.Helper()
	return r.sh(m.remove + " sqmd")
}

// report is what sqmd status says.
func (r *router) report() (report daemon.Report) {
	r.t.Helper()
	command := r.Command(r.ctx, "/usr/sbin/sqmd", "status", "--json")
	text, _ := command.Output() // the exit code is about the shape
	if err := json.Unmarshal(text, &report); err != nil {
		r.t.Fatalf("sqmd status --json: %v\n%s", err, text)
	}
	return report
}

// mustBeShaped waits until the kernel shapes to these rates, and the daemon says the same. It may be a moment later than
// the kernel: what takes over or starts again also shapes before there is a daemon.
func (r *router) mustBeShaped(up, down int) {
	r.t.Helper()
	r.awaitShape(up, down)
	want := map[string]int{device + " upload": up, device + " download": down}
	var report daemon.Report
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		report = r.report()
		if report.Shaped && report.Daemon != nil && report.Daemon.PID == r.daemon() && maps.Equal(rates(report), want) {
			return
		}
		if time.Now().After(end) {
			break
		}
	}
	r.t.Errorf("shaped to %v, but daemon %+v says shaped %v, rates %v, findings %v", want, report.Daemon, report.Shaped, rates(report), report.Findings)
}

// rates are those of a report, by device and direction.
func rates(report daemon.Report) map[string]int {
	all := map[string]int{}
	for _, q := range report.Queues {
		for _, d := range q.Directions {
			all[q.Device+" "+d.Direction] = int(d.RateKbit)
		}
	}
	return all
}

// mustBeBare waits until nothing is shaped, and no IFB is left.
func (r *router) mustBeBare() {
	r.t.Helper()
	r.awaitShape(0, 0)
	if r.code("ip link show ifb4"+device) == 0 {
		r.t.Error("the IFB is left")
	}
}

// mustRun waits for a daemon other than before, and gives its process.
func (r *router) mustRun(before int) (pid int) {
	r.t.Helper()
	r.await("a daemon runs", func() bool { pid = r.daemon(); return pid != 0 && pid != before })
	return pid
}

func (r *router) mustNotRun() {
	r.t.Helper()
	r.await("the daemon ends", func() bool { return r.daemon() == 0 })
}

// lastSet is the last request for the service.
func (r *router) lastSet() openwrt.Request {
	r.t.Helper()
	all, err := r.Requests()
	r.must(err)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Request["name"] == "sqmd" && (all[i].Method == "set" || all[i].Method == "add") {
			return all[i]
		}
	}
	r.t.Fatal("nobody asked procd for sqmd")
	return openwrt.Request{}
}

// configure writes the user's configuration and tells it as LuCI does.
func (r *router) configure(enabled, down, up int) {
	r.t.Helper()
	r.must(r.Write("/etc/config/sqm", queue(enabled, down, up), 0o600))
	r.changed("sqm")
}

// changed tells procd of a saved configuration, as LuCI does.
func (r *router) changed(config string) {
	r.t.Helper()
	r.sh(fmt.Sprintf(`ubus call service event '{"type":"config.change","data":{"package":"%s"}}'`, config))
}
