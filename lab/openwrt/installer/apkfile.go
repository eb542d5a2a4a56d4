// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"io"

	"sqmd/release/apk"
	"sqmd/release/bundle"
)

// apkPackage is a package file as apk sees it.
type apkPackage struct {
	installed
	files []bundle.File
}

// readApk reads a package for what apk's stand-in needs of it.
func readApk(from io.Reader) (apkPackage, error) {
	c, err := apk.Unpack(from)
	if err != nil {
		return apkPackage{}, err
	}
	p := apkPackage{files: c.Files}
	p.Name, p.Version, p.Arch = c.Info.Name, c.Info.Version, c.Info.Arch
	p.Depends, p.Provides = names(c.Info.Depends), names(c.Info.Provides)
	p.Scripts, p.Sums = c.Scripts, sums(c.Files)
	return p, nil
}

// names are those of dependencies, without those on a package's absence.
func names(list []apk.Dependency) (all []string) {
	for _, d := range list {
		if d.Match&apk.MatchConflict == 0 {
			all = append(all, d.Name)
		}
	}
	return all
}
