// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/release/bundle"
)

// stamp is a release's time.
func stamp() time.Time { return time.Unix(1_700_000_000, 0).UTC() }

// small has one of everything.
func small() bundle.Package {
	return bundle.Package{
		Name: "sqmd", Version: "1.2.3-r1", Arch: "mips_24kc",
		Title: "Smart queue management", Description: "Shapes what\ncomes and goes.",
		License: "GPL-2.0-or-later", Section: "net", Source: "feeds/packages/net/sqmd",
		Depends: []string{"kmod-ifb", "kmod-sched-cake"}, Provides: []string{"sqm"}, Conflicts: []string{"qos-scripts"},
		Conffiles: []string{"/etc/config/sqmd", "/etc/config/sqm"},
		Files: []bundle.File{
			{Path: "/etc/config/sqm", Mode: 0o600, Content: []byte("config queue\n")},
			{Path: "/etc/config/sqmd", Mode: 0o644, Content: []byte("config sqmd\n")},
			{Path: "/etc/init.d/sqmd", Mode: 0o755, Content: []byte("#!/bin/sh /etc/rc.common\n")},
			{Path: "/usr/sbin/sqm", Mode: 0o777, Link: "sqmd"},
			{Path: "/usr/sbin/sqmd", Mode: 0o755, Content: []byte("\x7fELF")},
		},
		Scripts: bundle.Scripts{PostInstall: "echo installed\n", PreRemove: "echo going\n"},
		Time:    stamp(),
	}
}

func withFiles(files ...bundle.File) bundle.Package {
	p := small()
	p.Conffiles = nil
	p.Files = files
	return p
}

// odd are bundles at the edges of the format.
func odd() map[string]bundle.Package {
	long := "/" + strings.Repeat("d", 90) + "/" + strings.Repeat("e", 90)
	bare := bundle.Package{Name: "a", Version: "1", Arch: bundle.NoArch, Title: "t", Time: time.Unix(0, 0).UTC()}
	latest := small()
	latest.Time = time.Unix(maxTime, 0).UTC()
	paragraphs := small()
	paragraphs.Description = "\n  indented\n\nünïcode: with colon\n"
	return map[string]bundle.Package{
		"small":      small(),
		"bare":       bare,
		"latest":     latest,
		"paragraphs": paragraphs,
		"empty":      withFiles(bundle.File{Path: "/empty", Mode: 0o644}),
		"modes": withFiles(bundle.File{Path: "/a", Mode: 0}, bundle.File{Path: "/b", Mode: 0o777},
			bundle.File{Path: "/c", Mode: 0o400}),
		"walk": withFiles(bundle.File{Path: "/a-b", Mode: 0o644}, bundle.File{Path: "/a.b", Mode: 0o644},
			bundle.File{Path: "/a/b", Mode: 0o644}, bundle.File{Path: "/a0", Mode: 0o644}),
		"deep": withFiles(bundle.File{Path: strings.Repeat("/x", 200), Mode: 0o644, Content: []byte("deep")}),
		"long": withFiles(bundle.File{Path: long, Mode: 0o644, Content: bytes.Repeat([]byte{0}, 513)},
			bundle.File{Path: long + "l", Mode: 0o777, Link: strings.Repeat("../", 60) + "target"},
			bundle.File{Path: "/" + strings.Repeat("n", 100), Mode: 0o644}),
		"names": withFiles(bundle.File{Path: "/with space", Mode: 0o644}, bundle.File{Path: "/ünï", Mode: 0o644}),
		"block": withFiles(bundle.File{Path: "/b", Mode: 0o644, Content: bytes.Repeat([]byte("b"), 512)}),
	}
}

