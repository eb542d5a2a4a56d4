// SPDX-License-Identifier: GPL-2.0-or-later

// Package recipe reads a package's Makefile as it lies in a feed of OpenWrt, and the files beside it. Packages that are
// built here and those of OpenWrt's own build thus say and hold the same.
//
// It understands the forms that such Makefiles are written in, and nothing else of make: what it cannot be sure about is
// an error with file and line.
package recipe

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"sqmd/release/bundle"
)

// Recipe is what a Makefile says.
type Recipe struct {
	// Version and Release are PKG_VERSION and PKG_RELEASE: "1.2.3" and "1".
	Version, Release string
	// Packages are what it builds, at least one.
	Packages []Package
}

// Package is one of a recipe's packages.
type Package struct {
	// Bundle is the package without its Version and Time and without the Program. Its Arch is empty, or
	// [bundle.NoArch] where the recipe says so. All lists are in order.
	Bundle bundle.Package
	// Program is where the Go program is installed: "/usr/sbin/sqmd"; empty if the package has none.
	Program string
}

// Complete makes the package that is written: of a version, for an architecture unless there is one for all, with the
// program of that architecture, all of it stamped with a time.
func (p Package) Complete(version, arch string, stamp time.Time, program []byte) bundle.Package {
	b := p.Bundle
	b.Version, b.Time = version, stamp
	if b.Arch == "" {
		b.Arch = arch
	}
	if p.Program != "" {
		b.Files = append(slices.Clone(b.Files), bundle.File{Path: p.Program, Mode: 0o755, Content: program})
		sortFiles(b.Files)
	}
	return b
}

func sortFiles(files []bundle.File) {
	slices.SortFunc(files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
}

// Read reads the Makefile in folder dir of tree, and the files that it installs.
func Read(tree fs.FS, dir string) (Recipe, error) {
	file := path.Join(dir, "Makefile")
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return Recipe{}, fmt.Errorf("reading the recipe: %w", err)
	}
	m, err := parse(file, string(text))
	if err != nil {
		return Recipe{}, err
	}
	var r Recipe
	if r.Version, err = m.variable("PKG_VERSION"); err != nil {
		return Recipe{}, err
	}
	if r.Release, err = m.variable("PKG_RELEASE"); err != nil {
		return Recipe{}, err
	}
	if m.luci {
		r.Packages, err = m.readLuCI(tree)
		return r, err
	}
	for _, name := range m.packages {
		p, err := m.read(name, tree)
		if err != nil {
			return Recipe{}, err
		}
		r.Packages = append(r.Packages, p)
	}
	if len(r.Packages) == 0 {
		return Recipe{}, fmt.Errorf("%s: no $(eval $(call BuildPackage,...))", file)
	}
	return r, m.refuseBlocks()
}

// read makes one of the packages.
func (m *makefile) read(name line, tree fs.FS) (Package, error) {
	block := "Package/" + name.text
	if _, ok := m.blocks[block]; !ok {
		return Package{}, name.errorf("there is no define %s", block)
	}
	p, err := m.describe(name.text)
	if err != nil {
		return Package{}, err
	}
	if p.License, err = m.variable("PKG_LICENSE"); err != nil {
		return Package{}, err
	}
	source, err := m.variable("PKG_NAME")
	if err != nil {
		return Package{}, err
	}
	p.Source = path.Join("feeds/packages", p.Section, source)

	if err := m.upkeep(&p); err != nil {
		return Package{}, err
	}
	var program string
	p.Files, program, err = m.install(block+"/install", tree)
	return Package{Bundle: p, Program: program}, err
}

// upkeep reads what is to be kept of a package, and its install scripts.
func (m *makefile) upkeep(p *bundle.Package) (err error) {
	block := "Package/" + p.Name
	if p.Conffiles, err = m.conffiles(block + "/conffiles"); err != nil {
		return err
	}
	if p.Scripts.PostInstall, err = m.script(block + "/postinst"); err != nil {
		return err
	}
	p.Scripts.PreRemove, err = m.script(block + "/prerm")
	return err
}

