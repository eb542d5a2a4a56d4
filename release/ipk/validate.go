// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"sqmd/release/bundle"
)

// maxTime is the last second that a tar header holds in octal: in the year 2242.
const maxTime = 1<<33 - 1

// validate says why p cannot be written so that opkg reads the same.
func validate(p bundle.Package) error {
	if err := validateFields(p); err != nil {
		return err
	}
	if err := validateTime(p.Time); err != nil {
		return err
	}
	return validateFiles(p.Files, nil)
}

func validateTime(t time.Time) error {
	if s := t.Unix(); s < 0 || s > maxTime {
		return fmt.Errorf("time %s is not between 1970 and 2242", t.UTC().Format(time.RFC3339))
	}
	return nil
}

func validateFields(p bundle.Package) error {
	return cmp.Or(
		validateWord("name", p.Name, "-+."),
		validateWord("version", p.Version, "-+.~:_"),
		validateWord("architecture", p.Arch, "-+._"),
		validateNames("dependency", p.Depends),
		validateNames("conflict", p.Conflicts),
		validateNames("provided name", p.Provides),
		validateValue("title", p.Title),
		validateValue("license", p.License),
		validateValue("section", p.Section),
		validateValue("source", p.Source),
		validateDescription(p),
	)
}

func validateNames(what string, names []string) error {
	for _, name := range names {
		if err := validateWord(what, name, "-+._"); err != nil {
			return err
		}
	}
	return nil
}

func validateDescription(p bundle.Package) error {
	if p.Title == "" {
		return errors.New("no title")
	}
	for _, line := range strings.Split(p.Description, "\n") {
		if err := validateLine("description", line); err != nil {
			return err
		}
	}
	return nil
}

// validateWord wants ASCII letters, digits and what is in beside, a letter or digit first.
func validateWord(what, word, beside string) error {
	if word == "" {
		return fmt.Errorf("no %s", what)
	}
	for i, r := range word {
		alphanumeric := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !alphanumeric && (i == 0 || !strings.ContainsRune(beside, r)) {
			return fmt.Errorf("%s %q may not have %q at byte %d", what, word, r, i)
		}
	}
	return nil
}

// validateValue wants what comes back from "Field: value".
func validateValue(what, value string) error {
	if value != strings.TrimSpace(value) {
		return fmt.Errorf("%s %q starts or ends with a space", what, value)
	}
	return validateLine(what, value)
}

func validateLine(what, line string) error {
	if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
		return fmt.Errorf("%s %q has a control character at byte %d", what, line, i)
	}
	return nil
}

// validateFiles also sees to it that nothing is unpacked outside the root: no "..", nothing below a link or a file. dirs
// are directories beside those that lead to files, clean and absolute.
func validateFiles(files []bundle.File, dirs []string) error {
	leaves := map[string]bool{}
	for _, f := range files {
		if err := validateFile(f); err != nil {
			return err
		}
		if leaves[f.Path] {
			return fmt.Errorf("%q is there twice", f.Path)
		}
		leaves[f.Path] = true
		dirs = append(dirs, path.Dir(f.Path))
	}
	for _, dir := range dirs {
		for ; dir != "/"; dir = path.Dir(dir) {
			if leaves[dir] {
				return fmt.Errorf("%q is a directory and something else", dir)
			}
		}
	}
	return nil
}

func validateFile(f bundle.File) error {
	switch {
	case !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path || f.Path == "/":
		return fmt.Errorf("path %q is not absolute and clean", f.Path)
	case f.Mode&^0o777 != 0:
		return fmt.Errorf("%q has mode %v: only permission bits have a place in a package", f.Path, f.Mode)
	case f.Link != "" && len(f.Content) > 0:
		return fmt.Errorf("%q is a link and has content", f.Path)
	}
	if err := validateLine("link", f.Link); err != nil {
		return err
	}
	// Lists of files have a line for each.
	return validateLine("path", f.Path)
}

func sortedKeys(set map[string]bool) []string {
	return slices.Sorted(maps.Keys(set))
}
