// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// apkPackage is a package file as apk sees it.
type apkPackage struct {
	installed
	files []bundle.File
}

// The slots that matter here, of a package, its info, a directory, a file and a dependency (apk-package(5), schema.c).
const (
	slotInfo, slotPaths, slotScripts                           = 1, 2, 3
	slotName, slotVersion, slotArch, slotDepends, slotProvides = 1, 2, 5, 15, 16
	slotDirectory, slotFiles                                   = 1, 3
	slotFile, slotACL, slotTarget                              = 1, 2, 6
	slotMode                                                   = 1
	slotDependency, slotMatch                                  = 1, 3
	scriptPreInstall, scriptPostInstall                        = 2, 3
	scriptPreDeinstall, scriptPostDeinstall                    = 4, 5
	scriptPreUpgrade, scriptPostUpgrade                        = 6, 7
	lastSlot                                                   = 0x15
	matchConflict                                              = 16
)

var scriptNames = map[int]string{
	scriptPreInstall: "pre-install", scriptPostInstall: "post-install",
	scriptPreDeinstall: "pre-deinstall", scriptPostDeinstall: "post-deinstall",
	scriptPreUpgrade: "pre-upgrade", scriptPostUpgrade: "post-upgrade",
}

// readApk reads a package for what apk's stand-in needs of it; that the file is sound is for package apk to say.
func readApk(from io.Reader) (apkPackage, error) {
	file, err := adb.Read(from)
	if err != nil {
		return apkPackage{}, fmt.Errorf("read package: %w", err)
	}
	if file.Schema != adb.Package {
		return apkPackage{}, fmt.Errorf("read package: schema %q is not a package's", file.Schema)
	}
	body, root := adb.NewBody(file.Body)
	r := apkReader{body, contents(file.Data)}
	var p apkPackage
	top := r.object(root)
	info := r.object(top.Slot(slotInfo))
	p.Name, p.Version, p.Arch = r.Text(info.Slot(slotName)), r.Text(info.Slot(slotVersion)), r.Text(info.Slot(slotArch))
	p.Depends, p.Provides = r.names(info.Slot(slotDepends)), r.names(info.Slot(slotProvides))
	p.Scripts = map[string]string{}
	scripts := r.object(top.Slot(slotScripts))
	for slot, name := range scriptNames {
		if text := r.Text(scripts.Slot(slot)); text != "" {
			p.Scripts[name] = text
		}
	}
	p.files = r.tree(top.Slot(slotPaths))
	p.Sums = sums(p.files)
	if err := r.Err(); err != nil {
		return apkPackage{}, fmt.Errorf("read package: %w", err)
	}
	return p, nil
}

// place is where a file stands in a package: the numbers, from 1, of its directory and of itself in that.
type place struct{ directory, file uint32 }

// contents are the files' by their places.
func contents(blocks [][]byte) map[place][]byte {
	all := map[place][]byte{}
	for _, b := range blocks {
		if len(b) >= 8 {
			all[place{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}] = b[8:]
		}
	}
	return all
}

type apkReader struct {
	*adb.Body
	contents map[place][]byte
}

// object reads an object of which any slot may be set.
func (r apkReader) object(v adb.Value) adb.Object {
	var known []int
	for slot := 1; slot <= lastSlot; slot++ {
		known = append(known, slot)
	}
	return r.Object(v, known...)
}

// names are those of dependencies, without those on a package's absence.
func (r apkReader) names(v adb.Value) (all []string) {
	for _, item := range r.Items(v) {
		o := r.object(item)
		if r.Int(o.Slot(slotMatch))&matchConflict == 0 {
			all = append(all, r.Text(o.Slot(slotDependency)))
		}
	}
	return all
}

func (r apkReader) tree(v adb.Value) (files []bundle.File) {
	for i, item := range r.Items(v) {
		dir := r.object(item)
		for j, item := range r.Items(dir.Slot(slotFiles)) {
			o := r.object(item)
			name := r.Text(o.Slot(slotFile))
			if name == "" || strings.Contains(name, "/") {
				r.Fail(fmt.Errorf("a file has the name %q", name))
			}
			f := bundle.File{
				Path:    path.Join("/", r.Text(dir.Slot(slotDirectory)), name),
				Mode:    fs.FileMode(r.Int(r.object(o.Slot(slotACL)).Slot(slotMode))) & fs.ModePerm,
				Content: r.contents[place{uint32(i + 1), uint32(j + 1)}],
			}
			if target := r.Blob(o.Slot(slotTarget)); len(target) > 2 {
				f.Link = string(target[2:])
			}
			files = append(files, f)
		}
	}
	return files
}