// describe reads the block with a package's description in "NAME:=value" lines, and the longer text.
func (m *makefile) describe(name string) (bundle.Package, error) {
	p := bundle.Package{Name: name}
	for _, l := range m.blocks["Package/"+name] {
		field := assignment.FindStringSubmatch(strings.TrimSpace(l.text))
		if field == nil {
			return p, l.errorf("%q is not NAME:=value", l.text)
		}
		key, raw := field[1], line{l.position, field[2]}
		if key == "DEPENDS" {
			var err error
			if p.Depends, err = m.depends(raw); err != nil {
				return p, err
			}
			continue
		}
		value, err := m.expand(raw)
		if err != nil {
			return p, err
		}
		switch key {
		case "SECTION":
			p.Section = value
		case "TITLE":
			p.Title = value
		case "PROVIDES":
			p.Provides = sorted(value)
		case "CONFLICTS":
			p.Conflicts = sorted(value)
		case "PKGARCH":
			if value != bundle.NoArch {
				return p, l.errorf("PKGARCH is %q; it can only be %s", value, bundle.NoArch)
			}
			p.Arch = bundle.NoArch
		case "CATEGORY", "SUBMENU", "URL":
			// Where menuconfig lists it, and what no package format here has a place for.
		default:
			return p, l.errorf("what %s does to a package is not known", key)
		}
	}
	text, err := m.text("Package/" + name + "/description")
	if err != nil {
		return p, err
	}
	p.Description = unindent(text)
	return p, nil
}

// goArchDepends stands for "one of the machines that Go builds for"; which those are, package arch knows.
const goArchDepends = "$(GO_ARCH_DEPENDS)"

// depends reads a DEPENDS list. "+" has menuconfig select a package along with this one, and is nothing to a router.
func (m *makefile) depends(list line) ([]string, error) {
	var names []string
	for _, word := range strings.Fields(list.text) {
		if word == goArchDepends {
			continue
		}
		name, err := m.expand(line{list.position, strings.TrimPrefix(word, "+")})
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(name, "@:()<>=!&|") || name == "" {
			return nil, list.errorf("dependency %q is not the bare name of a package", word)
		}
		names = append(names, name)
	}
	return sorted(strings.Join(names, " ")), nil
}

// sorted are the words of a list, each once; nil if there are none.
func sorted(list string) []string {
	words := strings.Fields(list)
	if len(words) == 0 {
		return nil
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// conffiles are the lines of a block that has one path on each.
func (m *makefile) conffiles(block string) ([]string, error) {
	text, err := m.text(block)
	return sorted(text), err
}

// script is the text of an install script without its first line, "#!/bin/sh".
func (m *makefile) script(block string) (string, error) {
	text, err := m.text(block)
	if err != nil || text == "" {
		return "", err
	}
	first, rest, _ := strings.Cut(text, "\n")
	if first != "#!/bin/sh" {
		return "", m.blocks[block][0].errorf("the script begins with %q, not #!/bin/sh", first)
	}
	return rest, nil
}

// parts are the blocks of a package that are read.
var parts = []string{"", "/description", "/conffiles", "/postinst", "/prerm", "/install"}

// refuseBlocks is an error if there are blocks beyond those. How OpenWrt comes by the source and builds it is not told
// by what is in the package.
func (m *makefile) refuseBlocks() error {
	var names []string
	for _, name := range m.packages {
		names = append(names, name.text)
	}
	return m.refuseOthers(names, parts)
}

// refuseOthers is an error if there are blocks beyond those parts of packages of these names.
func (m *makefile) refuseOthers(names, parts []string) error {
	known := make(map[string]bool)
	for _, name := range names {
		for _, part := range parts {
			known["Package/"+name+part] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.blocks)) {
		if !known[name] && !strings.HasPrefix(name, "Build/") {
			return fmt.Errorf("%s: what define %s does to a package is not known", m.file, name)
		}
	}
	return nil
}

// unindent takes the two spaces away that metadata in a Makefile is indented by, and the last line's end.
func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(lines[i], "  "), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
