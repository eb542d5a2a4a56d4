// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// directory is one that a package installs, with what lies in it.
type directory struct {
	// name is relative to the root, which is "".
	name  string
	mode  fs.FileMode
	files []entry
}

// entry is a regular file or a symbolic link. Owner and group are root.
type entry struct {
	name    string
	mode    fs.FileMode
	mtime   uint64
	link    string // the target, empty for a regular file
	content []byte
}

// file returns the entry as one of a bundle's.
func (f entry) file(directory string) bundle.File {
	return bundle.File{Path: "/" + path.Join(directory, f.name), Mode: f.mode, Link: f.link, Content: f.content}
}

// The slots of a directory, an access control list and a file.
const (
	pathName  = 1
	pathACL   = 2
	pathFiles = 3

	aclMode  = 1
	aclUser  = 2
	aclGroup = 3

	fileName   = 1
	fileACL    = 2
	fileSize   = 3
	fileTime   = 4
	fileSHA256 = 5
	fileTarget = 6
)

const (
	owner = "root"

	// modeMask holds the permission bits with setuid, setgid and sticky, as in a C mode_t.
	modeMask = 0o7777

	// linkType is the file type S_IFLNK with which a symbolic link's target begins.
	linkType = 0xa000
)

func encodeTree(w *adb.Writer, tree []directory) []adb.Value {
	var values []adb.Value
	for _, d := range tree {
		slots := make(map[int]adb.Value)
		slots[pathACL] = encodeACL(w, d.mode)
		var files []adb.Value
		for _, f := range d.files {
			files = append(files, f.encode(w))
		}
		slots[pathName] = w.Text(d.name)
		slots[pathFiles] = w.Array(files)
		values = append(values, w.Object(slots))
	}
	return values
}

func (f entry) encode(w *adb.Writer) adb.Value {
	slots := make(map[int]adb.Value)
	slots[fileName] = w.Text(f.name)
	size := len(f.content)
	if f.link != "" {
		size = len(f.link)
		slots[fileTarget] = w.Blob(append(binary.LittleEndian.AppendUint16(nil, linkType), f.link...))
	} else {
		sum := sha256.Sum256(f.content)
		slots[fileSHA256] = w.Blob(sum[:])
	}
	slots[fileSize] = w.Int(uint64(size))
	slots[fileTime] = w.Int(f.mtime)
	slots[fileACL] = encodeACL(w, f.mode)
	return w.Object(slots)
}

func encodeACL(w *adb.Writer, mode fs.FileMode) adb.Value {
	slots := make(map[int]adb.Value)
	slots[aclMode] = w.Int(uint64(mode))
	slots[aclUser] = w.Text(owner)
	slots[aclGroup] = w.Text(owner)
	return w.Object(slots)
}

// dataHead is what comes before a file's content in its block: the numbers, from 1, of its directory and of the file
// therein.
const dataHead = 8

// encodeData returns the content of every regular file that has some.
func encodeData(tree []directory) [][]byte {
	var data [][]byte
	for i, d := range tree {
		for j, f := range d.files {
			if len(f.content) == 0 {
				continue
			}
			head := binary.LittleEndian.AppendUint32(nil, uint32(i+1))
			head = binary.LittleEndian.AppendUint32(head, uint32(j+1))
			data = append(data, append(head, f.content...))
		}
	}
	return data
}

// decodeTree reads the directories, and the content of their files from data.
func decodeTree(b *adb.Body, v adb.Value, data [][]byte) []directory {
	var tree []directory
	contents := contents{data}
	for i, v := range b.Items(v) {
		o := b.Object(v, pathName, pathACL, pathFiles)
		d := directory{name: b.Text(o.Slot(pathName)), mode: decodeACL(b, o.Slot(pathACL))}
		for j, v := range b.Items(o.Slot(pathFiles)) {
			f, err := decodeFile(b, v, func() []byte { return contents.next(i+1, j+1) })
			if err != nil {
				b.Fail(fmt.Errorf("/%s: %w", path.Join(d.name, f.name), err))
			}
			d.files = append(d.files, f)
		}
		tree = append(tree, d)
	}
	if n := len(contents.left); n > 0 {
		b.Fail(fmt.Errorf("%d data blocks of no file, or out of order", n))
	}
	return tree
}

