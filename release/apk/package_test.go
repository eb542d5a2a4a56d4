// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/release/bundle"
)

// TestWriteLikeMkpkg compares with the bytes that apk's own program makes of the same package.
func TestWriteLikeMkpkg(t *testing.T) {
	got := payload(t, write(t, sample(), nil))
	if diff := cmp.Diff(hex.Dump(testdata(t, "sqmd.adb")), hex.Dump(got)); diff != "" {
		t.Error(diff)
	}
}

func TestWriteTwice(t *testing.T) {
	key := testKey(t)
	if !bytes.Equal(write(t, sample(), key), write(t, sample(), key)) {
		t.Error("two files of the same package differ")
	}
}

// TestRead reads what mkpkg made.
func TestRead(t *testing.T) {
	got, err := Read(bytes.NewReader(testdata(t, "sqmd.adb")))
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Title, want.Description = "Traffic shaper. It keeps the delay of a busy line low.", ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// odd packages, each sample with a change, that come back as they are.
var odd = []struct {
	name   string
	change func(p *bundle.Package)
}{
	{"nothing but a name", func(p *bundle.Package) {
		*p = bundle.Package{Name: "a", Version: "0", Arch: "mips_24kc", Title: "t", Time: time.Unix(0, 0).UTC()}
	}},
	{"no conffiles", func(p *bundle.Package) { p.Conffiles = nil }},
	{"conffiles in another order", func(p *bundle.Package) { p.Conffiles = []string{"/etc/init.d/sqmd", "/etc/config/sqmd"} }},
	{"no scripts", func(p *bundle.Package) { p.Scripts = bundle.Scripts{} }},
	{"conflicts alone", func(p *bundle.Package) { p.Depends = nil }},
	{"several of everything", func(p *bundle.Package) {
		p.Depends, p.Provides, p.Conflicts = []string{"a", "b"}, []string{"c", "d"}, []string{"0", "aa", "z"}
	}},
	{"files in the root, and names that sort around the slash", func(p *bundle.Package) {
		p.Files = []bundle.File{
			{Path: "/a b/x", Mode: 0o4}, {Path: "/a-b/x", Mode: 0o644}, {Path: "/a/b/c", Mode: 0}, {Path: "/a/é", Mode: 0o777},
			{Path: "/b", Mode: 0o644, Content: []byte{0}}, {Path: "/c", Mode: 0o777, Link: "/"},
		}
		p.Conffiles = []string{"/b"}
	}},
	{"beside the lists", func(p *bundle.Package) {
		p.Files = []bundle.File{{Path: "/lib/apk/packages/sqmd.list.d", Mode: 0o644}, {Path: "/lib/apk/packages/sqmd0", Mode: 0o644}}
		p.Conffiles = nil
	}},
	{"content that blobs have", func(p *bundle.Package) {
		p.Files = []bundle.File{{Path: "/z", Mode: 0o600, Content: make([]byte, 20)}}
		p.Conffiles = []string{"/z"}
	}},
	{"large", func(p *bundle.Package) {
		p.Files = []bundle.File{{Path: "/z", Mode: 0o600, Content: bytes.Repeat([]byte("0123456789"), 7000)}}
		p.Conffiles = nil
		p.Scripts.PostInstall = strings.Repeat("true\n", 20000)
	}},
	{"many", func(p *bundle.Package) {
		p.Files, p.Conffiles = nil, nil
		for i := range 1000 {
			path := fmt.Sprintf("/d%03d/f", i)
			p.Files = append(p.Files, bundle.File{Path: path, Mode: 0o644, Content: []byte(path)})
		}
	}},
	{"late", func(p *bundle.Package) { p.Time = time.Unix(1<<33, 0).UTC() }},
}

func TestWriteAndRead(t *testing.T) {
	for _, test := range odd {
		t.Run(test.name, func(t *testing.T) {
			want := sample()
			want.Description = ""
			test.change(&want)
			file := write(t, want, testKey(t))
			if err := Check(file); err != nil {
				t.Error(err)
			}
			got, err := Read(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNormal writes what comes back in another form.
func TestNormal(t *testing.T) {
	p := sample()
	p.Depends = []string{"b", "a", "b"}
	p.Scripts.PostInstall = "true"
	p.Files[3].Mode = 0
	p.Time = time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	got, err := Read(bytes.NewReader(write(t, p, nil)))
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Title, want.Description = "Traffic shaper. It keeps the delay of a busy line low.", ""
	want.Depends = []string{"a", "b"}
	want.Scripts.PostInstall = "true\n"
	want.Time = time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(p *bundle.Package)
		err    string
	}{
		{"no name", func(p *bundle.Package) { p.Name = "" }, "invalid package name"},
		{"path as name", func(p *bundle.Package) { p.Name = "../sqmd" }, "invalid package name"},
		{"version of another kind", func(p *bundle.Package) { p.Version = "1.2.3-beta1" }, "invalid version"},
		{"no architecture", func(p *bundle.Package) { p.Arch = "" }, "invalid architecture"},
		{"apk's own name of no architecture", func(p *bundle.Package) { p.Arch = "noarch" }, `spelled "all"`},
		{"two lines of title", func(p *bundle.Package) { p.Title = "a\nb" }, "not one line"},
		{"no title", func(p *bundle.Package) { p.Title = "" }, "not one line"},
		{"two lines of license", func(p *bundle.Package) { p.License = "a\nb" }, "line break"},
		{"section of two words", func(p *bundle.Package) { p.Section = "a b" }, "invalid tag"},
		{"dependency with a version", func(p *bundle.Package) { p.Depends = []string{"a>=1"} }, "invalid name"},
		{"conflict with what it needs", func(p *bundle.Package) { p.Depends = []string{"sqm-scripts"} }, "not in order"},
		{"before 1970", func(p *bundle.Package) { p.Time = time.Time{} }, "before 1970"},
		{"relative path", func(p *bundle.Package) { p.Files[0].Path = "etc/config/sqmd" }, "absolute"},
		{"path with dots", func(p *bundle.Package) { p.Files[0].Path = "/etc/../a" }, "absolute"},
		{"directory as file", func(p *bundle.Package) { p.Files[0].Path = "/" }, "absolute"},
		{"line break in a name", func(p *bundle.Package) { p.Files[1].Path = "/etc/empty\n" }, "not a name"},
		{"line break in a directory", func(p *bundle.Package) { p.Files[1].Path = "/etc/empty\n/a" }, "not a clean path"},
		{"files out of order", func(p *bundle.Package) { p.Files[0], p.Files[1] = p.Files[1], p.Files[0] }, "not in order"},
		{"a file twice", func(p *bundle.Package) { p.Files[1] = p.Files[0] }, "not in order"},
		{"a file that is a directory, too", func(p *bundle.Package) { p.Files[1].Path = "/etc/init.d" }, "is a file and a directory"},
		{"the list of the package", func(p *bundle.Package) {
			p.Files = []bundle.File{{Path: "/lib/apk/packages/sqmd.list"}}
		}, "place taken"},
		{"setuid", func(p *bundle.Package) { p.Files[0].Mode = 0o4755 }, "more than permissions"},
		{"link with content", func(p *bundle.Package) { p.Files[0].Link = "x" }, "link with content"},
		{"conffile that is not there", func(p *bundle.Package) { p.Conffiles[0] = "/etc/config/sqm" }, "keep.d"},
		{"conffile that is a link", func(p *bundle.Package) { p.Conffiles[0] = "/usr/sbin/sqm" }, "keep.d"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := sample()
			test.change(&p)
			err := Write(&bytes.Buffer{}, p, nil)
			if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %v instead of %q", err, test.err)
			}
		})
	}
}

func TestWriteTellsOfTheWriter(t *testing.T) {
	if err := Write(full{}, sample(), nil); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestReadRefusesOthers reads well-formed packages that Write does not make.
func TestReadRefusesOthers(t *testing.T) {
	if _, err := Read(bytes.NewReader(testdata(t, "other.apk"))); err == nil {
		t.Error("read a package without OpenWrt's lists")
	}
	for name, change := range map[string]func(c *content){
		"another script":    func(c *content) { c.scripts[postInstall] += "true\n" },
		"one script more":   func(c *content) { c.scripts[preInstall] = "#!/bin/sh\n" },
		"one script less":   func(c *content) { delete(c.scripts, preDeinstall) },
		"another time":      func(c *content) { c.tree[1].files[0].mtime++ },
		"another list":      func(c *content) { c.tree[6].files[2].content[1] = 'E' },
		"another directory": func(c *content) { c.tree[1].mode = 0o700 },
		"a maintainer":      func(c *content) { c.info.Maintainer = "nobody" },
		"a tag":             func(c *content) { c.info.Tags = append(c.info.Tags, "tag") },
		"a version":         func(c *content) { c.info.Depends[0] = Dependency{"kmod-ifb", "6", MatchGreater} },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := newContent(sample())
			if err != nil {
				t.Fatal(err)
			}
			change(&c)
			file := seal(t, c)
			if err := Check(file); err != nil {
				t.Error(err)
			}
			if _, err := Read(bytes.NewReader(file)); err == nil {
				t.Error("no error")
			}
		})
	}
}

// seal writes content.
func seal(t *testing.T, c content) []byte {
	t.Helper()
	f, err := c.encode()
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Payload()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFileName(t *testing.T) {
	if got := FileName(sample()); got != "sqmd-1.2.3-r1.apk" {
		t.Errorf("got %s", got)
	}
}

// TestUnpack holds that nothing of what was written gets lost, OpenWrt's lists and scripts included.
func TestUnpack(t *testing.T) {
	p := sample()
	c, err := Unpack(bytes.NewReader(write(t, p, nil)))
	if err != nil {
		t.Fatal(err)
	}
	wantScripts := map[string]string{"post-install": wantPostInstall, "post-upgrade": wantPostUpgrade, "pre-deinstall": wantPreDeinstall}
	if diff := cmp.Diff(wantScripts, c.Scripts); diff != "" {
		t.Error(diff)
	}
	want := append(slices.Clone(p.Files), lists(p)...)
	slices.SortFunc(want, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	if diff := cmp.Diff(want, c.Files, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if c.Info.Name != p.Name || c.Info.Version != p.Version {
		t.Errorf("%+v", c.Info)
	}
}
