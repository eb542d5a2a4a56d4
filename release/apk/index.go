// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sqmd/release/apk/adb"
)

// IndexName is the name of an index's file. apk looks for the packages beside it, under the names of [FileName].
const IndexName = "packages.adb"

// Listed is what an index says of a package.
type Listed struct {
	Info
	// Hash is the SHA-256 of the package's body. As the body holds the sums of the files, a signed index vouches for
	// the whole package, which then needs no signature of its own.
	Hash [sha256.Size]byte
	// FileSize is the size of the package's file in bytes.
	FileSize uint64
}

// List checks a package's file and returns what an index has to say of it.
func List(file []byte) (Listed, error) {
	c, body, err := open(file)
	if err != nil {
		return Listed{}, fmt.Errorf("list package: %w", err)
	}
	return Listed{c.info, sha256.Sum256(body), uint64(len(file))}, nil
}

// The slots of an index.
const (
	indexDescription = 1
	indexPackages    = 2
)

// Index describes the packages of a directory.
type Index struct {
	// Description is of the repository as a whole and may be empty.
	Description string
	// Packages are in order of names and versions, older ones first.
	Packages []Listed
}

// Add adds a package in its place. It fails if there is one of the same name and version.
func (x *Index) Add(l Listed) error {
	at, found := slices.BinarySearchFunc(x.Packages, l, Listed.compare)
	if found {
		return fmt.Errorf("add to index: there is a package %s %s already", l.Name, l.Version)
	}
	x.Packages = slices.Insert(x.Packages, at, l)
	return nil
}

func (l Listed) compare(m Listed) int {
	if c := strings.Compare(l.Name, m.Name); c != 0 {
		return c
	}
	return CompareVersions(l.Version, m.Version)
}

// Write writes the index, signed if key, one on the curve P-256, is not nil. The same index and key give the same
// bytes.
func (x Index) Write(w io.Writer, key *ecdsa.PrivateKey) error {
	f, err := x.encode()
	if err == nil && key != nil {
		err = f.Sign(key)
	}
	if err == nil {
		err = f.Write(w)
	}
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}

func (x Index) encode() (adb.File, error) {
	if err := x.check(); err != nil {
		return adb.File{}, err
	}
	w := adb.NewWriter()
	var packages []adb.Value
	for _, l := range x.Packages {
		slots := l.Info.encode(w)
		slots[infoHash] = w.Blob(l.Hash[:])
		slots[infoFileSize] = w.Int(l.FileSize)
		packages = append(packages, w.Object(slots))
	}
	slots := make(map[int]adb.Value)
	slots[indexDescription] = w.Text(x.Description)
	slots[indexPackages] = w.Array(packages)
	return adb.File{Schema: adb.Index, Body: w.Body(w.Object(slots))}, nil
}

func (x Index) check() error {
	if strings.ContainsAny(x.Description, "\n\x00") {
		return fmt.Errorf("line break or zero byte in the description %q", x.Description)
	}
	for i, l := range x.Packages {
		if err := l.Info.check(); err != nil {
			return err
		}
		if i > 0 && l.compare(x.Packages[i-1]) <= 0 {
			return fmt.Errorf("package %s %s: not in order", l.Name, l.Version)
		}
	}
	return nil
}

// ReadIndex reads an index of any program's making, signed or not; it does not look at signatures, see [Verify].
func ReadIndex(r io.Reader) (Index, error) {
	f, err := adb.Read(r)
	if err != nil {
		return Index{}, fmt.Errorf("read index: %w", err)
	}
	x, err := decodeIndex(f)
	if err != nil {
		return Index{}, fmt.Errorf("read index: %w", err)
	}
	return x, nil
}

func decodeIndex(f adb.File) (Index, error) {
	if f.Schema != adb.Index {
		return Index{}, fmt.Errorf("not an index but %q", string(f.Schema))
	}
	if len(f.Data) > 0 {
		return Index{}, errors.New("data that an index does not have")
	}
	b, root := adb.NewBody(f.Body)
	o := b.Object(root, indexDescription, indexPackages)
	x := Index{Description: b.Text(o.Slot(indexDescription))}
	for _, v := range b.Items(o.Slot(indexPackages)) {
		x.Packages = append(x.Packages, decodeListed(b, v))
	}
	// Other programs leave bytes behind that nothing refers to, so there is no asking for a full body.
	if err := b.Err(); err != nil {
		return Index{}, err
	}
	return x, x.check()
}

func decodeListed(b *adb.Body, v adb.Value) Listed {
	info, o := decodeInfo(b, v, infoHash, infoFileSize)
	l := Listed{Info: info, FileSize: b.Int(o.Slot(infoFileSize))}
	hash := b.Blob(o.Slot(infoHash))
	if copy(l.Hash[:], hash) != len(hash) || len(hash) != len(l.Hash) {
		b.Fail(fmt.Errorf("package %s has no SHA-256", l.Name))
	}
	return l
}
