// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuildTwice(t *testing.T) {
	keys, arches := testKeys(t), twoArches(t)
	repository := newFixture(t)
	elsewhere := filepath.Join(t.TempDir(), "clone")
	run(t, repository, "git", "clone", "-q", ".", elsewhere)

	one, log := buildFixture(t, Options{Dir: repository, Arches: arches, Keys: keys})
	two, _ := buildFixture(t, Options{Dir: elsewhere, Arches: arches, Keys: keys})
	run(t, one, "diff", "-r", one, two)
	run(t, one, "sha256sum", "-c", "--strict", sumsFile)

	const version = "1.2.3_git20260102030405-r1"
	for _, want := range []string{"version " + version, "development keys", "read back and verified"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in the log:\n%s", want, log)
		}
	}
	var files []string
	for _, line := range strings.Split(strings.TrimSpace(readFile(t, filepath.Join(one, sumsFile))), "\n") {
		files = append(files, strings.Fields(line)[1])
	}
	want := []string{
		"RELEASE-NOTES.md",
		"apk/mips_24kc/packages.adb", "apk/mips_24kc/sqmd-" + version + ".apk",
		"apk/x86_64/packages.adb", "apk/x86_64/sqmd-" + version + ".apk",
		"keys/" + keys.Opkg.Fingerprint(), "keys/sqmd.pem",
		"opkg/mips_24kc/Packages", "opkg/mips_24kc/Packages.gz", "opkg/mips_24kc/Packages.sig",
		"opkg/mips_24kc/sqmd_" + version + "_mips_24kc.ipk",
		"opkg/x86_64/Packages", "opkg/x86_64/Packages.gz", "opkg/x86_64/Packages.sig",
		"opkg/x86_64/sqmd_" + version + "_x86_64.ipk",
	}
	for _, name := range []string{"luci-app-sqmd", "luci-i18n-sqmd-zh-cn"} {
		for _, a := range arches {
			want = append(want, "apk/"+a.Name+"/"+name+"-"+version+".apk", "opkg/"+a.Name+"/"+name+"_"+version+"_all.ipk")
		}
	}
	slices.Sort(files)
	slices.Sort(want)
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestBuildRelease(t *testing.T) {
	keys := testKeys(t)
	keys.Development = false
	repository := newFixture(t)
	run(t, repository, "git", "tag", "v1.2.3")
	dir, log := buildFixture(t, Options{Dir: repository, Arches: twoArches(t)[1:], Keys: keys, Tag: "v1.2.3"})
	notes := readFile(t, filepath.Join(dir, notesFile))
	for _, want := range []string{"# sqmd 1.2.3-r1\n", "#### Added\n\n- All of it.", "/etc/opkg/keys/" + keys.Opkg.Fingerprint(), "| x86_64 | GOARCH=amd64", "| luci-app-sqmd | "} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in the notes:\n%s", want, notes)
		}
	}
	if text := notes + log; strings.Contains(text, "Something") || strings.Contains(text, "development") {
		t.Errorf("a release's notes and log have what a snapshot's do:\n%s", text)
	}
}

func TestBuildRefuses(t *testing.T) {
	keys := testKeys(t)
	released := keys
	released.Development = false
	for _, c := range []struct {
		name   string
		change func(o *Options)
		want   string
	}{
		{"development keys", func(o *Options) { o.Keys = keys }, "development keys do not sign releases"},
		{"changes", func(o *Options) { touch(t, filepath.Join(o.Dir, "new")) }, "?? new"},
		{"another tag", func(o *Options) { o.Tag = "v1.2.4" }, "PKG_VERSION is 1.2.3"},
		{"somebody's folder", func(o *Options) { touch(t, filepath.Join(o.Out, "thesis")) }, "choose another folder"},
		{"no repository", func(o *Options) { o.Dir = t.TempDir() }, "git log: "},
		{"a program for another machine", func(o *Options) {
			script := "#!/bin/sh\ncp /bin/true \"$1\"\n"
			commit(t, o.Dir, "scripts/build", script)
		}, "target amd64: the program "},
		{"a program that does not build", func(o *Options) {
			commit(t, o.Dir, "cmd/sqmd/main.go", "package main\n")
		}, "building for amd64: "},
		{"another version of the page", func(o *Options) {
			commit(t, o.Dir, "luci-app/Makefile", strings.Replace(fixture["luci-app/Makefile"], "1.2.3", "1.2.2", 1))
		}, "luci-app/Makefile is of version 1.2.2-r1, not 1.2.3-r1"},
		{"nothing in the changelog", func(o *Options) {
			commit(t, o.Dir, "CHANGELOG.md", "# Changelog\n\n## Unreleased\n")
		}, "CHANGELOG.md has no section \"## 1.2.3\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{
				Dir: newFixture(t), Out: filepath.Join(t.TempDir(), "out"), Arches: twoArches(t)[1:],
				Keys: released, Tag: "v1.2.3", Log: io.Discard,
			}
			run(t, o.Dir, "git", "tag", "v1.2.3")
			c.change(&o)
			err := Build(context.Background(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(o.Out), "*", sumsFile))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// What an earlier run left goes away; nothing else is beside it.
func TestBuildReplaces(t *testing.T) {
	o := Options{Dir: newFixture(t), Out: filepath.Join(t.TempDir(), "out"), Keys: testKeys(t), Arches: twoArches(t)[1:], Log: io.Discard}
	touch(t, filepath.Join(o.Out, "apk", "old"))
	touch(t, filepath.Join(o.Out, sumsFile))
	if err := Build(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(o.Out))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the folder: %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(o.Out, "apk", "old")); err == nil {
		t.Error("what was there before is still there")
	}
}

// commit changes a file, and moves the tag.
func commit(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := write(filepath.Join(dir, name), []byte(content)); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "git", "-c", "user.name=test", "-c", "user.email=test", "commit", "-q", "-a", "-m", "change")
	run(t, dir, "git", "tag", "-f", "v1.2.3")
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := write(file, nil); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
