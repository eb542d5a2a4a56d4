// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sqmd/release/apk"
	"sqmd/release/ipk"
)

// The notes, and what they are made of.
const (
	notesFile  = "RELEASE-NOTES.md"
	changelog  = "CHANGELOG.md"
	unreleased = "Unreleased"
)

// writeNotes tells people what is new, how to install it and what it takes of their flash.
func (b *builder) writeNotes(programs map[string]program) error {
	var notes strings.Builder
	fmt.Fprintf(&notes, "# sqmd %s\n\nBuilt from commit %s.\n", b.version, b.source.commit)
	if len(b.source.changed) > 0 {
		fmt.Fprintf(&notes, "\nThe checkout had changes that are not in the commit: nobody else can build the same.\n")
	}
	if b.Keys.Development {
		fmt.Fprintf(&notes, "\nThe keys are made for development: do not have other people's routers trust them.\n")
	}
	fmt.Fprintf(&notes, "\n## What is new\n\n%s\n\n", b.news)
	b.install(&notes)
	if err := b.sizes(&notes, programs); err != nil {
		return err
	}
	return write(filepath.Join(b.Out, notesFile), []byte(notes.String()))
}

// readNews is what the changelog says of a version, which has to be there for a release.
func readNews(file, version string, release bool) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if !release {
		version = unreleased
	}
	news := section(string(text), version)
	switch {
	case news == "" && release:
		return "", fmt.Errorf("%s has no section %q", changelog, "## "+version)
	case news == "":
		return "Nothing that the changelog tells of.", nil
	}
	return strings.ReplaceAll("\n"+news, "\n### ", "\n#### ")[1:], nil
}

// section is what a changelog says below the heading of a version: "## 1.2.0", perhaps in brackets or with a date.
func section(changelog, version string) string {
	for _, part := range strings.Split("\n"+changelog, "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		name, _, _ := strings.Cut(heading, " ")
		if strings.Trim(name, "[]") == version {
			return strings.TrimSpace(body)
		}
	}
	return ""
}

// install writes how to install a package file, or from the feed or repository.
func (b *builder) install(notes *strings.Builder) {
	fingerprint := b.Keys.Opkg.Fingerprint()
	fmt.Fprintf(notes, `## How to install

Which packages fit a router it tells itself: %[1]s. ARCH stands for the answer below, URL for
where these folders can be downloaded.

OpenWrt up to 24.10, a single package that was copied to the router, or the feed:

    opkg update && opkg install /tmp/%[2]s /tmp/luci-app-sqmd_%[7]s_all.ipk

    wget -O /etc/opkg/keys/%[3]s URL/keys/%[3]s
    echo 'src/gz sqmd URL/opkg/ARCH' >>/etc/opkg/customfeeds.conf
    opkg update && opkg install sqmd luci-app-sqmd

OpenWrt 25.12 and later, the same:

    wget -O /etc/apk/keys/%[4]s URL/keys/%[4]s
    apk add /tmp/%[5]s /tmp/luci-app-sqmd-%[7]s.apk

    echo 'URL/apk/ARCH/%[6]s' >>/etc/apk/repositories.d/customfeeds.list
    apk update && apk add sqmd luci-app-sqmd

luci-app-sqmd is the page in LuCI and can be left out; luci-i18n-sqmd-LANGUAGE translates it.

`, "`. /etc/openwrt_release; echo $DISTRIB_ARCH`", "sqmd_"+b.version+"_ARCH.ipk", fingerprint,
		apkKeyName, "sqmd-"+b.version+".apk", apk.IndexName, b.version)
}

// sizes writes what packages and programs take.
func (b *builder) sizes(notes *strings.Builder, programs map[string]program) error {
	fmt.Fprint(notes, "## Sizes in bytes\n\n| architecture | built for | ipk | apk | program | with gzip -9 |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	name := b.recipes[0].Packages[0].Bundle
	name.Version = b.version
	for _, a := range b.Arches {
		name.Arch = a.Name
		opkg, err1 := os.Stat(b.opkgFile(set{arch: a}, ipk.FileName(name)))
		apk, err2 := os.Stat(b.apkFile(set{arch: a}, apk.FileName(name)))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		p := programs[a.Target.Name]
		fmt.Fprintf(notes, "| %s | %s | %d | %d | %d | %d |\n",
			a.Name, strings.Join(a.Target.Settings()[1:], " "), opkg.Size(), apk.Size(), len(p.content), p.packed)
	}
	fmt.Fprint(notes, "\n| for every architecture | ipk | apk | files |\n| --- | ---: | ---: | ---: |\n")
	for _, p := range b.shared {
		files := 0
		for _, f := range p.bundle.Files {
			files += len(f.Content)
		}
		fmt.Fprintf(notes, "| %s | %d | %d | %d |\n", p.bundle.Name, len(p.opkg), len(p.apk), files)
	}
	return nil
}
