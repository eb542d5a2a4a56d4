// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"strings"
)

// File is one parsed configuration file. Sections stand in the order in which
// the file first names them.
type File struct {
	Name     string // as given to [Parse]; appears in findings
	Sections []Section

	// Incomplete is set when a section may be missing or may hold what was
	// meant for another one: a `config` line could not be used or was
	// swallowed by an open quote, or the file is too large. A section that is
	// not listed must then not be taken for deleted.
	Incomplete bool
}

// Section is one `config TYPE [NAME]` with its options.
type Section struct {
	Type    string
	Name    string // empty for an anonymous section
	Index   int    // from 0, among all sections of this type, named ones included
	Line    int    // from 1, of the first `config` line of the section
	Options []Option

	damaged bool // holds options that may belong to another section
}

// Title names the section as uci(1) does: its name, or @type[index] without one.
func (s Section) Title() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("@%s[%d]", s.Type, s.Index)
}

// Lookup finds an option by name. An empty list counts as absent.
func (s Section) Lookup(name string) (Option, bool) {
	for _, o := range s.Options {
		if o.Name == name {
			return o, o.Text() != ""
		}
	}
	return Option{}, false
}

// Option is one option or list of a section. A plain option has exactly one
// non-empty value: UCI has no empty options, an empty value means absent. A
// list may have empty elements.
type Option struct {
	Name   string
	Values []string
	List   bool
	Line   int // from 1, where the last value starts
}

// Text gives the value the way OpenWrt's shell functions see it: the elements
// of a list joined by a blank.
func (o Option) Text() string { return strings.Join(o.Values, " ") }
