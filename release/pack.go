// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"

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

// pack writes the packages for an architecture and the indices of its feed and its repository.
func (b *builder) pack(a arch.Arch, program []byte) (set, error) {
	s := set{arch: a}
	for _, r := range b.recipes {
		for _, p := range r.Packages {
			s.packages = append(s.packages, p.Complete(b.version, a.Name, b.source.time, program))
		}
	}
	return s, errors.Join(b.writeOpkg(s), b.writeApk(s))
}

func (b *builder) writeOpkg(s set) error {
	var entries []ipk.Entry
	for _, p := range s.packages {
		var file bytes.Buffer
		if err := ipk.Write(&file, p); err != nil {
			return err
		}
		name := ipk.FileName(p)
		if err := write(b.opkgFile(s, name), file.Bytes()); err != nil {
			return err
		}
		entry, err := ipk.Describe(name, file.Bytes())
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	var index bytes.Buffer
	if err := ipk.Index(&index, entries); err != nil {
		return err
	}
	packed, err := pack(index.Bytes())
	return errors.Join(err,
		write(b.opkgFile(s, opkgIndex), index.Bytes()),
		write(b.opkgFile(s, opkgIndexGzip), packed),
		write(b.opkgFile(s, opkgSignature), b.Keys.Opkg.Sign(index.Bytes())))
}

func (b *builder) writeApk(s set) error {
	var index apk.Index
	for _, p := range s.packages {
		var file bytes.Buffer
		if err := apk.Write(&file, p, b.Keys.Apk); err != nil {
			return err
		}
		if err := write(b.apkFile(s, apk.FileName(p)), file.Bytes()); err != nil {
			return err
		}
		listed, err := apk.List(file.Bytes())
		if err != nil {
			return err
		}
		if err := index.Add(listed); err != nil {
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
