// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"sqmd/release/apk"
	"sqmd/release/arch"
	"sqmd/release/bundle"
	"sqmd/release/ipk"
)

// The folders of a release, and the files of an opkg feed beside its packages. The index of an apk repository is
// [apk.IndexName].
const (
	opkgDir = "opkg"
	apkDir  = "apk"
	keysDir = "keys"

	opkgIndex     = "Packages"
	opkgIndexGzip = "Packages.gz"
	opkgSignature = "Packages.sig"
)

// set is what there is for one architecture.
type set struct {
	arch     arch.Arch
	packages []bundle.Package
}

func (b *builder) opkgFile(s set, name string) string {
	return filepath.Join(b.Out, opkgDir, s.arch.Name, name)
}

func (b *builder) apkFile(s set, name string) string {
	return filepath.Join(b.Out, apkDir, s.arch.Name, name)
}

// packed is a package as the files of both package managers, and what their indices say of these.
type packed struct {
	bundle    bundle.Package
	opkg, apk []byte
	entry     ipk.Entry
	listed    apk.Listed
}

func (b *builder) packOne(p bundle.Package) (packed, error) {
	var forOpkg, forApk bytes.Buffer
	if err := errors.Join(ipk.Write(&forOpkg, p), apk.Write(&forApk, p, b.Keys.Apk)); err != nil {
		return packed{}, err
	}
	entry, err := ipk.Describe(ipk.FileName(p), forOpkg.Bytes())
	if err != nil {
		return packed{}, err
	}
	listed, err := apk.List(forApk.Bytes())
	return packed{p, forOpkg.Bytes(), forApk.Bytes(), entry, listed}, err
}

// packShared packs what is the same for every architecture, once.
func (b *builder) packShared() error {
	for _, r := range b.recipes {
		for _, p := range r.Packages {
			if p.Bundle.Arch != bundle.NoArch {
				continue
			}
			one, err := b.packOne(p.Complete(b.version, bundle.NoArch, b.source.time, nil))
			if err != nil {
				return err
			}
			b.shared = append(b.shared, one)
		}
	}
	return nil
}

// pack writes the packages for an architecture, those for all of them too, and the indices of its feed and its
// repository.
func (b *builder) pack(a arch.Arch, program []byte) (set, error) {
	all := slices.Clone(b.shared)
	for _, r := range b.recipes {
		for _, p := range r.Packages {
			if p.Bundle.Arch == bundle.NoArch {
				continue
			}
			one, err := b.packOne(p.Complete(b.version, a.Name, b.source.time, program))
			if err != nil {
				return set{}, err
			}
			all = append(all, one)
		}
	}
	s := set{arch: a}
	for _, p := range all {
		s.packages = append(s.packages, p.bundle)
	}
	return s, errors.Join(b.writeOpkg(s, all), b.writeApk(s, all))
}

func (b *builder) writeOpkg(s set, all []packed) error {
	var entries []ipk.Entry
	for _, p := range all {
		if err := write(b.opkgFile(s, ipk.FileName(p.bundle)), p.opkg); err != nil {
			return err
		}
		entries = append(entries, p.entry)
	}
	var index bytes.Buffer
	if err := ipk.Index(&index, entries); err != nil {
		return err
	}
	small, err := pack(index.Bytes())
	return errors.Join(err,
		write(b.opkgFile(s, opkgIndex), index.Bytes()),
		write(b.opkgFile(s, opkgIndexGzip), small),
		write(b.opkgFile(s, opkgSignature), b.Keys.Opkg.Sign(index.Bytes())))
}

func (b *builder) writeApk(s set, all []packed) error {
	var index apk.Index
	for _, p := range all {
		if err := write(b.apkFile(s, apk.FileName(p.bundle)), p.apk); err != nil {
			return err
		}
		if err := index.Add(p.listed); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if err := index.Write(&text, b.Keys.Apk); err != nil {
		return err
	}
	return write(b.apkFile(s, apk.IndexName), text.Bytes())
}

// write writes a file, and makes the folder for it.
func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// pack compresses as gzip -9n does.
func pack(content []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}
