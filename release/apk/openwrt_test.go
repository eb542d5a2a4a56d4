// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/release/bundle"
)

const wantPostInstall = `#!/bin/sh
[ "${IPKG_NO_SCRIPT}" = "1" ] && exit 0
[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
export root="${IPKG_INSTROOT}"
export pkgname="sqmd"
add_group_and_user
default_postinst
logger -t sqmd "installed"
`

const wantPostUpgrade = `#!/bin/sh
export PKG_UPGRADE=1
[ "${IPKG_NO_SCRIPT}" = "1" ] && exit 0
[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
export root="${IPKG_INSTROOT}"
export pkgname="sqmd"
add_group_and_user
default_postinst
logger -t sqmd "installed"
`

const wantPreDeinstall = `#!/bin/sh
[ -s ${IPKG_INSTROOT}/lib/functions.sh ] || exit 0
. ${IPKG_INSTROOT}/lib/functions.sh
export root="${IPKG_INSTROOT}"
export pkgname="sqmd"
default_prerm
logger -t sqmd "leaving"
`

func TestScripts(t *testing.T) {
	c := parse(t, write(t, sample(), nil))
	want := scripts{postInstall: wantPostInstall, postUpgrade: wantPostUpgrade, preDeinstall: wantPreDeinstall}
	if diff := cmp.Diff(want, c.scripts); diff != "" {
		t.Error(diff)
	}
}

func TestLists(t *testing.T) {
	got := make(map[string]string)
	for _, d := range parse(t, write(t, sample(), nil)).tree {
		if d.name != "lib/apk/packages" {
			continue
		}
		for _, f := range d.files {
			got[f.name] = string(f.content)
		}
	}
	want := map[string]string{
		"sqmd.list":      "/etc/config/sqmd\n/etc/empty\n/etc/init.d/sqmd\n/usr/sbin/sqm\n/usr/sbin/sqmd\n",
		"sqmd.conffiles": "/etc/config/sqmd\n",
		"sqmd.conffiles_static": "/etc/config/sqmd " +
			"f7f823739a76942c926eabb61253845a3a88041321aa625950e58708fb3ff22f\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestListsWithoutConffiles(t *testing.T) {
	got := lists(bundle.Package{Name: "a"})
	want := []bundle.File{{Path: "/lib/apk/packages/a.list", Mode: 0o644, Content: []byte{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// parse returns what a file holds.
func parse(t *testing.T, file []byte) content {
	t.Helper()
	c, _, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
