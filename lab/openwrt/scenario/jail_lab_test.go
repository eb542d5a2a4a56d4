// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/openwrt"
)

// ujail notes its arguments and becomes the command.
const ujail = `#!/bin/sh
printf '%s\n' "$*" >>/tmp/ujail
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
`

// Where ujail exists, procd is asked to lock the daemon in, with what it needs.
func TestJail(t *testing.T) {
	r := newRouter(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
	r.must(r.Write("/sbin/ujail", ujail, 0o755))
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
	r.mustTryTheSameJail()
	for range 2 {
		r.sh("/etc/init.d/sqmd start")
	}
	if pid := r.daemon(); pid != first {
		t.Errorf("start made daemon %d of %d", pid, first)
	}
}

// mustTryTheSameJail compares the jail that was tried before with that of the daemon.
func (r *router) mustTryTheSameJail() {
	r.t.Helper()
	jail := func(program string) []string {
		for _, line := range strings.Split(r.Read("/tmp/ujail"), "\n") {
			if options, found := strings.CutSuffix(line, " -- /usr/sbin/sqmd "+program); found {
				// Of procd alone is the time to end.
				words := strings.Fields(regexp.MustCompile("^-t [0-9]+ ").ReplaceAllString(options, ""))
				slices.Sort(words)
				return words
			}
		}
		r.t.Fatalf("no jail of sqmd %s:\n%s", program, r.Read("/tmp/ujail"))
		return nil
	}
	if diff := cmp.Diff(jail("--version"), jail("run")); diff != "" {
		r.t.Errorf("another jail was tried than that of the daemon:\n%s", diff)
	}
}

// Where ujail fails, the daemon runs without, and the log tells.
func TestBrokenJail(t *testing.T) {
	r := newRouter(t, openwrt.Options{SQM: queue(1, 20000, 5000)})
	r.must(r.Write("/sbin/ujail", "#!/bin/sh\nexit 1\n", 0o755))
	r.must(r.Boot(r.ctx))
	r.install(managers[0], oldVersion)
	r.mustBeShaped(5000, 20000)
	if jail, given := r.lastSet().Instance("instance1")["jail"]; given {
		t.Errorf("procd was asked for a jail: %v", jail)
	}
	if log := r.Read(openwrt.Log); !strings.Contains(log, "without a jail") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}
