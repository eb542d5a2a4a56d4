// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// archive writes a cpio archive in the form that the kernel unpacks as its first root file system: "newc", see
// Documentation/driver-api/early-userspace/buffer-format.rst of the kernel. Everything belongs to root.
type archive struct {
	w       io.Writer
	written int64
	inode   int
	made    map[string]bool // directories
	err     error
}

// File types of a mode, as in <sys/stat.h>.
const (
	typeDirectory = 0o040000
	typeRegular   = 0o100000
	typeSymlink   = 0o120000
	typeCharacter = 0o020000
)

func newArchive(w io.Writer) *archive {
	return &archive{w: w, made: map[string]bool{"": true}}
}

// directory makes a directory and those above it, once.
func (a *archive) directory(name string) {
	if name = clean(name); a.made[name] {
		return
	}
	a.directory(path.Dir(name))
	a.made[name] = true
	a.entry(name, typeDirectory|0o755, 0, 0, nil)
}

// file makes a regular file and the directories above it.
func (a *archive) file(name string, permissions uint32, content []byte) {
	a.directory(path.Dir(clean(name)))
	a.entry(clean(name), typeRegular|permissions, 0, 0, content)
}

func (a *archive) symlink(name, target string) {
	a.directory(path.Dir(clean(name)))
	a.entry(clean(name), typeSymlink|0o777, 0, 0, []byte(target))
}

func (a *archive) device(name string, major, minor uint32) {
	a.directory(path.Dir(clean(name)))
	a.entry(clean(name), typeCharacter|0o600, major, minor, nil)
}

// close ends the archive and returns the first error of all writes.
func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, 0, 0, nil)
	return a.err
}

func (a *archive) entry(name string, mode, major, minor uint32, content []byte) {
	a.inode++
	const owner, links, time, checksum = 0, 1, 0, 0
	a.write(fmt.Appendf(nil, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00", a.inode, mode, owner, owner,
		links, time, len(content), 0, 0, major, minor, len(name)+1, checksum, name))
	a.pad()
	a.write(content)
	a.pad()
}

// pad fills up to the next multiple of four bytes.
func (a *archive) pad() { a.write(make([]byte, -a.written&3)) }

func (a *archive) write(data []byte) {
	if a.err != nil {
		return
	}
	n, err := a.w.Write(data)
	a.written, a.err = a.written+int64(n), err
}

func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }
