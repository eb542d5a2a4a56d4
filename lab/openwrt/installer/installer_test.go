// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sqmd/release/apk"
	"sqmd/release/bundle"
	"sqmd/release/ipk"
)

// root is a directory to install to. Scripts do not run there; the scenarios have them run.
type root struct {
	t *testing.T
	System
	said bytes.Buffer
}

func newRoot(t *testing.T) *root {
	r := &root{t: t}
	r.System = System{Root: t.TempDir(), Out: &r.said}
	r.write("/etc/opkg.conf", "arch all 1\narch x86_64 10\n")
	r.write("/etc/apk/arch", "x86_64\n")
	if err := r.Assume("kmod-ifb", "1"); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *root) write(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.at(path)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.at(path), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// text is a file's, "-" if there is none.
func (r *root) text(path string) string {
	text, err := os.ReadFile(r.at(path))
	if err != nil {
		return "-"
	}
	return string(text)
}

// sample is a package; the old one has a file more.
func sample(version string) bundle.Package {
	p := bundle.Package{
		Name: "sqmd", Version: version, Arch: "x86_64", Title: "shaper", License: "GPL-2.0-or-later", Section: "net", Source: "net/sqmd",
		Depends: []string{"kmod-ifb"}, Conffiles: []string{"/etc/config/sqmd"}, Time: time.Unix(1e9, 0),
		Files: []bundle.File{
			{Path: "/etc/config/sqmd", Mode: 0o600, Content: []byte("shipped " + version)},
			{Path: "/etc/init.d/sqmd", Mode: 0o755, Content: []byte("#!/bin/sh\n")},
			{Path: "/usr/sbin/sqmd", Mode: 0o755, Content: []byte("binary " + version)},
			{Path: "/usr/sbin/sqmd-link", Link: "sqmd"},
		},
	}
	if version == "1.0.0-r1" {
		p.Files = append(p.Files, bundle.File{Path: "/usr/share/sqmd/old", Mode: 0o644, Content: []byte("x")})
	}
	return p
}

// managers are both, and how each names a new configuration file beside the user's.
func managers(r *root) map[string]struct {
	install func(bundle.Package) error
	remove  func(string) error
	beside  string
} {
	opkg, apks := Opkg{r.System}, Apk{r.System}
	through := func(write func(io.Writer, bundle.Package) error, install func(io.Reader) error) func(bundle.Package) error {
		return func(p bundle.Package) error {
			var file bytes.Buffer
			if err := write(&file, p); err != nil {
				r.t.Fatal(err)
			}
			return install(&file)
		}
	}
	writeApk := func(w io.Writer, p bundle.Package) error { return apk.Write(w, p, nil) }
	return map[string]struct {
		install func(bundle.Package) error
		remove  func(string) error
		beside  string
	}{
		"opkg": {through(ipk.Write, opkg.Install), opkg.Remove, "-opkg"},
		"apk":  {through(writeApk, apks.Install), apks.Remove, ".apk-new"},
	}
}

func each(t *testing.T, test func(t *testing.T, r *root, install func(bundle.Package) error, remove func(string) error, beside string)) {
	for _, name := range []string{"opkg", "apk"} {
		t.Run(name, func(t *testing.T) {
			r := newRoot(t)
			m := managers(r)[name]
			test(t, r, m.install, m.remove, m.beside)
		})
	}
}

func TestInstallUpgradeRemove(t *testing.T) {
	each(t, func(t *testing.T, r *root, install func(bundle.Package) error, remove func(string) error, beside string) {
		want := func(when string, files map[string]string) {
			t.Helper()
			for path, text := range files {
				if got := r.text(path); got != text {
					t.Errorf("%s: %s is %q, want %q", when, path, got, text)
				}
			}
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(install(sample("1.0.0-r1")))
		must(install(sample("1.0.0-r1")))
		want("installed", map[string]string{"/etc/config/sqmd": "shipped 1.0.0-r1", "/usr/sbin/sqmd": "binary 1.0.0-r1", "/usr/share/sqmd/old": "x"})
		info, err := os.Stat(r.at("/usr/sbin/sqmd"))
		if err != nil || info.Mode() != 0o755 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if target, err := os.Readlink(r.at("/usr/sbin/sqmd-link")); err != nil || target != "sqmd" {
			t.Errorf("link to %q, %v", target, err)
		}
		must(install(sample("1.0.1-r1")))
		want("upgraded", map[string]string{"/etc/config/sqmd": "shipped 1.0.1-r1", "/usr/sbin/sqmd": "binary 1.0.1-r1", "/usr/share/sqmd/old": "-"})
		if _, err := os.Stat(r.at("/usr/share/sqmd")); err == nil {
			t.Error("an empty directory was left")
		}
		r.write("/etc/config/sqmd", "mine")
		must(install(sample("1.0.2-r1")))
		want("changed, upgraded", map[string]string{"/etc/config/sqmd": "mine", "/etc/config/sqmd" + beside: "shipped 1.0.2-r1"})
		must(remove("sqmd"))
		want("removed", map[string]string{"/etc/config/sqmd": "mine", "/usr/sbin/sqmd": "-", "/etc/init.d/sqmd": "-"})
		if err := remove("sqmd"); !errors.Is(err, ErrNotInstalled) {
			t.Errorf("removed twice: %v", err)
		}
		must(install(sample("1.0.2-r1")))
		want("installed over what was left", map[string]string{"/etc/config/sqmd": "mine"})
		r.write("/etc/config/sqmd", "shipped 1.0.2-r1")
		must(remove("sqmd"))
		want("removed unchanged", map[string]string{"/etc/config/sqmd": "-"})
	})
}

func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, r *root, install func(bundle.Package) error, _ func(string) error, _ string) {
		wrongArch, lonely, clashes := sample("1.0.0-r1"), sample("1.0.0-r1"), sample("1.0.0-r1")
		wrongArch.Arch = "mips_24kc"
		lonely.Depends = []string{"kmod-none"}
		r.write("/usr/sbin/sqmd", "another's")
		if err := r.Assume("other", "1", "/usr/sbin/sqmd"); err != nil {
			t.Fatal(err)
		}
		for want, p := range map[error]bundle.Package{ErrArch: wrongArch, ErrDependency: lonely, ErrClash: clashes} {
			if err := install(p); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		if got := r.text("/usr/sbin/sqmd"); got != "another's" {
			t.Errorf("overwrote it: %q", got)
		}
	})
}

func TestNoPackages(t *testing.T) {
	r := newRoot(t)
	for name, install := range map[string]func(io.Reader) error{"opkg": Opkg{r.System}.Install, "apk": Apk{r.System}.Install} {
		if err := install(strings.NewReader("no package")); err == nil {
			t.Errorf("%s took it", name)
		}
	}
}
