// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// File is one file of a guest's root file system. Exactly one of Content, Source and Link says what it is, or Dir.
type File struct {
	Path    string // in the guest
	Content string
	Source  string      // the host's file to copy
	Link    string      // target of a symbolic link
	Dir     bool        // a directory; those above a file need not be named
	Mode    fs.FileMode // permissions; by default those of Source, or 0644
}

// FilesIn returns the files of a directory of the host, to be put into a directory of the guest.
func FilesIn(source, at string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(source, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		f := File{Path: path.Join(at, filepath.ToSlash(relative))}
		switch {
		case entry.IsDir():
			f.Dir = true
		case entry.Type() == fs.ModeSymlink:
			if f.Link, err = os.Readlink(name); err != nil {
				return err
			}
		case entry.Type().IsRegular():
			f.Source = name
		default:
			return fmt.Errorf("%s is neither file, directory nor link", name)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read files for a guest: %w", err)
	}
	return files, nil
}

// addTo puts the file into an archive.
func (f File) addTo(a *archive) error {
	switch {
	case f.Dir:
		a.directory(f.Path)
		return nil
	case f.Link != "":
		a.symlink(f.Path, f.Link)
		return nil
	}
	content, mode := []byte(f.Content), f.Mode
	if f.Source != "" {
		info, err := os.Stat(f.Source)
		if err != nil {
			return err
		}
		if content, err = os.ReadFile(f.Source); err != nil {
			return err
		}
		if mode == 0 {
			mode = info.Mode()
		}
	}
	if mode == 0 {
		mode = 0o644
	}
	a.file(f.Path, permissions(mode), content)
	return nil
}

// permissions returns the permission bits of a mode as the kernel numbers them, set-user-id and its like included.
func permissions(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			bits |= bit
		}
	}
	return bits
}
