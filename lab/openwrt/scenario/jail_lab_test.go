// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/openwrt"
)

// Where ujail exists, procd is asked to lock the daemon in, with what it needs.
func TestJail(t *testing.T) {
	r := newRouter(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
	r.must(r.Write("/sbin/ujail", "#!/bin/sh\n", 0o755))
	r.must(r.Boot(r.ctx))
	r.install(managers[0], oldVersion)
	r.mustBeShaped(5000, 20000)
	first := r.daemon()
	in := r.lastSet().Instance("instance1")
	jail, _ := in["jail"].(map[string]any)
	mounts, _ := jail["mount"].(map[string]any)
	if jail["name"] != "sqmd" || jail["procfs"] != true || jail["sysfs"] != true {
		t.Errorf("jail %v", jail)
	}
	for name, want := range map[string]any{"/etc/config": "0", "/var/run/ubus": "0", "/var/run/sqmd": "1"} {
		if mounts[name] != want {
			t.Errorf("mounts %v, want %s to be %v", mounts, name, want)
		}
	}
	for name := range mounts {
		if !r.Exists(name) {
			t.Errorf("the jail mounts %s, which does not exist", name)
		}
	}
	if in["no_new_privs"] != true {
		t.Error("the daemon may gain privileges")
	}
	path, _ := in["capabilities"].(string)
	var sets map[string][]string
	if err := json.Unmarshal([]byte(r.Read(path)), &sets); err != nil {
		t.Fatalf("capabilities in %q: %v", path, err)
	}
	for _, set := range []string{"bounding", "effective", "permitted", "inheritable", "ambient"} {
		if diff := cmp.Diff([]string{"CAP_NET_ADMIN", "CAP_NET_RAW"}, sets[set]); diff != "" {
			t.Errorf("%s capabilities: %s", set, diff)
		}
	}
	for range 2 {
		r.sh("/etc/init.d/sqmd start")
	}
	if pid := r.daemon(); pid != first {
		t.Errorf("start made daemon %d of %d", pid, first)
	}
}
