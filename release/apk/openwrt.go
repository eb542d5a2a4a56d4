// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"sqmd/release/bundle"
)

// This file holds what OpenWrt's build adds to a package (include/package-pack.mk there).

const (
	// listDir is where OpenWrt's scripts look for the lists of a package.
	listDir = "/lib/apk/packages/"

	pathList      = ".list"
	conffileList  = ".conffiles"
	conffileSums  = ".conffiles_static"
	sectionTag    = "openwrt:section="
	noArch        = "noarch"
	upgradeMarker = "export PKG_UPGRADE=1\n"
)

// lists returns the lists of a package as files: all its paths, for the functions that start and stop its services; its
// conffiles; and the sums that these have as shipped, by which sysupgrade finds the changed ones.
func lists(p bundle.Package) []bundle.File {
	var paths, conffiles, sums strings.Builder
	for _, f := range p.Files {
		fmt.Fprintln(&paths, f.Path)
	}
	for _, c := range p.Conffiles {
		fmt.Fprintln(&conffiles, c)
		for _, f := range p.Files {
			if f.Path == c {
				fmt.Fprintf(&sums, "%s %x\n", c, sha256.Sum256(f.Content))
			}
		}
	}
	if len(p.Conffiles) == 0 {
		return []bundle.File{list(p, pathList, &paths)}
	}
	return []bundle.File{list(p, conffileList, &conffiles), list(p, conffileSums, &sums), list(p, pathList, &paths)}
}

func list(p bundle.Package, kind string, text *strings.Builder) bundle.File {
	return bundle.File{Path: listDir + p.Name + kind, Mode: 0o644, Content: []byte(text.String())}
}

// listKind returns which of the [lists] of a package has this path, and "" for another file.
func listKind(pkg, path string) string {
	kind, ok := strings.CutPrefix(path, listDir+pkg)
	if ok && (kind == pathList || kind == conffileList || kind == conffileSums) {
		return kind
	}
	return ""
}

const (
	shell = "#!/bin/sh\n"

	// notWanted leaves during an image's build, which runs the scripts later, all at once.
	notWanted = `[ "${IPKG_NO_SCRIPT}" = "1" ] && exit 0` + "\n"

	functions = `[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
export root="${IPKG_INSTROOT}"
export pkgname="%s"
`
)

// beforePostInstall is what precedes a package's own part of the script after installation.
func beforePostInstall(pkg string) string {
	return notWanted + fmt.Sprintf(functions, pkg) + "add_group_and_user\ndefault_postinst\n"
}

// beforePreRemove is what precedes a package's own part of the script before removal. apk does not run that one before
// an upgrade.
func beforePreRemove(pkg string) string {
	return fmt.Sprintf(functions, pkg) + "default_prerm\n"
}

func wrapScripts(p bundle.Package) scripts {
	install := beforePostInstall(p.Name) + lines(p.Scripts.PostInstall)
	return scripts{
		postInstall:  shell + install,
		postUpgrade:  shell + upgradeMarker + install,
		preDeinstall: shell + beforePreRemove(p.Name) + lines(p.Scripts.PreRemove),
	}
}

// unwrapScripts finds a package's own parts again.
func unwrapScripts(pkg string, s scripts) bundle.Scripts {
	return bundle.Scripts{
		PostInstall: strings.TrimPrefix(s[postInstall], shell+beforePostInstall(pkg)),
		PreRemove:   strings.TrimPrefix(s[preDeinstall], shell+beforePreRemove(pkg)),
	}
}

// lines ends the last line.
func lines(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
