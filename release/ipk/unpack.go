// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// Sizes, in bytes, beyond which a package is not read: whatever is larger fits no router, and a small file that unpacks
// to much is made to exhaust memory.
const (
	maxPackage = 64 << 20
	maxData    = 128 << 20
	maxControl = 1 << 20
)

// Contents is a package file taken apart, before anything is made of what it says.
type Contents struct {
	// Control is the control archive: "/control", "/postinst" and so on. Data is what is installed. Both are in
	// bytewise order of the paths and without directories.
	Control, Data []bundle.File
	// Time is the newest of the data archive's, in UTC.
	Time time.Time
}

// Unpack takes a package file apart. It is an error if opkg would not read it, if a path leads out of the root or is
// there twice, if an owner is not root, if there is something other than files, links and directories, or if the file
// has more than 64 MiB, its data more than 128 MiB or its control archive more than 1 MiB.
func Unpack(r io.Reader) (Contents, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPackage+1))
	if err != nil {
		return Contents{}, fmt.Errorf("reading package: %w", err)
	}
	c, err := unpack(b)
	if err != nil {
		return Contents{}, fmt.Errorf("reading package: %w", err)
	}
	return c, nil
}

func unpack(b []byte) (Contents, error) {
	if len(b) > maxPackage {
		return Contents{}, fmt.Errorf("more than %d bytes", maxPackage)
	}
	members, err := outerMembers(b)
	if err != nil {
		return Contents{}, err
	}
	// opkg never looks at debian-binary.
	var c Contents
	if c.Control, _, err = innerFiles(members, controlTar, maxControl); err != nil {
		return Contents{}, err
	}
	c.Data, c.Time, err = innerFiles(members, dataTar, maxData)
	return c, err
}

func outerMembers(b []byte) (map[string][]byte, error) {
	tarball, err := gunzip(b, maxPackage+maxControl)
	if err != nil {
		return nil, err
	}
	files, _, err := treeFiles(tarball)
	if err != nil {
		return nil, err
	}
	members := map[string][]byte{}
	for _, f := range files {
		members["."+f.Path] = f.Content
	}
	return members, nil
}

func innerFiles(members map[string][]byte, name string, limit int64) ([]bundle.File, time.Time, error) {
	b, ok := members[name]
	if !ok {
		return nil, time.Time{}, fmt.Errorf("no %s", path.Base(name))
	}
	tarball, err := gunzip(b, limit)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%s: %w", path.Base(name), err)
	}
	files, newest, err := treeFiles(tarball)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%s: %w", path.Base(name), err)
	}
	return files, newest, nil
}

// treeFiles reads a tar; newest is the time of the newest entry.
func treeFiles(tarball []byte) (files []bundle.File, newest time.Time, err error) {
	entries, err := readTar(tarball)
	if err != nil {
		return nil, time.Time{}, err
	}
	var dirs []string
	for _, e := range entries {
		if e.header.ModTime.After(newest) {
			newest = e.header.ModTime.UTC()
		}
		f, err := e.file()
		if err != nil {
			return nil, time.Time{}, err
		}
		if e.header.Typeflag == tar.TypeDir {
			dirs = append(dirs, f.Path)
		} else {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b bundle.File) int { return cmp.Compare(a.Path, b.Path) })
	return files, newest, validateFiles(files, dirs)
}

// entry is a header of a tar with what follows it.
type entry struct {
	header  *tar.Header
	content []byte
}

func readTar(tarball []byte) ([]entry, error) {
	if err := checkDialect(tarball); err != nil {
		return nil, err
	}
	var entries []entry
	for r := tar.NewReader(bytes.NewReader(tarball)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", h.Name, err)
		}
		entries = append(entries, entry{h, content})
	}
}

// file is the entry in its place below the root.
func (e entry) file() (bundle.File, error) {
	name := strings.TrimPrefix(e.header.Name, "./")
	if e.header.Typeflag == tar.TypeDir {
		name = strings.TrimSuffix(name, "/")
	}
	f := bundle.File{Path: "/" + name, Mode: fs.FileMode(e.header.Mode), Content: e.content}
	switch {
	case path.Clean(f.Path) != f.Path:
		return bundle.File{}, fmt.Errorf("path %q is not clean", e.header.Name)
	case e.header.Uid != 0 || e.header.Gid != 0:
		return bundle.File{}, fmt.Errorf("%q belongs to %d:%d, not to root", f.Path, e.header.Uid, e.header.Gid)
	case e.header.Typeflag == tar.TypeSymlink && e.header.Linkname == "":
		return bundle.File{}, fmt.Errorf("%q is a link to nowhere", f.Path)
	case e.header.Typeflag != tar.TypeSymlink && e.header.Linkname != "":
		// opkg makes a hard link of it.
		return bundle.File{}, fmt.Errorf("%q is a file or directory with a link's target", f.Path)
	}
	if f.Link = e.header.Linkname; f.Link != "" {
		// Linux has no other mode for a link.
		f.Mode = 0o777
	}
	return f, nil
}

// gunzip unpacks one gzip member that fills all of b.
func gunzip(b []byte, limit int64) ([]byte, error) {
	src := bytes.NewReader(b)
	r, err := gzip.NewReader(src)
	if err != nil {
		return nil, fmt.Errorf("not gzipped: %w", err)
	}
	r.Multistream(false)
	out, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	if int64(len(out)) > limit {
		return nil, fmt.Errorf("unpacks to more than %d bytes", limit)
	}
	if src.Len() > 0 {
		return nil, fmt.Errorf("%d bytes after the end of the gzipped data", src.Len())
	}
	return out, nil
}
