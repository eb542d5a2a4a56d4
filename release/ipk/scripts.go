// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"fmt"
	"strings"

	"sqmd/release/bundle"
)

// Names of the files in the control archive. The own scripts are sourced by default_postinst and default_prerm in
// OpenWrt's /lib/functions.sh.
const (
	controlName     = "control"
	conffilesName   = "conffiles"
	postinstName    = "postinst"
	postinstOwnName = "postinst-pkg"
	prermName       = "prerm"
	prermOwnName    = "prerm-pkg"
)

// Every package of OpenWrt has these two. opkg calls them by their installed path, which functions.sh takes the
// package's name from.
const (
	postinstText = `#!/bin/sh
[ "${IPKG_NO_SCRIPT}" = "1" ] && exit 0
[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
default_postinst $0 $@
`
	prermText = `#!/bin/sh
[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
default_prerm $0 $@
`
)

func defaultScript(name string) (text string, ok bool) {
	switch name {
	case postinstName:
		return postinstText, true
	case prermName:
		return prermText, true
	}
	return "", false
}

// controlFiles is what the control archive holds. installedSize is in bytes.
func controlFiles(p bundle.Package, installedSize int) ([]bundle.File, error) {
	var files []bundle.File
	add := func(name string, executable bool, text string) {
		f := bundle.File{Path: "/" + name, Mode: 0o644, Content: []byte(text)}
		if executable {
			f.Mode = 0o755
		}
		files = append(files, f)
	}
	add(controlName, false, controlStanza(p, int64(installedSize)).text())
	conffiles, err := expandConffiles(p)
	if err != nil {
		return nil, err
	}
	if len(conffiles) > 0 {
		add(conffilesName, false, strings.Join(conffiles, "\n")+"\n")
	}
	add(postinstName, true, postinstText)
	add(prermName, true, prermText)
	if p.Scripts.PostInstall != "" {
		add(postinstOwnName, true, p.Scripts.PostInstall)
	}
	if p.Scripts.PreRemove != "" {
		add(prermOwnName, true, p.Scripts.PreRemove)
	}
	return files, nil
}

// expandConffiles is p.Conffiles as single files, sorted: opkg compares contents of files, not of directories.
func expandConffiles(p bundle.Package) ([]string, error) {
	listed := map[string]bool{}
	for _, name := range p.Conffiles {
		below := strings.TrimSuffix(name, "/") + "/"
		found := false
		for _, f := range p.Files {
			if f.Link != "" || f.Path != name && !strings.HasPrefix(f.Path, below) {
				continue
			}
			if strings.Contains(f.Path, " ") {
				return nil, fmt.Errorf("conffile %q has a space in its name, which opkg's status file cannot hold", f.Path)
			}
			listed[f.Path] = true
			found = true
		}
		if !found {
			return nil, fmt.Errorf("conffile %q is not among the package's regular files", name)
		}
	}
	return sortedKeys(listed), nil
}
