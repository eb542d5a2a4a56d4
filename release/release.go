// SPDX-License-Identifier: GPL-2.0-or-later

// Package release makes what people install: every package for every architecture in the formats of both of OpenWrt's
// package managers, a feed and a repository to install them from, and the notes that go with them. The same commit and
// keys give the same bytes.
package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sqmd/release/arch"
	"sqmd/release/recipe"
)

// recipes are the folders of the repository that packages are made from.
var recipes = []string{"package", "luci-app"}

// Options say what to make of what.
type Options struct {
	// Dir is the top folder of a git checkout.
	Dir string
	// Out is the folder to fill. What an earlier run put there goes away; it is an error if something else is there.
	Out string
	// Arches are the architectures; nil means all of them.
	Arches []arch.Arch
	// Keys sign.
	Keys Keys
	// Tag, if not empty, is the release's: the checkout has to be exactly that, and Keys not those of development.
	Tag string
	// Log is told what is being done, a line at a time.
	Log io.Writer
}

// builder is a run of Build.
type builder struct {
	Options
	source  source
	recipes []recipe.Recipe
	version string
	// news is what the changelog says of the version.
	news string

	// shared are the packages that every architecture has the same of.
	shared []packed

	logging sync.Mutex
}

func (b *builder) progress(format string, args ...any) {
	b.logging.Lock()
	defer b.logging.Unlock()
	fmt.Fprintf(b.Log, format+"\n", args...)
}

// Build makes a release, or a snapshot if the commit is none, in o.Out:
//
//	opkg/ARCH/   packages *.ipk; Packages, Packages.gz and Packages.sig are their index and its signature
//	apk/ARCH/    packages *.apk; packages.adb is their index
//	keys/        public keys, as files for /etc/opkg/keys and /etc/apk/keys
//	RELEASE-NOTES.md, SHA256SUMS
//
// All of it has been read back and verified when Build returns nil; else o.Out is as it was before.
func Build(ctx context.Context, o Options) error {
	if o.Arches == nil {
		o.Arches = arch.All()
	}
	b := &builder{Options: o}
	if err := b.read(ctx); err != nil {
		return err
	}
	return replace(o.Out, func(dir string) error {
		b.Out = dir
		return b.make(ctx)
	})
}

// read learns about the source and refuses a release that is none.
func (b *builder) read(ctx context.Context) error {
	var err error
	if b.source, err = readSource(ctx, b.Dir); err != nil {
		return err
	}
	for _, dir := range recipes {
		r, err := recipe.Read(os.DirFS(b.Dir), dir)
		if err != nil {
			return err
		}
		b.recipes = append(b.recipes, r)
	}
	b.version = b.source.version(b.recipes[0])
	if b.Tag != "" {
		if err := b.source.checkRelease(b.Tag, b.recipes[0]); err != nil {
			return fmt.Errorf("release %s: %w", b.Tag, err)
		}
		if b.Keys.Development {
			return fmt.Errorf("release %s: development keys do not sign releases", b.Tag)
		}
		for i, r := range b.recipes {
			if want := b.recipes[0]; r.Version != want.Version || r.Release != want.Release {
				return fmt.Errorf("release %s: %s/Makefile is of version %s-r%s, not %s-r%s", b.Tag, recipes[i], r.Version, r.Release, want.Version, want.Release)
			}
		}
	}
	if b.news, err = readNews(filepath.Join(b.Dir, changelog), b.recipes[0].Version, b.Tag != ""); err != nil {
		return err
	}
	b.progress("version %s of commit %.12s", b.version, b.source.commit)
	if n := len(b.source.changed); n > 0 {
		b.progress("NOT WHAT WAS COMMITTED: %d files differ from the commit", n)
	}
	if b.Keys.Development {
		b.progress("signed with development keys: not for others to install")
	}
	return nil
}

func (b *builder) make(ctx context.Context) error {
	programs, err := b.build(ctx, b.targets())
	if err != nil {
		return err
	}
	if err := b.packShared(); err != nil {
		return err
	}
	sets := make([]set, len(b.Arches))
	err = parallel(len(b.Arches), func(i int) (err error) {
		sets[i], err = b.pack(b.Arches[i], programs[b.Arches[i].Target.Name].content)
		return err
	})
	if err != nil {
		return err
	}
	b.progress("packed for %d architectures", len(sets))
	if err := errors.Join(b.writeKeys(), b.writeNotes(programs)); err != nil {
		return err
	}
	err = parallel(len(sets), func(i int) error {
		if err := b.check(sets[i]); err != nil {
			return fmt.Errorf("checking what was written for %s: %w", sets[i].arch.Name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.progress("read back and verified")
	return writeSums(b.Out)
}

// targets are those of the architectures, each once.
func (b *builder) targets() []arch.Target {
	return slices.DeleteFunc(arch.Targets(), func(t arch.Target) bool {
		return !slices.ContainsFunc(b.Arches, func(a arch.Arch) bool { return a.Target == t })
	})
}

// replace lets fill fill a new folder and then puts that in the place of dir.
func replace(dir string, fill func(dir string) error) error {
	if err := ours(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := fill(fresh); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

// ours is an error if dir holds something that this package did not put there.
func ours(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == sumsFile {
			return nil
		}
	}
	return fmt.Errorf("%s is neither empty nor from an earlier run, as it has no %s: choose another folder", dir, sumsFile)
}
