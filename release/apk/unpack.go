// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// Contents is a package file taken apart, before anything is made of what it says.
type Contents struct {
	Info Info
	// Scripts are shell programs by apk's words for when it runs them, such as "post-install".
	Scripts map[string]string
	// Files is all that is installed, with what OpenWrt's build adds, in bytewise order of the paths and without
	// directories.
	Files []bundle.File
}

// scriptNames are apk's words for when a script is run.
var scriptNames = map[int]string{
	preInstall: "pre-install", postInstall: "post-install", preDeinstall: "pre-deinstall",
	postDeinstall: "post-deinstall", preUpgrade: "pre-upgrade", postUpgrade: "post-upgrade",
}

// Unpack takes a package file of any program's making apart. It is an error if [Check] would find one.
func Unpack(r io.Reader) (Contents, error) {
	f, err := adb.Read(r)
	if err != nil {
		return Contents{}, fmt.Errorf("read package: %w", err)
	}
	c, err := decode(f)
	if err != nil {
		return Contents{}, fmt.Errorf("read package: %w", err)
	}
	all := Contents{Info: c.info, Scripts: make(map[string]string)}
	for slot, text := range c.scripts {
		all.Scripts[scriptNames[slot]] = text
	}
	for _, d := range c.tree {
		for _, e := range d.files {
			all.Files = append(all.Files, e.file(d.name))
		}
	}
	slices.SortFunc(all.Files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}
