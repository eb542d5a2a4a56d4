// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/openwrt"
)

// Upgrades there and back: another daemon of the other version runs afterwards, and the line stays shaped. A changed
// configuration is the user's.
func TestUpgrade(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
		r.install(m, oldVersion)
		r.mustBeShaped(5000, 20000)
		r.sh("uci set sqmd.main.verbosity=6; uci commit sqmd")
		mine, sqm := r.Read("/etc/config/sqmd"), r.Read("/etc/config/sqm")
		w := r.watch()
		for _, version := range []string{newVersion, oldVersion, newVersion} {
			before, was := r.daemon(), r.report().Version
			r.install(m, version)
			r.mustRun(before)
			r.mustBeShaped(5000, 20000)
			if now := r.report().Version; now == was {
				t.Errorf("upgraded, but version %s still runs", now)
			}
			if r.Exists("/etc/uci-defaults/50-sqmd") {
				t.Error("the script of uci-defaults was not run")
			}
			same := r.daemon()
			r.install(m, version)
			if pid := r.daemon(); pid != same {
				t.Errorf("the same version again made daemon %d of %d", pid, same)
			}
		}
		r.unwatch(w, "upgrade", noGap)
		for name, want := range map[string]string{"/etc/config/sqmd": mine, "/etc/config/sqm": sqm} {
			if diff := cmp.Diff(want, r.Read(name)); diff != "" {
				t.Errorf("%s was changed:\n%s", name, diff)
			}
		}
		if !r.Exists("/etc/config/sqmd" + m.beside) {
			t.Error("the new version's configuration is not beside the user's")
		}
	})
}

// A service that is disabled or stopped stays so in an upgrade, as far as the package managers let it.
func TestUpgradeOfDisabled(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
		r.install(m, oldVersion)
		r.mustBeShaped(5000, 20000)
		r.sh("uci set sqmd.main.enabled=0; uci commit sqmd; /etc/init.d/sqmd reload")
		r.mustNotRun()
		r.install(m, newVersion)
		if pid := r.daemon(); pid != 0 {
			t.Errorf("the upgrade started daemon %d", pid)
		}
		r.mustBeBare()
	})
}

// Removed, nothing is left but what the user wrote; twice.
func TestRemove(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		r := boot(t, openwrt.Options{})
		r.addForeign()
		foreign := r.snapshot()
		before := r.files()
		for range 2 {
			r.install(m, oldVersion)
			r.mustRun(0)
			r.remove(m)
			r.mustNotRun()
			r.mustBeBare()
			if diff := cmp.Diff(before, r.files()); diff != "" {
				t.Errorf("files are left or missing:\n%s", diff)
			}
			if list := r.sh("ubus call service list '{\"name\":\"sqmd\"}'"); strings.Contains(list, "instances") {
				t.Errorf("procd still knows it: %s", list)
			}
		}
		for range 2 {
			r.install(m, oldVersion)
			r.configure(1, 20000, 5000)
			r.mustBeShaped(5000, 20000)
			r.remove(m)
			r.mustNotRun()
			r.mustBeBare()
			if got := r.Read("/etc/config/sqm"); got != queue(1, 20000, 5000) {
				t.Errorf("the user's configuration became:\n%s", got)
			}
			if diff := cmp.Diff(foreign, r.snapshot()); diff != "" {
				t.Errorf("removed, the kernel is not as before:\n%s", diff)
			}
		}
		if code := r.code(m.remove + " sqmd"); code == 0 {
			t.Error("removed again without an error")
		}
	})
}

// files are the names of all files and links on flash, besides those of the package manager.
func (r *router) files() string {
	r.t.Helper()
	return r.sh("find /etc /lib /usr /sbin /bin -xdev ! -type d ! -path '/usr/lib/opkg/*' ! -path '/lib/apk/*' | sort")
}
