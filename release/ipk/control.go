// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// Names of control fields that more than one place needs.
const (
	fieldDescription   = "Description"
	fieldInstalledSize = "Installed-Size"
	fieldTime          = "SourceDateEpoch"
)

// controlStanza is the control file of p, in the order of OpenWrt's build. There is no Maintainer: p names none.
// installedSize is in bytes.
func controlStanza(p bundle.Package, installedSize int64) stanza {
	list := func(names []string) string { return strings.Join(names, ", ") }
	var s stanza
	s.add("Package", p.Name)
	s.add("Version", p.Version)
	s.add("Depends", list(p.Depends))
	s.add("Conflicts", list(p.Conflicts))
	s.add("Provides", list(p.Provides))
	s.add("Source", p.Source)
	if p.Source != "" {
		s.add("SourceName", path.Base(p.Source))
	}
	s.add("License", p.License)
	s.add("Section", p.Section)
	s.add(fieldTime, strconv.FormatInt(p.Time.Unix(), 10))
	s.add("Architecture", p.Arch)
	s.add(fieldInstalledSize, strconv.FormatInt(installedSize, 10))
	description := p.Title
	if p.Description != "" {
		description += "\n" + p.Description
	}
	s.add(fieldDescription, description)
	return s
}

// describe is the inverse of controlStanza.
func (s stanza) describe() (bundle.Package, int64, error) {
	p := bundle.Package{
		Name:      s.get("Package"),
		Version:   s.get("Version"),
		Depends:   names(s.get("Depends")),
		Conflicts: names(s.get("Conflicts")),
		Provides:  names(s.get("Provides")),
		Source:    s.get("Source"),
		License:   s.get("License"),
		Section:   s.get("Section"),
		Arch:      s.get("Architecture"),
	}
	p.Title, p.Description, _ = strings.Cut(s.get(fieldDescription), "\n")
	if seconds := s.get(fieldTime); seconds != "" {
		n, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return bundle.Package{}, 0, fmt.Errorf("%s is %q, not a number of seconds", fieldTime, seconds)
		}
		p.Time = time.Unix(n, 0).UTC()
		if err := validateTime(p.Time); err != nil {
			return bundle.Package{}, 0, err
		}
	}
	size, err := s.size(fieldInstalledSize)
	if err != nil {
		return bundle.Package{}, 0, err
	}
	return p, size, validateFields(p)
}

// size is a field that counts bytes. Without the field it is 0.
func (s stanza) size(name string) (int64, error) {
	text := s.get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is %q, not a number of bytes", name, text)
	}
	return n, nil
}

func names(list string) []string {
	if list == "" {
		return nil
	}
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}
