// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// makeRoot makes a root around programs that only stand for the real ones.
func makeRoot(t *testing.T, o Options) *Root {
	t.Helper()
	dir := t.TempDir()
	o.Busybox, o.Box, o.Arch = filepath.Join(dir, "busybox"), filepath.Join(dir, "box"), "x86_64"
	// A script that lists its programs, with a table of their names as the binary has it.
	busybox := "#!/bin/sh\nprintf '%s\\n' '[' '[[' ash ls sh tc\nexit\n\x00\x00[\x00[[\x00ash\x00ls\x00sh\x00tc\x00\x00"
	for path, text := range map[string]string{o.Busybox: busybox, o.Box: "box"} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r, err := New(filepath.Join(dir, "root"), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNew(t *testing.T) {
	r := makeRoot(t, Options{SQMScripts: true})
	links := map[string]string{
		"/bin/ls": "/bin/busybox", "/bin/tc": "/sbin/sqmbox", "/bin/uci": "/sbin/sqmbox", "/sbin/uci": "/sbin/sqmbox",
		"/etc/rc.d/S50sqm": "../init.d/sqm", "/etc/rc.d/S20network": "../init.d/network",
	}
	for name, want := range links {
		if got, err := os.Readlink(r.Path(name)); err != nil || got != want {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	modes := map[string]fs.FileMode{
		"/etc/rc.common": 0o755, "/lib/functions.sh": 0o644, "/etc/init.d/sqm": 0o755, "/bin/logger": 0o755, "/bin/busybox": 0o755,
	}
	for name, want := range modes {
		info, err := os.Stat(r.Path(name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if text := r.Read("/etc/config/sqm"); !strings.Contains(text, "option enabled '0'") {
		t.Errorf("sqm-scripts comes with:\n%s", text)
	}
	if r.Exists("/etc/none") || r.Read("/etc/none") != "" || !r.Exists("/var") {
		t.Error("what exists?")
	}
	without := makeRoot(t, Options{SQM: "config queue\n"})
	if without.Exists("/etc/init.d/sqm") || without.Read("/etc/config/sqm") != "config queue\n" {
		t.Error("sqm-scripts came unasked")
	}
}

func TestNewRefusesWhatIsNoBusybox(t *testing.T) {
	path := filepath.Join(t.TempDir(), "busybox")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.TempDir(), Options{Busybox: path, Box: path}); err == nil {
		t.Error("made a root of it")
	}
}

func TestRequests(t *testing.T) {
	r := makeRoot(t, Options{})
	if all, err := r.Requests(); err != nil || all != nil {
		t.Errorf("before any: %v, %v", all, err)
	}
	text := `{"method":"set","request":{"name":"sqmd","instances":{"main":{"command":["a"]}}}}` + "\n" + `{"method":"delete","request":{"name":"sqmd"}}` + "\n"
	if err := r.Write(Requests, text, 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := r.Requests()
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if diff := cmp.Diff(map[string]any{"command": []any{"a"}}, all[0].Instance("main")); diff != "" || all[1].Instance("main") != nil {
		t.Error(diff)
	}
	if err := r.Write(Requests, "{", 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Requests(); err == nil {
		t.Error("read a damaged log")
	}
}

// TestShell has the machine's shell read the stand-ins, where they need nothing of OpenWrt.
func TestShell(t *testing.T) {
	functions, err := filepath.Abs("root/lib/functions.sh")
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		`append X a; append X b; append X c ,; echo "$X"`:                                               "a b,c\n",
		`A="one two"; list_contains A two && ! list_contains A tw && echo yes`:                          "yes\n",
		`for v in 1 on yes 0 off other; do get_bool "$v" 7; done`:                                       "111007",
		`config_set wan enabled on; config_get_bool E wan enabled 0; echo "$E"`:                         "1\n",
		`config_get_bool E wan enabled 1; config_get F wan x "a  b"; echo "$E $F"`:                      "1 a  b\n",
		`config_set a TYPE queue; config_get a TYPE; config_get T a TYPE; echo "$T"`:                    "queue\nqueue\n",
		`config_get X @bad[0] y z; echo "$X"`:                                                           "\n",
		`CONFIG_SECTIONS="a b"; CONFIG_a_TYPE=queue; config_foreach echo queue x`:                       "a x\n",
		`CONFIG_SECTIONS="a b"; config_foreach echo`:                                                    "a\nb\n",
		`CONFIG_a_l_LENGTH=2 CONFIG_a_l_ITEM1="x y" CONFIG_a_l_ITEM2=z; config_list_foreach a l echo -`: "x y -\nz -\n",
		`IPKG_INSTROOT=/nonexistent config_load sqm && echo done`:                                       "done\n",
	} {
		output, err := exec.Command("sh", "-c", ". "+functions+"; "+script).CombinedOutput()
		if string(output) != want {
			t.Errorf("%s: %q, %v; want %q", script, output, err, want)
		}
	}
}