func write(t testing.TB, p bundle.Package) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for name, p := range odd() {
		t.Run(name, func(t *testing.T) {
			b := write(t, p)
			if err := Check(b); err != nil {
				t.Error(err)
			}
			got, err := Read(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if p.Conffiles != nil {
				p.Conffiles = []string{"/etc/config/sqm", "/etc/config/sqmd"}
			}
			if diff := cmp.Diff(p, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(b, write(t, got)) {
				t.Error("what was read is written differently")
			}
		})
	}
}

func TestWriteTwice(t *testing.T) {
	first := write(t, small())
	local := small()
	local.Time = local.Time.In(time.FixedZone("", 3600)).Add(time.Second - 1)
	if !bytes.Equal(first, write(t, local)) {
		t.Error("zone or fraction of the time get into the package")
	}
}

// The hashes are of what is inside: compress/flate may pack it differently in another release of Go.
func TestGoldenTars(t *testing.T) {
	control, data := insides(t, write(t, small()))
	for _, c := range []struct {
		name, want string
		tarball    []byte
	}{
		{"control.tar", "eea34f02a6823a2f6a60b1f39f47a846ac3ab421b4207bd3b07e76611ac1eb93", control},
		{"data.tar", "7e78718d6d314eade09bf401070d9b1fef6b51bf0df85a6b19cb01a12782872c", data},
	} {
		sum := sha256.Sum256(c.tarball)
		if diff := cmp.Diff(c.want, hex.EncodeToString(sum[:])); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// insides are the unpacked control.tar and data.tar of a package file.
func insides(t *testing.T, file []byte) (control, data []byte) {
	t.Helper()
	members, err := outerMembers(file)
	if err != nil {
		t.Fatal(err)
	}
	if control, err = gunzip(members[controlTar], maxControl); err != nil {
		t.Fatal(err)
	}
	if data, err = gunzip(members[dataTar], maxData); err != nil {
		t.Fatal(err)
	}
	return control, data
}

func TestFileName(t *testing.T) {
	for want, p := range map[string]bundle.Package{
		"sqmd_1.2.3-r1_mips_24kc.ipk": small(),
		"luci-app-sqmd_2-r3_all.ipk":  {Name: "luci-app-sqmd", Version: "1:2-r3", Arch: bundle.NoArch},
	} {
		if got := FileName(p); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bundle.Package)
		want   string
	}{
		"no name":          {func(p *bundle.Package) { p.Name = "" }, "no name"},
		"name":             {func(p *bundle.Package) { p.Name = "a b" }, "name \"a b\" may not have ' '"},
		"version":          {func(p *bundle.Package) { p.Version = "-1" }, "version \"-1\" may not have '-'"},
		"arch":             {func(p *bundle.Package) { p.Arch = "a/b" }, "architecture"},
		"dependency":       {func(p *bundle.Package) { p.Depends = []string{"libc (>= 1)"} }, "dependency"},
		"provides":         {func(p *bundle.Package) { p.Provides = []string{"a,b"} }, "provided name"},
		"conflicts":        {func(p *bundle.Package) { p.Conflicts = []string{""} }, "no conflict"},
		"no title":         {func(p *bundle.Package) { p.Title = "" }, "no title"},
		"title":            {func(p *bundle.Package) { p.Title = "a\nSize: 1" }, "control character"},
		"title space":      {func(p *bundle.Package) { p.Title = " a" }, "starts or ends with a space"},
		"description":      {func(p *bundle.Package) { p.Description = "a\rb" }, "control character"},
		"license":          {func(p *bundle.Package) { p.License = "MIT\n" }, "starts or ends"},
		"no time":          {func(p *bundle.Package) { p.Time = time.Time{} }, "between 1970 and 2242"},
		"late":             {func(p *bundle.Package) { p.Time = time.Unix(maxTime+1, 0) }, "between 1970 and 2242"},
		"conffile missing": {func(p *bundle.Package) { p.Conffiles = []string{"/etc/passwd"} }, "not among"},
		"conffile link":    {func(p *bundle.Package) { p.Conffiles = []string{"/usr/sbin/sqm"} }, "not among"},
		"conffile space": {func(p *bundle.Package) {
			p.Files = []bundle.File{{Path: "/etc/a b", Mode: 0o644}}
			p.Conffiles = []string{"/etc/"}
		}, "has a space"},
		"relative":  {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "etc/x"}} }, "not absolute and clean"},
		"traversal": {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/../x"}} }, "not absolute and clean"},
		"root":      {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/"}} }, "not absolute and clean"},
		"newline":   {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/a\nb"}} }, "control character"},
		"link":      {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/a", Link: "a\x00"}} }, "control character"},
		"setuid":    {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/a", Mode: 0o4755}} }, "only permission bits"},
		"full link": {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/a", Link: "b", Content: []byte("c")}} }, "has content"},
		"twice":     {func(p *bundle.Package) { p.Files = []bundle.File{{Path: "/a"}, {Path: "/a"}} }, "is there twice"},
		"below link": {func(p *bundle.Package) {
			p.Files = []bundle.File{{Path: "/a", Link: "/etc"}, {Path: "/a/b/c"}}
		}, "\"/a\" is a directory and something else"},
	} {
		t.Run(name, func(t *testing.T) {
			p := small()
			c.change(&p)
			var b bytes.Buffer
			err := Write(&b, p)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if b.Len() > 0 {
				t.Error("something was written")
			}
		})
	}
}

func TestConffilesOfADirectory(t *testing.T) {
	p := small()
	p.Conffiles = []string{"/etc/config/", "/etc/config/sqmd"}
	got, err := Read(bytes.NewReader(write(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/etc/config/sqm", "/etc/config/sqmd"}, got.Conffiles); diff != "" {
		t.Error(diff)
	}
}
