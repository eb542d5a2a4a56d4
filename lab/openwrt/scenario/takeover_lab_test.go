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

// givingBackGap is how long the line may be unshaped while sqm-scripts starts anew: as long as that takes, on a busy
// machine.
const givingBackGap = 2 * time.Minute

// takenOver waits until sqmd shapes what sqm-scripts had, which is disabled and does not shape.
func (r *router) takenOver() {
	r.t.Helper()
	r.mustRun(0)
	r.mustBeShaped(5000, 20000)
	if !strings.Contains(r.snapshot(), `alias "sqmd:`+device+`"`) {
		r.t.Errorf("the IFB is not sqmd's:\n%s", r.snapshot())
	}
	if r.Exists("/etc/rc.d/S50sqm") {
		r.t.Error("sqm-scripts is still enabled")
	}
	if r.Exists("/var/run/sqm/" + device + ".state") {
		r.t.Error("sqm-scripts still takes the device for its own")
	}
}

// From the end of the installation a line that sqm-scripts shaped is shaped by sqmd, to the same rates, and removal
// gives all back; twice.
func TestTakeOver(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
		r.addForeign()
		r.awaitShape(5000, 20000)
		before, files := r.snapshot(), r.files()
		for range 2 {
			w := r.watch()
			r.install(m, oldVersion)
			at := r.shape()
			if at != (shape{5000, 20000}) {
				t.Errorf("at the end of the installation shaped to %+v", at)
			}
			r.takenOver()
			r.unwatch(w, "takeover", noGap)
			if log := r.Read(openwrt.Log); !strings.Contains(log, "took over from sqm-scripts") {
				t.Errorf("the log does not tell:\n%s", log)
			}
			w = r.watch()
			r.remove(m)
			r.mustNotRun()
			r.awaitShape(5000, 20000)
			r.unwatch(w, "giving back", givingBackGap)
			if diff := cmp.Diff(before, r.snapshot()); diff != "" {
				t.Errorf("given back, the kernel is not as before:\n%s", diff)
			}
			if diff := cmp.Diff(files, r.files()); diff != "" {
				t.Errorf("given back, the files are not as before:\n%s", diff)
			}
			if !r.Exists("/etc/rc.d/S50sqm") {
				t.Error("sqm-scripts is not enabled again")
			}
		}
	})
}

// What was taken over is sqmd's at the next boot too, and after an upgrade.
func TestTakenOverForGood(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
		r.awaitShape(5000, 20000)
		r.install(m, oldVersion)
		r.takenOver()
		r.powerCycle()
		r.takenOver()
		w := r.watch()
		r.install(m, newVersion)
		r.takenOver()
		r.unwatch(w, "upgrade", noGap)
	})
}

// Someone enables and starts sqm-scripts again: the next time the WAN comes up, or the next boot, the line is sqmd's.
func TestEnabledAgain(t *testing.T) {
	r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
	m := managers[0]
	r.awaitShape(5000, 20000)
	r.install(m, oldVersion)
	r.takenOver()
	for range 2 {
		r.sh("/etc/init.d/sqm enable; /etc/init.d/sqm start || true")
		r.sh("ifup wan")
		r.takenOver()
	}
	r.sh("/etc/init.d/sqm enable")
	r.powerCycle()
	r.takenOver()
	// Enabled by hand, it is what the user wants after sqmd is gone.
	r.remove(m)
	r.mustNotRun()
	r.awaitShape(5000, 20000)
}

// sqm-scripts is installed but was never enabled: it stays so.
func TestDisabledSQMScripts(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := newRouter(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
		r.must(r.Boot(r.ctx))
		r.sh("/etc/init.d/sqm stop; /etc/init.d/sqm disable")
		r.awaitShape(0, 0)
		r.install(m, oldVersion)
		r.mustBeShaped(5000, 20000)
		r.remove(m)
		r.mustNotRun()
		r.mustBeBare()
		if r.Exists("/etc/rc.d/S50sqm") {
			t.Error("removal enabled sqm-scripts")
		}
	})
}

// A configuration that sqmd cannot use: sqm-scripts goes on until it is mended.
func TestRefusedTakeOver(t *testing.T) {
	r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000) + "\toption script 'my_own.qos'\n"})
	r.awaitShape(5000, 20000)
	w := r.watch()
	r.install(managers[0], oldVersion)
	r.awaitShape(5000, 20000)
	r.unwatch(w, "refused takeover", noGap)
	if !r.Exists("/etc/rc.d/S50sqm") || !r.Exists("/var/run/sqm/"+device+".state") {
		t.Error("sqm-scripts was disabled or stopped")
	}
	r.configure(1, 20000, 5000)
	r.takenOver()
}

// giveback is the way back without removing anything.
func TestGiveBack(t *testing.T) {
	r := boot(t, openwrt.Options{SQMScripts: true, SQM: queue(1, 20000, 5000)})
	r.awaitShape(5000, 20000)
	before := r.snapshot()
	r.install(managers[0], oldVersion)
	r.takenOver()
	for range 2 {
		r.sh("/etc/init.d/sqmd giveback")
		r.mustNotRun()
		r.awaitShape(5000, 20000)
		if diff := cmp.Diff(before, r.snapshot()); diff != "" {
			t.Errorf("given back, the kernel is not as before:\n%s", diff)
		}
		r.sh("uci set sqmd.main.enabled=1; uci commit sqmd")
		r.changed("sqmd")
		r.takenOver()
	}
}
