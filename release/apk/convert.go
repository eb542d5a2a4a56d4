// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// newContent returns what the file of a package has to hold.
func newContent(p bundle.Package) (content, error) {
	if err := checkBundle(p); err != nil {
		return content{}, err
	}
	files := slices.Concat(p.Files, lists(p))
	c := content{
		info: Info{
			Name:        p.Name,
			Version:     p.Version,
			Arch:        p.Arch,
			Description: describe(p.Title, p.Description),
			License:     p.License,
			Origin:      p.Source,
			// A name without a version would not make apk choose the package for one who asks for that name.
			Provides: dependencies(p.Provides, p.Version, MatchEqual),
		},
		tree:    newTree(files, uint64(p.Time.Unix())),
		scripts: wrapScripts(p),
	}
	if p.Arch == bundle.NoArch {
		c.info.Arch = noArch
	}
	if p.Section != "" {
		c.info.Tags = []string{sectionTag + p.Section}
	}
	c.info.Depends = ordered(slices.Concat(
		dependencies(p.Depends, "", MatchAny),
		dependencies(p.Conflicts, "", MatchAny|MatchConflict)))
	for _, f := range files {
		c.info.InstalledSize += uint64(len(f.Content))
	}
	return c, nil
}

// describe puts title and description on one line: apk keeps the list of installed packages as a text of lines, and
// cannot read it any more once a description has two.
func describe(title, description string) string {
	if description == "" {
		return title
	}
	return title + ". " + strings.Join(strings.Fields(description), " ")
}

// checkBundle refuses what would get lost on the way or come back as something else. The content's own check does the
// rest.
func checkBundle(p bundle.Package) error {
	switch {
	case strings.Contains(p.Title, "\n") || p.Title == "":
		return fmt.Errorf("the title %q is not one line", p.Title)
	case p.Arch == noArch:
		return fmt.Errorf("architecture %q is spelled %q here", noArch, bundle.NoArch)
	case p.Time.Unix() < 0:
		return fmt.Errorf("the time %v is before 1970", p.Time)
	}
	for i, f := range p.Files {
		switch {
		case path.Clean(f.Path) != f.Path || !path.IsAbs(f.Path) || f.Path == "/":
			return fmt.Errorf("%q is not a clean absolute path", f.Path)
		case i > 0 && f.Path <= p.Files[i-1].Path:
			return fmt.Errorf("file %s after %s: not in order", f.Path, p.Files[i-1].Path)
		case listKind(p.Name, f.Path) != "":
			return fmt.Errorf("file %s: has its place taken by a list of the package", f.Path)
		case f.Link != "" && len(f.Content) > 0:
			return fmt.Errorf("file %s: a symbolic link with content", f.Path)
		case f.Mode&^0o777 != 0:
			return fmt.Errorf("file %s: mode %v has more than permissions", f.Path, f.Mode)
		}
	}
	for _, c := range p.Conffiles {
		i, ok := slices.BinarySearchFunc(p.Files, c, func(f bundle.File, path string) int {
			return strings.Compare(f.Path, path)
		})
		if !ok || p.Files[i].Link != "" {
			return fmt.Errorf("conffile %s is not among the files: list it in /lib/upgrade/keep.d/%s instead", c, p.Name)
		}
	}
	return nil
}

const (
	directoryMode = 0o755
	linkMode      = 0o777
)

// newTree puts files into their directories and these into order.
func newTree(files []bundle.File, mtime uint64) []directory {
	inside := map[string][]entry{"": nil}
	for _, f := range files {
		name := strings.TrimPrefix(f.Path, "/")
		dir := parent(name)
		e := entry{path.Base(name), f.Mode, mtime, f.Link, f.Content}
		if f.Link != "" {
			e.mode = linkMode
		}
		inside[dir] = append(inside[dir], e)
		for dir != "" {
			dir = parent(dir)
			if _, ok := inside[dir]; !ok {
				inside[dir] = nil
			}
		}
	}
	var tree []directory
	for name, entries := range inside {
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
		tree = append(tree, directory{name, directoryMode, entries})
	}
	slices.SortFunc(tree, func(a, b directory) int { return strings.Compare(a.name, b.name) })
	return tree
}

// bundle returns the package that newContent made c of, if it was that which made it.
func (c content) bundle() bundle.Package {
	p := bundle.Package{
		Name:    c.info.Name,
		Version: c.info.Version,
		Arch:    c.info.Arch,
		Title:   c.info.Description,
		License: c.info.License,
		Source:  c.info.Origin,
		Scripts: unwrapScripts(c.info.Name, c.scripts),
	}
	if p.Arch == noArch {
		p.Arch = bundle.NoArch
	}
	for _, t := range c.info.Tags {
		p.Section = strings.TrimPrefix(t, sectionTag)
	}
	for _, d := range c.info.Depends {
		if d.Match&MatchConflict != 0 {
			p.Conflicts = append(p.Conflicts, d.Name)
		} else {
			p.Depends = append(p.Depends, d.Name)
		}
	}
	for _, d := range c.info.Provides {
		p.Provides = append(p.Provides, d.Name)
	}
	p.Files, p.Conffiles, p.Time = c.files()
	return p
}

// files returns the package's own files, and what the lists that were added tell: the conffiles and, by their own
// times, that of all files.
func (c content) files() (files []bundle.File, conffiles []string, stamp time.Time) {
	for _, d := range c.tree {
		for _, f := range d.files {
			file := f.file(d.name)
			switch listKind(c.info.Name, file.Path) {
			case "":
				files = append(files, file)
			case pathList:
				stamp = time.Unix(int64(f.mtime), 0).UTC()
			case conffileList:
				conffiles = strings.Split(strings.TrimSuffix(string(f.content), "\n"), "\n")
			}
		}
	}
	slices.SortFunc(files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	return files, conffiles, stamp
}
