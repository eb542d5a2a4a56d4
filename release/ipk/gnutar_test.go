// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/release/bundle"
)

// run runs a program in dir and returns what it says.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

// save writes p's package file and unpacks the outer tar with GNU tar.
func save(t *testing.T, p bundle.Package) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.ipk"), write(t, p), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "tar", "-xzf", "p.ipk")
	return dir
}

func TestGNUTarLists(t *testing.T) {
	dir := save(t, small())
	outer := run(t, dir, "tar", "--numeric-owner", "-tvzf", "p.ipk")
	for i, member := range []string{"./debian-binary", "./data.tar.gz", "./control.tar.gz"} {
		line := strings.Split(outer, "\n")[i]
		if !strings.HasPrefix(line, "-rw-r--r-- 0/0 ") || !strings.HasSuffix(line, " 2023-11-14 22:13 "+member) {
			t.Errorf("member %d is %q", i, line)
		}
	}
	want := `drwxr-xr-x 0/0               0 2023-11-14 22:13 ./
drwxr-xr-x 0/0               0 2023-11-14 22:13 ./etc/
drwxr-xr-x 0/0               0 2023-11-14 22:13 ./etc/config/
-rw------- 0/0              13 2023-11-14 22:13 ./etc/config/sqm
-rw-r--r-- 0/0              12 2023-11-14 22:13 ./etc/config/sqmd
drwxr-xr-x 0/0               0 2023-11-14 22:13 ./etc/init.d/
-rwxr-xr-x 0/0              25 2023-11-14 22:13 ./etc/init.d/sqmd
drwxr-xr-x 0/0               0 2023-11-14 22:13 ./usr/
drwxr-xr-x 0/0               0 2023-11-14 22:13 ./usr/sbin/
lrwxrwxrwx 0/0               0 2023-11-14 22:13 ./usr/sbin/sqm -> sqmd
-rwxr-xr-x 0/0               4 2023-11-14 22:13 ./usr/sbin/sqmd
`
	if diff := cmp.Diff(want, run(t, dir, "tar", "-tvzf", "data.tar.gz")); diff != "" {
		t.Error(diff)
	}
	want = `drwxr-xr-x 0/0               0 2023-11-14 22:13 ./
-rw-r--r-- 0/0              33 2023-11-14 22:13 ./conffiles
-rw-r--r-- 0/0             331 2023-11-14 22:13 ./control
-rwxr-xr-x 0/0             160 2023-11-14 22:13 ./postinst
-rwxr-xr-x 0/0              15 2023-11-14 22:13 ./postinst-pkg
-rwxr-xr-x 0/0             117 2023-11-14 22:13 ./prerm
-rwxr-xr-x 0/0              11 2023-11-14 22:13 ./prerm-pkg
`
	if diff := cmp.Diff(want, run(t, dir, "tar", "-tvzf", "control.tar.gz")); diff != "" {
		t.Error(diff)
	}
	// As ipkg-make-index asks for it.
	run(t, dir, "sh", "-c", "tar -xzOf p.ipk ./control.tar.gz | tar -xzOf - ./control >control")
	if got, err := os.ReadFile(filepath.Join(dir, "control")); err != nil || string(got) != smallControl {
		t.Errorf("control is %q, %v", got, err)
	}
}

// GNU tar, called as OpenWrt's ipkg-build does, makes the same entries of what it unpacked.
func TestGNUTarAgrees(t *testing.T) {
	for name, p := range odd() {
		if name == "modes" {
			// Only root could pack a file of mode 0 again.
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := save(t, p)
			root := filepath.Join(dir, "root")
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "tar", "-xpzf", "data.tar.gz", "-C", "root")
			run(t, root, "tar", "--format=gnu", "--numeric-owner", "--owner=0", "--group=0", "--sort=name",
				fmt.Sprintf("--mtime=@%d", p.Time.Unix()), "-cf", "../again.tar", ".")
			again, err := os.ReadFile(filepath.Join(dir, "again.tar"))
			if err != nil {
				t.Fatal(err)
			}
			_, ours := insides(t, write(t, p))
			if diff := cmp.Diff(entries(t, again), entries(t, ours), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// plain is an entry that cmp can look into.
type plain struct {
	Header  tar.Header
	Content []byte
}

func entries(t *testing.T, tarball []byte) []plain {
	t.Helper()
	all, err := readTar(tarball)
	if err != nil {
		t.Fatal(err)
	}
	var plains []plain
	for _, e := range all {
		plains = append(plains, plain{*e.header, e.content})
	}
	return plains
}

// What GNU tar and gzip put together as ipkg-build calls them passes, and reads as what we write.
func TestGNUTarBuilds(t *testing.T) {
	dir := save(t, small())
	run(t, dir, "sh", "-ec", `
		pack() { tar --format=gnu --numeric-owner --owner=0 --group=0 --sort=name --mtime=@1700000000 -cf - "$@"; }
		mkdir data control
		tar -xpzf data.tar.gz -C data
		tar -xpzf control.tar.gz -C control
		pack -C data . >data.tar
		size=$(wc -c <data.tar)
		sed -i "s/^Installed-Size: .*/Installed-Size: $size/" control/control
		gzip -9n <data.tar >data.tar.gz
		pack -C control . | gzip -9n >control.tar.gz
		pack ./debian-binary ./data.tar.gz ./control.tar.gz | gzip -9n >p.ipk`)
	file, err := os.ReadFile(filepath.Join(dir, "p.ipk"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(file); err != nil {
		t.Error(err)
	}
	got, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := small()
	slices.Sort(want.Conffiles)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
