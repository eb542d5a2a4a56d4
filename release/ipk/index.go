// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sqmd/release/bundle"
)

// Entry is what a feed's index says of one package.
type Entry struct {
	// Package has what the control file says: no Files, Conffiles and Scripts.
	Package bundle.Package
	// InstalledSize is the unpacked data archive's size in bytes.
	InstalledSize int64
	// Filename is where the package file lies, relative to the index.
	Filename string
	// Size is the package file's in bytes, SHA256 its hash.
	Size   int64
	SHA256 [sha256.Size]byte
}

// Describe makes the entry of a package file.
func Describe(filename string, file []byte) (Entry, error) {
	c, err := Unpack(bytes.NewReader(file))
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", filename, err)
	}
	e := Entry{Filename: filename, Size: int64(len(file)), SHA256: sha256.Sum256(file)}
	if e.Package, e.InstalledSize, err = c.control(); err != nil {
		return Entry{}, fmt.Errorf("%s: %w", filename, err)
	}
	return e, nil
}

// Index writes the text of a feed's Packages file, ordered by file name. Packages.gz is its gzip, Packages.sig the
// signature of this text.
func Index(w io.Writer, entries []Entry) error {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int { return cmp.Compare(a.Filename, b.Filename) })
	var text strings.Builder
	for i, e := range sorted {
		if i > 0 && e.Filename == sorted[i-1].Filename {
			return fmt.Errorf("writing index: %s is there twice", e.Filename)
		}
		if err := cmp.Or(e.validate(), validateTime(e.Package.Time)); err != nil {
			return fmt.Errorf("writing index: %s: %w", e.Filename, err)
		}
		text.WriteString(e.stanza().text() + "\n")
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("writing index: %w", err)
	}
	return nil
}

// Names of the fields that an index has beyond a control file.
const (
	fieldFilename = "Filename"
	fieldSize     = "Size"
	fieldSHA256   = "SHA256sum"
)

func (e Entry) stanza() stanza {
	var s stanza
	for _, f := range controlStanza(e.Package, e.InstalledSize) {
		if f.name == fieldDescription {
			s.add(fieldFilename, e.Filename)
			s.add(fieldSize, fmt.Sprint(e.Size))
			s.add(fieldSHA256, hex.EncodeToString(e.SHA256[:]))
		}
		s = append(s, f)
	}
	return s
}

func (e Entry) validate() error {
	if err := validateFields(e.Package); err != nil {
		return err
	}
	if path.Clean(e.Filename) != e.Filename {
		return fmt.Errorf("file name %q is not clean", e.Filename)
	}
	return validateWord("file name", e.Filename, "-+.~_/")
}

// Parse reads the text of a Packages file. Fields without a place in an [Entry] are passed over.
func Parse(index []byte) ([]Entry, error) {
	stanzas, err := parseStanzas(index)
	if err != nil {
		return nil, fmt.Errorf("reading index: %w", err)
	}
	var entries []Entry
	for _, s := range stanzas {
		e, err := s.entry()
		if err != nil {
			return nil, fmt.Errorf("reading index: package %q: %w", s.get("Package"), err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (s stanza) entry() (Entry, error) {
	e := Entry{Filename: s.get(fieldFilename)}
	var err error
	if e.Package, e.InstalledSize, err = s.describe(); err != nil {
		return Entry{}, err
	}
	if e.Size, err = s.size(fieldSize); err != nil {
		return Entry{}, err
	}
	hash, err := hex.DecodeString(s.get(fieldSHA256))
	if err != nil || len(hash) != len(e.SHA256) {
		return Entry{}, fmt.Errorf("%s is %q, not %d hexadecimal digits", fieldSHA256, s.get(fieldSHA256), 2*len(e.SHA256))
	}
	e.SHA256 = [sha256.Size]byte(hash)
	return e, e.validate()
}
