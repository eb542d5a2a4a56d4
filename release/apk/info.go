// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sqmd/release/apk/adb"
)

// Info is what a package says of itself.
type Info struct {
	// Name, Version and Arch are never empty. Arch is "noarch" for a package without machine code. All texts are single
	// lines.
	Name, Version, Arch string
	Description         string
	// License is an SPDX identifier, Origin the source's path in a feed.
	License, Origin, Maintainer, URL string
	// InstalledSize is the sum of the files' sizes in bytes.
	InstalledSize uint64
	// Depends and Provides are in order of their names, each name once.
	Depends, Provides []Dependency
	// Tags are words with a meaning to others, such as "openwrt:section=net".
	Tags []string
}

// The slots of an info object.
const (
	infoName        = 0x1
	infoVersion     = 0x2
	infoHash        = 0x3 // in a package its unique id, in an index the SHA-256 of its body
	infoDescription = 0x4
	infoArch        = 0x5
	infoLicense     = 0x6
	infoOrigin      = 0x7
	infoMaintainer  = 0x8
	infoURL         = 0x9
	infoInstalled   = 0xc
	infoFileSize    = 0xd // in an index alone
	infoDepends     = 0xf
	infoProvides    = 0x10
	infoTags        = 0x15
)

// texts pairs an Info's plain strings with their slots.
func (i *Info) texts() []struct {
	slot int
	text *string
} {
	return []struct {
		slot int
		text *string
	}{
		{infoName, &i.Name},
		{infoVersion, &i.Version},
		{infoDescription, &i.Description},
		{infoArch, &i.Arch},
		{infoLicense, &i.License},
		{infoOrigin, &i.Origin},
		{infoMaintainer, &i.Maintainer},
		{infoURL, &i.URL},
	}
}

// encode stores everything but the hash and a file size.
func (i Info) encode(w *adb.Writer) map[int]adb.Value {
	slots := make(map[int]adb.Value)
	for _, f := range i.texts() {
		slots[f.slot] = w.Text(*f.text)
	}
	slots[infoInstalled] = w.Int(i.InstalledSize)
	slots[infoDepends] = encodeDependencies(w, i.Depends)
	slots[infoProvides] = encodeDependencies(w, i.Provides)
	var tags []adb.Value
	for _, t := range i.Tags {
		tags = append(tags, w.Text(t))
	}
	slots[infoTags] = w.Array(tags)
	return slots
}

// decodeInfo reads an info object, in which slots beyond those of Info may be known. It returns the object for these.
func decodeInfo(b *adb.Body, v adb.Value, known ...int) (Info, adb.Object) {
	var i Info
	known = append(known, infoInstalled, infoDepends, infoProvides, infoTags)
	for _, f := range i.texts() {
		known = append(known, f.slot)
	}
	o := b.Object(v, known...)
	for _, f := range i.texts() {
		*f.text = b.Text(o.Slot(f.slot))
	}
	i.InstalledSize = b.Int(o.Slot(infoInstalled))
	i.Depends = decodeDependencies(b, o.Slot(infoDepends))
	i.Provides = decodeDependencies(b, o.Slot(infoProvides))
	for _, v := range b.Items(o.Slot(infoTags)) {
		i.Tags = append(i.Tags, b.Text(v))
	}
	return i, o
}

var (
	nameForm = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._+-]*$`)
	archForm = regexp.MustCompile(`^[a-zA-Z0-9_.+-]+$`)
	wordForm = regexp.MustCompile(`^[!-~]+$`)
)

func (i Info) check() error {
	switch {
	case !nameForm.MatchString(i.Name):
		return fmt.Errorf("invalid package name %q", i.Name)
	case !ValidVersion(i.Version):
		return fmt.Errorf("invalid version %q of %s: apk takes one like 1.2.3_rc1-r1", i.Version, i.Name)
	case !archForm.MatchString(i.Arch):
		return fmt.Errorf("invalid architecture %q of %s", i.Arch, i.Name)
	}
	for _, f := range i.texts() {
		// apk keeps the list of installed packages as a text of lines, and cannot read it any more if one is broken.
		if strings.ContainsAny(*f.text, "\n\x00") {
			return fmt.Errorf("line break or zero byte in %q of %s", *f.text, i.Name)
		}
	}
	for _, t := range i.Tags {
		if !wordForm.MatchString(t) {
			return fmt.Errorf("invalid tag %q of %s", t, i.Name)
		}
	}
	return errors.Join(checkDependencies(i.Depends), checkDependencies(i.Provides))
}
