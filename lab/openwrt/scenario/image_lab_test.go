// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"testing"

	"sqmd/lab/openwrt"
)

// The package is built into an image: its scripts run on another machine, in a root that is not up, and the image's
// first boot does the rest.
func TestImageBuilder(t *testing.T) {
	each(t, func(t *testing.T, m manager) {
		builder := boot(t, openwrt.Options{})
		image := "/tmp/image"
		// The image is a copy of the root as it is without a boot.
		builder.sh("mkdir " + image + " && for d in bin sbin etc lib usr; do cp -a /$d " + image + "/; done && " +
			"mkdir -p " + image + "/tmp " + image + "/proc " + image + "/sys " + image + "/dev " + image + "/root && ln -s tmp " + image + "/var && mkdir -p " + image + "/var/lock")
		if m.name == "opkg" {
			builder.sh("opkg -o " + image + " install " + builder.put(m, oldVersion))
			for range 2 {
				builder.sh("IPKG_INSTROOT=" + image + " /bin/sh " + image + "/usr/lib/opkg/info/sqmd.postinst configure")
			}
		} else {
			builder.sh("apk --root " + image + " add --allow-untrusted " + builder.put(m, oldVersion))
			for range 2 {
				builder.sh("pkgname=sqmd; export IPKG_INSTROOT=" + image + "; . $IPKG_INSTROOT/lib/functions.sh; export pkgname; default_postinst")
			}
		}
		if pid := builder.daemon(); pid != 0 {
			t.Errorf("building an image started daemon %d", pid)
		}
		for _, name := range []string{"/etc/rc.d/S49sqmd", "/etc/uci-defaults/50-sqmd", "/usr/sbin/sqmd"} {
			if !builder.Exists(image + name) {
				t.Errorf("the image has no %s", name)
			}
		}
		for _, name := range []string{"/etc/rc.d/S49sqmd", "/etc/config/sqmd", "/etc/init.d/sqmd"} {
			if builder.Exists(name) {
				t.Errorf("the builder got %s", name)
			}
		}
	})
}

// The first boot of an image with the package, on a box that brings its configuration along.
func TestFirstBoot(t *testing.T) {
	for name, scripts := range map[string]bool{"alone": false, "with sqm-scripts": true} {
		t.Run(name, func(t *testing.T) {
			r := newRouter(t, openwrt.Options{SQMScripts: scripts, SQM: queue(1, 20000, 5000)})
			r.must(r.Preinstall(packages() + "/old/sqmd.ipk"))
			r.must(r.Boot(r.ctx))
			r.mustRun(0)
			r.mustBeShaped(5000, 20000)
			if r.Exists("/etc/uci-defaults/50-sqmd") {
				t.Error("the script of uci-defaults was not run")
			}
			if scripts {
				r.takenOver()
			}
			r.powerCycle()
			r.mustBeShaped(5000, 20000)
		})
	}
}
