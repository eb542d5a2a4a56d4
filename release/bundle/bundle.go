// SPDX-License-Identifier: GPL-2.0-or-later

// Package bundle describes a software package of a router before it takes one of the formats that OpenWrt's package
// managers read.
package bundle

import (
	"io/fs"
	"time"
)

// Package is everything that a package file says and holds.
type Package struct {
	// Name is the package's, lower case letters, digits, "-", "+" and ".".
	Name string
	// Version is "1.2.3-r1": one that both opkg and apk accept and order alike.
	Version string
	// Arch is OpenWrt's name of the architecture, such as "mips_24kc", or [NoArch].
	Arch string
	// Title is the description's first line; Description is the rest, lines parted by "\n", none for a short one.
	Title, Description string
	// License is an SPDX identifier.
	License string
	// Section is the group it is listed under, such as "net".
	Section string
	// Source is where it is built from: the path in a feed.
	Source string
	// Depends names packages that have to be installed, Provides what this one stands in for, Conflicts what may not
	// be installed beside it. They are names alone, without versions.
	Depends, Provides, Conflicts []string
	// Conffiles are absolute paths of files that belong to the user: an upgrade keeps what was changed in them.
	Conffiles []string
	// Files is what is installed, in bytewise order of the paths, without the directories that lead there.
	Files []File
	// Scripts run as the package comes and goes.
	Scripts Scripts
	// Time stamps every file, to the second. It is the release's, so that the same source gives the same bytes.
	Time time.Time
}

// NoArch is the architecture of a package without machine code. opkg calls it "all", apk "noarch".
const NoArch = "all"

// File is a regular file or a symbolic link. Its owner is root.
type File struct {
	// Path is absolute and clean: "/usr/sbin/sqmd".
	Path string
	// Mode has the permission bits alone.
	Mode fs.FileMode
	// Link is a symbolic link's target; empty for a regular file.
	Link string
	// Content is a regular file's.
	Content []byte
}

// Scripts are the package's own parts of OpenWrt's install scripts, shell text without the first line. The default
// parts (uci-defaults, enabling and starting services) are the format's to add.
type Scripts struct {
	// PostInstall runs after the files are in place, PreRemove before they go. Both see PKG_UPGRADE=1 in an upgrade,
	// as far as the package manager runs them there at all.
	PostInstall, PreRemove string
}
