// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sqmd/release/apk"
	"sqmd/release/bundle"
	"sqmd/release/ipk"
	"sqmd/release/signify"
)

// check reads from disk what was written for an architecture, as a package manager with the public keys would, and
// compares it with what it was made of.
func (b *builder) check(s set) error {
	return errors.Join(b.checkOpkg(s), b.checkApk(s))
}

func (b *builder) checkOpkg(s set) error {
	var entries []ipk.Entry
	for _, want := range s.packages {
		name := ipk.FileName(want)
		file, err := os.ReadFile(b.opkgFile(s, name))
		if err != nil {
			return err
		}
		if err := ipk.Check(file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		got, err := ipk.Read(bytes.NewReader(file))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := same(want, got); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		entry, err := ipk.Describe(name, file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		entries = append(entries, entry)
	}
	return b.checkOpkgIndex(s, entries)
}

func (b *builder) checkOpkgIndex(s set, want []ipk.Entry) error {
	index, err := os.ReadFile(b.opkgFile(s, opkgIndex))
	if err != nil {
		return err
	}
	got, err := ipk.Parse(index)
	if err != nil {
		return fmt.Errorf("%s: %w", opkgIndex, err)
	}
	slices.SortFunc(want, func(a, b ipk.Entry) int { return strings.Compare(a.Filename, b.Filename) })
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s does not describe the packages beside it", opkgIndex)
	}
	unpacked, err := gunzip(b.opkgFile(s, opkgIndexGzip))
	if err != nil {
		return err
	}
	if !bytes.Equal(unpacked, index) {
		return fmt.Errorf("%s is not %s", opkgIndexGzip, opkgIndex)
	}
	public, err := os.ReadFile(b.opkgKeyFile())
	if err != nil {
		return err
	}
	key, err := signify.ParsePublicKey(public)
	if err != nil {
		return err
	}
	signature, err := os.ReadFile(b.opkgFile(s, opkgSignature))
	if err != nil {
		return err
	}
	if err := signify.Verify(key, index, signature); err != nil {
		return fmt.Errorf("%s: %w", opkgSignature, err)
	}
	return nil
}

func (b *builder) checkApk(s set) error {
	public, err := os.ReadFile(b.apkKeyFile())
	if err != nil {
		return err
	}
	key, err := apk.ParsePublicKey(public)
	if err != nil {
		return err
	}
	var listed apk.Index
	for _, want := range s.packages {
		name := apk.FileName(want)
		file, err := os.ReadFile(b.apkFile(s, name))
		if err != nil {
			return err
		}
		if err := errors.Join(apk.Check(file), apk.Verify(file, key)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		got, err := apk.Read(bytes.NewReader(file))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := sameApk(want, got); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		l, err := apk.List(file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := listed.Add(l); err != nil {
			return err
		}
	}
	index, err := os.ReadFile(b.apkFile(s, apk.IndexName))
	if err != nil {
		return err
	}
	got, err := apk.ReadIndex(bytes.NewReader(index))
	if err == nil {
		err = apk.Verify(index, key)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", apk.IndexName, err)
	}
	if !reflect.DeepEqual(got, listed) {
		return fmt.Errorf("%s does not describe the packages beside it", apk.IndexName)
	}
	return nil
}

func (b *builder) opkgKeyFile() string {
	return filepath.Join(b.Out, keysDir, b.Keys.Opkg.Fingerprint())
}

// apkKeyName is what the public key is called in /etc/apk/keys.
const apkKeyName = "sqmd.pem"

func (b *builder) apkKeyFile() string { return filepath.Join(b.Out, keysDir, apkKeyName) }

func (b *builder) writeKeys() error {
	public, err := apk.MarshalPublicKey(&b.Keys.Apk.PublicKey)
	return errors.Join(err,
		write(b.opkgKeyFile(), b.Keys.Opkg.Public().Text()),
		write(b.apkKeyFile(), public))
}

// sameApk compares what went into a package of apk with what it holds. Title and description are one there.
func sameApk(want, got bundle.Package) error {
	if !strings.HasPrefix(got.Title, want.Title) {
		return fmt.Errorf("the description is %q, that of %q went in", got.Title, want.Title)
	}
	got.Title, got.Description = want.Title, want.Description
	return same(want, got)
}

// same says in what the package that was read differs from the one that was written.
func same(want, got bundle.Package) error {
	for i := range max(len(want.Files), len(got.Files)) {
		if i >= len(want.Files) || i >= len(got.Files) {
			return fmt.Errorf("it holds %d files, %d went in", len(got.Files), len(want.Files))
		}
		w, g := want.Files[i], got.Files[i]
		if w.Path != g.Path || w.Mode != g.Mode || w.Link != g.Link || !bytes.Equal(w.Content, g.Content) {
			return fmt.Errorf("%s is not the %s that went in", g.Path, w.Path)
		}
	}
	if !want.Time.Equal(got.Time) {
		return fmt.Errorf("its time is %v, not %v", got.Time, want.Time)
	}
	want.Files, want.Time = got.Files, got.Time
	if !reflect.DeepEqual(want, got) {
		want.Files, got.Files = nil, nil
		return fmt.Errorf("it says %+v; what went in is %+v", got, want)
	}
	return nil
}

func gunzip(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return io.ReadAll(r)
}
