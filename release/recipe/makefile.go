// SPDX-License-Identifier: GPL-2.0-or-later

package recipe

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// position is a line of a file, as an error names it.
type position struct {
	file string
	line int
}

func (p position) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.file, p.line, fmt.Errorf(format, args...))
}

// line is a line of text and where it is from.
type line struct {
	position
	text string
}

// makefile is a Makefile of OpenWrt's kind, taken apart but not expanded.
type makefile struct {
	file      string
	variables map[string]line
	blocks    map[string][]line
	// packages are the arguments of the calls of BuildPackage, in order.
	packages []line
	// luci says that luci.mk is included, which calls BuildPackage itself.
	luci bool
}

var (
	assignment = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_]*)\s*:=\s*(.*)$`)
	define     = regexp.MustCompile(`^define\s+(\S+)$`)
	evalCall   = regexp.MustCompile(`^\$\(eval \$\(call ([A-Za-z]+),(\S+)\)\)$`)
)

// includes are the parts of OpenWrt's build system whose effect on a package this package knows.
var includes = map[string]bool{
	"$(TOPDIR)/rules.mk":                                     true,
	"$(INCLUDE_DIR)/package.mk":                              true,
	"../../lang/golang/golang-package.mk":                    true,
	"$(TOPDIR)/feeds/packages/lang/golang/golang-package.mk": true,
	"../../luci.mk":                                          true,
	"$(TOPDIR)/feeds/luci/luci.mk":                           true,
}

// parse reads a Makefile; file is its name in errors. It takes the few forms that packages are written in and refuses
// the rest of make's language.
func parse(file, text string) (makefile, error) {
	m := makefile{file: file, variables: make(map[string]line), blocks: make(map[string][]line)}
	var block string
	for i, content := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l := line{position{file, i + 1}, content}
		switch {
		case block != "" && content == "endef":
			block = ""
		case block != "":
			m.blocks[block] = append(m.blocks[block], l)
		default:
			var err error
			if block, err = m.statement(l); err != nil {
				return makefile{}, err
			}
		}
	}
	if block != "" {
		return makefile{}, fmt.Errorf("%s: define %s has no endef", file, block)
	}
	return m, nil
}

// statement takes a line outside of blocks. It returns the name of the block that the line begins.
func (m *makefile) statement(l line) (block string, err error) {
	text := strings.TrimRight(l.text, " \t")
	if text == "" || strings.HasPrefix(text, "#") {
		return "", nil
	}
	if file, ok := strings.CutPrefix(text, "include "); ok {
		if !includes[file] {
			return "", l.errorf("what include %s does to a package is not known", file)
		}
		m.luci = m.luci || path.Base(file) == "luci.mk"
		return "", nil
	}
	if f := assignment.FindStringSubmatch(text); f != nil {
		if _, twice := m.variables[f[1]]; twice {
			return "", l.errorf("%s is assigned twice", f[1])
		}
		m.variables[f[1]] = line{l.position, f[2]}
		return "", nil
	}
	if f := define.FindStringSubmatch(text); f != nil {
		if _, twice := m.blocks[f[1]]; twice {
			return "", l.errorf("%s is defined twice", f[1])
		}
		m.blocks[f[1]] = []line{}
		return f[1], nil
	}
	if f := evalCall.FindStringSubmatch(text); f != nil {
		switch f[1] {
		case "BuildPackage":
			m.packages = append(m.packages, line{l.position, f[2]})
			return "", nil
		case "GoBinPackage":
			return "", nil
		}
	}
	return "", l.errorf("%q is beyond what is understood of make: NAME:=value, define, include, $(eval $(call BuildPackage,...))", text)
}

// variable is the value of a variable that has to be there.
func (m *makefile) variable(name string) (string, error) {
	value, ok := m.variables[name]
	if !ok {
		return "", fmt.Errorf("%s: %s is not assigned", m.file, name)
	}
	return m.expand(value)
}

// expand replaces $$ and the variables of the Makefile.
func (m *makefile) expand(l line) (string, error) {
	return m.expandDepth(l, 0)
}

// maxDepth bounds variables that name variables, one of which may be itself.
const maxDepth = 10

func (m *makefile) expandDepth(l line, depth int) (string, error) {
	if depth > maxDepth {
		return "", l.errorf("the variables in %q refer to each other", l.text)
	}
	var out strings.Builder
	rest := l.text
	for {
		before, after, ok := strings.Cut(rest, "$")
		out.WriteString(before)
		if !ok {
			return out.String(), nil
		}
		if rest, ok = strings.CutPrefix(after, "$"); ok {
			out.WriteByte('$')
			continue
		}
		name, tail, ok := strings.Cut(after, ")")
		if !ok || !strings.HasPrefix(name, "(") {
			return "", l.errorf("%q: a single $ that begins no $(NAME); a shell's $ is written $$", l.text)
		}
		value, known := m.variables[name[1:]]
		if !known {
			return "", l.errorf("$%s) is not assigned here", name)
		}
		text, err := m.expandDepth(value, depth+1)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		rest = tail
	}
}

// text is a block, expanded, as lines each with its end.
func (m *makefile) text(block string) (string, error) {
	var out strings.Builder
	for _, l := range m.blocks[block] {
		text, err := m.expand(l)
		if err != nil {
			return "", err
		}
		out.WriteString(text + "\n")
	}
	return out.String(), nil
}
