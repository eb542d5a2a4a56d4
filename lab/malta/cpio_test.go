// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The bytes are written down from the kernel's buffer-format.rst.
func TestArchiveBytes(t *testing.T) {
	var got bytes.Buffer
	a := newArchive(&got)
	a.file("/a", 0o755, []byte("12345"))
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	zero := strings.Repeat("0", 8)
	want := "070701" + "00000001" + "000081ed" + zero + zero + "00000001" + zero + "00000005" + zero + zero + zero + zero + "00000002" + zero +
		"a\x00" + "12345\x00\x00\x00" +
		"070701" + "00000002" + zero + zero + zero + "00000001" + zero + zero + zero + zero + zero + zero + "0000000b" + zero +
		"TRAILER!!!\x00\x00\x00\x00"
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("archive (-want +got):\n%s", d)
	}
}

// What the archive holds, as busybox reads it.
func TestArchiveRead(t *testing.T) {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	for name, mode := range map[string]os.FileMode{"run": 0o755, "read": 0o640} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("run", filepath.Join(source, "link")); err != nil {
		t.Fatal(err)
	}
	files, err := FilesIn(source, "/usr/test")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, File{Path: "/etc/text", Content: "text"}, File{Path: "usr/test/read", Content: "replaced", Mode: 0o600})
	var archive bytes.Buffer
	a := newArchive(&archive)
	for _, f := range files {
		if err := f.addTo(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	target := t.TempDir()
	unpack := exec.Command(busybox, "cpio", "-idmu")
	unpack.Dir, unpack.Stdin = target, &archive
	if output, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	got := make(map[string]string)
	err = filepath.Walk(target, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		got[strings.TrimPrefix(name, target)] = info.Mode().String() + " " + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"/usr/test/run": "-rwxr-xr-x run", "/usr/test/link": "Lrwxrwxrwx run", "/usr/test/read": "-rw------- replaced", "/etc/text": "-rw-r--r-- text"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("unpacked (-want +got):\n%s", d)
	}
}
