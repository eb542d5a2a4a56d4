// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// Check says in what a package file differs from what OpenWrt's build makes of a release, beyond what [Read] refuses:
// the order of members, entries and control fields, all directories present, modes, nothing but root as owner, one time
// everywhere and the same in SourceDateEpoch, gzip headers that say nothing of when and where, an Installed-Size that is
// true, conffiles that are sorted. It returns nil if it finds nothing, else all it found.
func Check(file []byte) error {
	c, err := Unpack(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if _, err := c.bundle(); err != nil {
		return fmt.Errorf("checking package: %w", err)
	}
	k := &check{}
	k.gzip("package", file)
	outer := k.tarball("package", file, maxPackage+maxControl)
	content := map[string][]byte{}
	var order []string
	for _, e := range outer {
		order = append(order, e.header.Name)
		content[e.header.Name] = e.content
		k.mode(e, 0o644)
	}
	if !slices.Equal(order, []string{debianBinary, dataTar, controlTar}) {
		k.failf("package holds %q", order)
		return k.err()
	}
	if v := string(content[debianBinary]); v != formatVersion {
		k.failf("debian-binary is %q", v)
	}
	for _, name := range order[1:] {
		k.gzip(name, content[name])
		k.tree(name, k.tarball(name, content[name], maxData))
	}
	k.controlArchive(c, content[dataTar])
	return k.err()
}

// check collects what Check finds. Everything it looks at has passed Read.
type check struct {
	problems []error
	time     time.Time
}

func (k *check) failf(format string, args ...any) {
	k.problems = append(k.problems, fmt.Errorf(format, args...))
}

func (k *check) err() error { return errors.Join(k.problems...) }

// gzip looks at RFC 1952's fixed header: no flags, no time.
func (k *check) gzip(what string, b []byte) {
	if b[3] != 0 || !zero(b[4:8]) {
		k.failf("%s: gzip header % x has a name, a comment or a time", what, b[:10])
	}
}

// tarball reads a tar and compares what all entries share.
func (k *check) tarball(what string, b []byte, limit int64) []entry {
	b, err := gunzip(b, limit)
	if err != nil {
		k.failf("%s: %w", what, err)
		return nil
	}
	entries, err := readTar(b)
	if err != nil {
		k.failf("%s: %w", what, err)
	}
	for _, e := range entries {
		h := e.header
		if !slices.Contains([]string{"", "root"}, h.Uname) || !slices.Contains([]string{"", "root"}, h.Gname) {
			k.failf("%s: %s belongs to %q:%q", what, h.Name, h.Uname, h.Gname)
		}
		if k.time.IsZero() {
			k.time = h.ModTime
		}
		if !h.ModTime.Equal(k.time) {
			k.failf("%s: %s is of %s, not of %s", what, h.Name, h.ModTime.UTC(), k.time.UTC())
		}
	}
	return entries
}

func (k *check) mode(e entry, want int64) {
	if e.header.Mode != want {
		k.failf("%s has mode %o, not %o", e.header.Name, e.header.Mode, want)
	}
}

// tree wants "./" first, every directory before what is in it, siblings in order.
func (k *check) tree(what string, entries []entry) {
	previous := ""
	dirs := map[string]bool{}
	for i, e := range entries {
		name, dot := strings.CutPrefix(e.header.Name, ".")
		if !dot || i == 0 && name != "/" {
			k.failf("%s: %s comes first or without ./", what, e.header.Name)
		}
		if e.header.Typeflag == tar.TypeDir {
			k.mode(e, 0o755)
			name = path.Clean(name)
			dirs[name] = true
		}
		if i > 0 && inTree(previous, name) >= 0 {
			k.failf("%s: %s comes after %s", what, name, previous)
		}
		if !dirs[path.Dir(name)] {
			k.failf("%s: %s has no directory", what, name)
		}
		previous = name
	}
}

func (k *check) controlArchive(c Contents, data []byte) {
	found := map[string]bool{}
	for _, f := range c.Control {
		name := path.Base(f.Path)
		found[name] = true
		want := fs.FileMode(0o755)
		switch name {
		case controlName:
			k.control(string(f.Content), c, data)
			want = 0o644
		case conffilesName:
			k.conffiles(string(f.Content))
			want = 0o644
		}
		if f.Mode != want {
			k.failf("%s has mode %o, not %o", name, f.Mode, want)
		}
	}
	if !found[postinstName] || !found[prermName] {
		k.failf("control archive lacks postinst or prerm")
	}
}

// control wants the very text that its own facts give again.
func (k *check) control(text string, c Contents, data []byte) {
	p, size, err := c.control()
	if err != nil {
		k.failf("%w", err)
		return
	}
	if want := controlStanza(p, size).text(); text != want {
		k.failf("control is not in the order or the form of OpenWrt's build:\n%s, but:\n%s", want, text)
	}
	if !p.Time.Equal(k.time) {
		k.failf("%s is %s, but files are of %s", fieldTime, p.Time, k.time.UTC())
	}
	if b, err := gunzip(data, maxData); err != nil || int64(len(b)) != size {
		k.failf("%s is %d, but data.tar has %d bytes", fieldInstalledSize, size, len(b))
	}
}

func (k *check) conffiles(text string) {
	lines := strings.SplitAfter(text, "\n")
	if !slices.IsSorted(lines[:len(lines)-1]) || lines[len(lines)-1] != "" {
		k.failf("conffiles are not sorted lines: %q", text)
	}
}
