// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"

	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// FileName returns the name that apk expects of a package's file. It does not tell the architecture, so every
// architecture needs a directory of its own.
func FileName(p bundle.Package) string { return p.Name + "-" + p.Version + ".apk" }

// Write writes p as a package file, signed if key, one on the curve P-256, is not nil. The same package and key give
// the same bytes.
//
// apk has no place for some of what a bundle may say: title and description become one line, the order of Depends,
// Provides and Conflicts gets lost, and every conffile has to be one of the files.
func Write(w io.Writer, p bundle.Package, key *ecdsa.PrivateKey) error {
	f, err := pack(p)
	if err != nil {
		return fmt.Errorf("write package %s: %w", p.Name, err)
	}
	if key != nil {
		if err := f.Sign(key); err != nil {
			return fmt.Errorf("write package %s: %w", p.Name, err)
		}
	}
	if err := f.Write(w); err != nil {
		return fmt.Errorf("write package %s: %w", p.Name, err)
	}
	return nil
}

// Read reads a package that [Write] wrote, signed or not; it does not look at signatures, see [Verify]. Any other package
// is an error: what is returned, written again, makes the same file, but for its signatures and perhaps its compression.
// The whole description comes back as the title.
func Read(r io.Reader) (bundle.Package, error) {
	p, err := read(r)
	if err != nil {
		return bundle.Package{}, fmt.Errorf("read package: %w", err)
	}
	return p, nil
}

func read(r io.Reader) (bundle.Package, error) {
	f, err := adb.Read(r)
	if err != nil {
		return bundle.Package{}, err
	}
	c, err := decode(f)
	if err != nil {
		return bundle.Package{}, err
	}
	p := c.bundle()
	again, err := pack(p)
	if err != nil {
		return bundle.Package{}, err
	}
	// The data need no look: the body holds their sums, and decode compared these.
	if !bytes.Equal(again.Body, f.Body) {
		return bundle.Package{}, errors.New("not in the form in which OpenWrt's packages are made here")
	}
	return p, nil
}

// Check returns an error unless file is a well-formed package of apk 3, from whatever program: every value, block and
// byte of padding in its place, and every sum right. It does not look at signatures; see [Verify].
func Check(file []byte) error {
	if _, _, err := open(file); err != nil {
		return fmt.Errorf("check package: %w", err)
	}
	return nil
}

// open reads a package, and the body that it has.
func open(file []byte) (c content, body []byte, err error) {
	f, err := adb.Read(bytes.NewReader(file))
	if err != nil {
		return content{}, nil, err
	}
	c, err = decode(f)
	return c, f.Body, err
}

// Verify returns an error unless file, a package or an index, is signed by the owner of pub.
func Verify(file []byte, pub *ecdsa.PublicKey) error {
	f, err := adb.Read(bytes.NewReader(file))
	if err == nil {
		err = f.Verify(pub)
	}
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}

func pack(p bundle.Package) (adb.File, error) {
	c, err := newContent(p)
	if err != nil {
		return adb.File{}, err
	}
	return c.encode()
}
