// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// archive writes one tar: GNU headers, everything root's and of one time, no names of users.
type archive struct {
	buf  bytes.Buffer
	tar  *tar.Writer
	time time.Time
}

func newArchive(stamp time.Time) *archive {
	a := &archive{time: stamp}
	a.tar = tar.NewWriter(&a.buf)
	return a
}

// add writes an entry; h says its name, type, mode and link.
func (a *archive) add(h tar.Header, content []byte) error {
	h.Format = tar.FormatGNU
	h.ModTime = a.time
	h.Size = int64(len(content))
	if err := a.tar.WriteHeader(&h); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	if _, err := a.tar.Write(content); err != nil {
		return fmt.Errorf("%s: %w", h.Name, err)
	}
	return nil
}

func (a *archive) close() ([]byte, error) {
	err := a.tar.Close()
	return a.buf.Bytes(), err
}

// tarTree is the tar of files and all directories that lead to them, in the order of tar --sort=name.
func tarTree(files []bundle.File, stamp time.Time) ([]byte, error) {
	entries := map[string]tar.Header{"/": directory("/")}
	content := map[string][]byte{}
	for _, f := range files {
		entries[f.Path] = leaf(f)
		content[f.Path] = f.Content
		for dir := path.Dir(f.Path); dir != "/"; dir = path.Dir(dir) {
			entries[dir] = directory(dir)
		}
	}
	a := newArchive(stamp)
	for _, name := range slices.SortedFunc(maps.Keys(entries), inTree) {
		if err := a.add(entries[name], content[name]); err != nil {
			return nil, err
		}
	}
	return a.close()
}

func directory(dir string) tar.Header {
	return tar.Header{Name: "." + strings.TrimSuffix(dir, "/") + "/", Typeflag: tar.TypeDir, Mode: 0o755}
}

func leaf(f bundle.File) tar.Header {
	if f.Link != "" {
		return tar.Header{Name: "." + f.Path, Typeflag: tar.TypeSymlink, Mode: 0o777, Linkname: f.Link}
	}
	return tar.Header{Name: "." + f.Path, Typeflag: tar.TypeReg, Mode: int64(f.Mode)}
}

// inTree orders paths as a walk meets them that sorts each directory: what is in /a comes before /a.b.
func inTree(a, b string) int {
	return strings.Compare(strings.ReplaceAll(a, "/", "\x00"), strings.ReplaceAll(b, "/", "\x00"))
}

// compress is gzip -9n: no name and no time in the header.
func compress(b []byte) []byte {
	var out bytes.Buffer
	// Neither can fail: the level is valid and a bytes.Buffer takes everything.
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}
