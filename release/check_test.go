// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sqmd/release/bundle"
)

// Whatever byte of a file is not what was written, the check finds it.
func TestCheckFindsTampering(t *testing.T) {
	b := &builder{Options: Options{Dir: newFixture(t), Out: t.TempDir(), Keys: testKeys(t), Log: io.Discard}}
	if err := b.read(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := b.packShared(); err != nil {
		t.Fatal(err)
	}
	s, err := b.pack(twoArches(t)[1], bytes.Repeat([]byte("program"), 100))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.writeKeys(); err != nil {
		t.Fatal(err)
	}
	if err := b.check(s); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(b.Out, "*", "x86_64", "*"))
	if err != nil || len(files) != 10 {
		t.Fatalf("files %v, %v; want ten", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range [][]byte{nil, content[:len(content)-1], flip(content, len(content)/2), flip(content, len(content)-10)} {
			if err := os.WriteFile(file, changed, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := b.check(s); err == nil {
				t.Errorf("%s, changed to %d bytes of %d, passes", filepath.Base(file), len(changed), len(content))
			}
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.check(s); err != nil {
		t.Error(err)
	}
}

func flip(content []byte, at int) []byte {
	changed := bytes.Clone(content)
	changed[at] ^= 1
	return changed
}

func TestSame(t *testing.T) {
	p := func() bundle.Package {
		return bundle.Package{
			Name: "a", Version: "1-r1", Depends: []string{"b"}, Time: time.Unix(1, 0),
			Files: []bundle.File{{Path: "/a", Mode: 0o644, Content: []byte("a")}},
		}
	}
	if err := same(p(), p()); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(p *bundle.Package){
		"version":      func(p *bundle.Package) { p.Version = "1-r2" },
		"dependencies": func(p *bundle.Package) { p.Depends = nil },
		"time":         func(p *bundle.Package) { p.Time = time.Unix(2, 0) },
		"content":      func(p *bundle.Package) { p.Files[0].Content = []byte("b") },
		"mode":         func(p *bundle.Package) { p.Files[0].Mode = 0o755 },
		"path":         func(p *bundle.Package) { p.Files[0].Path = "/b" },
		"no file":      func(p *bundle.Package) { p.Files = nil },
		"script":       func(p *bundle.Package) { p.Scripts.PreRemove = "exit\n" },
	} {
		changed := p()
		change(&changed)
		if same(p(), changed) == nil || same(changed, p()) == nil {
			t.Errorf("%s: no difference", name)
		}
	}
}
