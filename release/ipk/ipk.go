// SPDX-License-Identifier: GPL-2.0-or-later

// Package ipk writes, reads and checks the packages of opkg, OpenWrt's package manager up to 24.10, and the index of a
// feed of them.
//
// A package is a gzipped tar of three files: debian-binary says "2.0", data.tar.gz holds what is installed,
// control.tar.gz what opkg has to know and the install scripts. opkg's own tar reader decides the dialect: GNU or ustar
// headers, octal numbers, no PAX records (sources: opkg-lede libbb/unarchive.c, OpenWrt scripts/ipkg-build).
package ipk

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// The three members of a package file, in the order of OpenWrt's build. ipkg-make-index asks tar for the last one by
// this very name.
const (
	debianBinary = "./debian-binary"
	dataTar      = "./data.tar.gz"
	controlTar   = "./control.tar.gz"
)

// formatVersion is the whole of debian-binary.
const formatVersion = "2.0\n"

// Write writes the package file of p. The same p gives the same bytes, as long as compress/flate does.
//
// Directories in p.Conffiles stand for the files below them. Links get mode 0777, directories 0755. It is an error if p
// says something that opkg would misread: a control character or a line break within a field, a path that is not clean,
// two files in one place, a conffile that is not among the files.
func Write(w io.Writer, p bundle.Package) error {
	b, err := pack(p)
	if err != nil {
		return fmt.Errorf("writing package %s: %w", p.Name, err)
	}
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing package %s: %w", p.Name, err)
	}
	return nil
}

func pack(p bundle.Package) ([]byte, error) {
	if err := validate(p); err != nil {
		return nil, err
	}
	stamp := p.Time.Truncate(time.Second)
	data, err := tarTree(p.Files, stamp)
	if err != nil {
		return nil, err
	}
	controlFiles, err := controlFiles(p, len(data))
	if err != nil {
		return nil, err
	}
	control, err := tarTree(controlFiles, stamp)
	if err != nil {
		return nil, err
	}

	outer := newArchive(stamp)
	for _, m := range []struct {
		name    string
		content []byte
	}{
		{debianBinary, []byte(formatVersion)},
		{dataTar, compress(data)},
		{controlTar, compress(control)},
	} {
		if err := outer.add(tar.Header{Name: m.name, Typeflag: tar.TypeReg, Mode: 0o644}, m.content); err != nil {
			return nil, err
		}
	}
	b, err := outer.close()
	return compress(b), err
}

// FileName is the name that p's file has in a feed. An epoch ("1:") in the version is left out, as OpenWrt does.
func FileName(p bundle.Package) string {
	version := p.Version
	if _, after, ok := strings.Cut(version, ":"); ok {
		version = after
	}
	return p.Name + "_" + version + "_" + p.Arch + ".ipk"
}

// Read reads a package file. What it gives, [Write] takes; Conffiles are single files and sorted.
//
// The order of the members, a leading "./" and the choice between GNU and ustar headers are free, as they are for opkg.
// What opkg does not take (an ar archive, PAX headers) is refused, and so is what a [bundle.Package] has no place for:
// owners other than root, devices, hard links, versions of dependencies, conffiles that are not shipped, install scripts
// other than OpenWrt's default ones. Directories and control fields without a counterpart are passed over. Sizes are bounded as in [Unpack].
func Read(r io.Reader) (bundle.Package, error) {
	c, err := Unpack(r)
	if err != nil {
		return bundle.Package{}, err
	}
	p, err := c.bundle()
	if err != nil {
		return bundle.Package{}, fmt.Errorf("reading package: %w", err)
	}
	return p, nil
}

func (c Contents) bundle() (bundle.Package, error) {
	p, _, err := c.control()
	if err != nil {
		return bundle.Package{}, err
	}
	p.Files = c.Data
	if p.Time.IsZero() {
		p.Time = c.Time
	}
	for _, f := range c.Control {
		switch name := path.Base(f.Path); name {
		case controlName:
		case conffilesName:
			p.Conffiles = strings.Fields(string(f.Content))
		case postinstOwnName:
			p.Scripts.PostInstall = string(f.Content)
		case prermOwnName:
			p.Scripts.PreRemove = string(f.Content)
		default:
			if text, ok := defaultScript(name); !ok || string(f.Content) != text {
				return bundle.Package{}, fmt.Errorf("%q in the control archive is not one of OpenWrt's default scripts", name)
			}
		}
	}
	p.Conffiles, err = expandConffiles(p)
	return p, cmp.Or(err, validate(p))
}

// control is what the control file says, and the installed size in it.
func (c Contents) control() (bundle.Package, int64, error) {
	for _, f := range c.Control {
		if f.Path != "/"+controlName {
			continue
		}
		stanzas, err := parseStanzas(f.Content)
		if err != nil {
			return bundle.Package{}, 0, fmt.Errorf("control: %w", err)
		}
		if len(stanzas) != 1 {
			return bundle.Package{}, 0, fmt.Errorf("control has %d stanzas, not one", len(stanzas))
		}
		p, size, err := stanzas[0].describe()
		if err != nil {
			return bundle.Package{}, 0, fmt.Errorf("control: %w", err)
		}
		return p, size, nil
	}
	return bundle.Package{}, 0, errors.New("no control file")
}
