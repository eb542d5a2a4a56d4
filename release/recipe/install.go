// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sqmd/release/bundle"
)

// What an install section may say: the program, or the files beside the Makefile, laid out as on a router. $(1) is the
// root of the router.
const (
	installProgram = "$(call GoPackage/Package/Install/Bin,$(1))"
	installFiles   = "$(CP) ./files/* $(1)/"
)

// install reads an install section: the files, in order of their paths, and where the Go program goes.
func (m *makefile) install(block string, tree fs.FS) (files []bundle.File, program string, err error) {
	for _, l := range m.blocks[block] {
		switch strings.TrimSpace(l.text) {
		case "":
		case installProgram:
			program, err = m.programPath()
		case installFiles:
			files, err = readFiles(tree, path.Join(path.Dir(m.file), "files"))
		default:
			err = l.errorf("%q is not understood; an install section may have %q and %q", strings.TrimSpace(l.text), installProgram, installFiles)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return files, program, nil
}

// programPath is where golang-package.mk puts the program.
func (m *makefile) programPath() (string, error) {
	dir, err := m.variable("GO_PKG_INSTALL_BIN_PATH")
	if err != nil {
		return "", err
	}
	main, err := m.variable("GO_PKG_BUILD_PKG")
	return path.Join(dir, path.Base(main)), err
}

// readFiles reads what is below a folder, as "cp -fpR dir/* root/" does. Of a file's mode only what git keeps counts, the
// permission to execute it: the rest is the umask of whoever made the checkout.
func readFiles(tree fs.FS, dir string) ([]bundle.File, error) {
	var files []bundle.File
	err := fs.WalkDir(tree, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("reading the recipe's files: %w", err)
		}
		if path.Dir(name) == dir && strings.HasPrefix(entry.Name(), ".") {
			return fmt.Errorf("%s: a name that * does not match is not installed", name)
		}
		if entry.IsDir() {
			return nil
		}
		f, err := readFile(tree, name, entry)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		f.Path = strings.TrimPrefix(name, dir)
		files = append(files, f)
		return nil
	})
	sortFiles(files)
	return files, err
}

func readFile(tree fs.FS, name string, entry fs.DirEntry) (bundle.File, error) {
	info, err := entry.Info()
	if err != nil {
		return bundle.File{}, err
	}
	if !info.Mode().IsRegular() {
		return bundle.File{}, fmt.Errorf("mode %v is not that of a regular file", info.Mode())
	}
	f := bundle.File{Mode: 0o644}
	if info.Mode()&0o100 != 0 {
		f.Mode = 0o755
	}
	f.Content, err = fs.ReadFile(tree, name)
	return f, err
}