// contents hands out data blocks in their order.
type contents struct{ left [][]byte }

// next returns the content of a file if the next block is its, and nil otherwise.
func (c *contents) next(directory, file int) []byte {
	if len(c.left) == 0 || len(c.left[0]) < dataHead {
		return nil
	}
	block := c.left[0]
	if binary.LittleEndian.Uint32(block) != uint32(directory) || binary.LittleEndian.Uint32(block[4:]) != uint32(file) {
		return nil
	}
	c.left = c.left[1:]
	return block[dataHead:]
}

func decodeFile(b *adb.Body, v adb.Value, content func() []byte) (entry, error) {
	o := b.Object(v, fileName, fileACL, fileSize, fileTime, fileSHA256, fileTarget)
	f := entry{
		name:  b.Text(o.Slot(fileName)),
		mode:  decodeACL(b, o.Slot(fileACL)),
		mtime: b.Int(o.Slot(fileTime)),
	}
	size := b.Int(o.Slot(fileSize))
	sum := b.Blob(o.Slot(fileSHA256))
	if target := b.Blob(o.Slot(fileTarget)); target != nil {
		if len(target) < 3 || binary.LittleEndian.Uint16(target) != linkType || sum != nil {
			return f, fmt.Errorf("neither a regular file nor a symbolic link")
		}
		f.link = string(target[2:])
		if size != uint64(len(f.link)) {
			return f, fmt.Errorf("size %d of a link to %q", size, f.link)
		}
		return f, nil
	}
	if size > 0 {
		f.content = content()
	}
	if want := sha256.Sum256(f.content); size != uint64(len(f.content)) || !bytes.Equal(sum, want[:]) {
		return f, fmt.Errorf("content is not the one of %d bytes that it should be", size)
	}
	return f, nil
}

func decodeACL(b *adb.Body, v adb.Value) fs.FileMode {
	o := b.Object(v, aclMode, aclUser, aclGroup)
	mode := b.Int(o.Slot(aclMode))
	user, group := b.Text(o.Slot(aclUser)), b.Text(o.Slot(aclGroup))
	if user != owner || group != owner || mode > modeMask {
		b.Fail(fmt.Errorf("owner %q, group %q, mode %#o: only root owns files", user, group, mode))
	}
	return fs.FileMode(mode & modeMask)
}

// checkTree returns an error unless the directories begin with the root, each comes after the one that it lies in, all
// are in bytewise order, and so are the files.
func checkTree(tree []directory) error {
	taken := make(map[string]bool)
	for i, d := range tree {
		switch {
		case (d.name == "") != (i == 0):
			return fmt.Errorf("directory /%s: the root has to come first, and once", d.name)
		case i == 0:
		case d.name <= tree[i-1].name:
			return fmt.Errorf("directory /%s after /%s: not in order", d.name, tree[i-1].name)
		case "/"+d.name != path.Clean("/"+d.name) || strings.ContainsAny(d.name, "\n\x00"):
			return fmt.Errorf("directory /%q: not a clean path", d.name)
		case !taken[parent(d.name)]:
			return fmt.Errorf("directory /%s: comes without the one that it lies in", d.name)
		}
		taken[d.name] = true
	}
	for _, d := range tree {
		if err := d.checkFiles(taken); err != nil {
			return err
		}
	}
	return nil
}

func (d directory) checkFiles(directories map[string]bool) error {
	for i, f := range d.files {
		full := path.Join(d.name, f.name)
		switch {
		case f.name == "" || f.name == "." || f.name == ".." || strings.ContainsAny(f.name, "/\n\x00"):
			return fmt.Errorf("file %q in /%s: not a name", f.name, d.name)
		case i > 0 && f.name <= d.files[i-1].name:
			return fmt.Errorf("file /%s after %s: not in order", full, d.files[i-1].name)
		case directories[full]:
			return fmt.Errorf("/%s is a file and a directory", full)
		}
	}
	return nil
}

// parent returns the directory that a relative path lies in, "" for the root.
func parent(name string) string {
	dir, _ := path.Split(name)
	return strings.TrimSuffix(dir, "/")
}
