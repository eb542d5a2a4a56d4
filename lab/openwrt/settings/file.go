// SPDX-License-Identifier: GPL-2.0-or-later

package settings

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"sqmd/uci"
)

// Section is a section that can be changed.
type Section struct {
	Type string
	// Name is the section's; that of an anonymous one is made up and stays while the sections before it do.
	Name      string
	Anonymous bool
	Options   []Option
}

// Option is an option with its value, or a list.
type Option struct {
	Name   string
	Values []string
	List   bool
}

// File is one configuration.
type File struct{ Sections []*Section }

// parse reads text; the error is about what it could not read.
func parse(name string, text []byte) (f *File, err error) {
	read, findings := uci.Parse(name, text)
	if len(findings) > 0 {
		err = errors.New(findings[0].String())
	}
	f = &File{}
	for _, s := range read.Sections {
		section := f.add(s.Type, s.Name)
		for _, o := range s.Options {
			section.Options = append(section.Options, Option{o.Name, o.Values, o.List})
		}
	}
	return f, err
}

// add appends a section, an anonymous one if it has no name.
func (f *File) add(kind, name string) *Section {
	s := &Section{Type: kind, Name: name, Anonymous: name == ""}
	if s.Anonymous {
		number := len(f.Sections) + 1
		s.Name = fmt.Sprintf("cfg%02x%04x", number, crc32.ChecksumIEEE([]byte(kind))&0xffff)
	}
	f.Sections = append(f.Sections, s)
	return s
}

// section finds a section by its name or as @TYPE[INDEX], from the end where the index is negative.
func (f *File) section(name string) *Section {
	kind, rest, indexed := strings.Cut(strings.TrimPrefix(name, "@"), "[")
	if !strings.HasPrefix(name, "@") {
		i := slices.IndexFunc(f.Sections, func(s *Section) bool { return s.Name == name })
		if i < 0 {
			return nil
		}
		return f.Sections[i]
	}
	var index int
	if _, err := fmt.Sscanf(rest, "%d]", &index); err != nil || !indexed {
		return nil
	}
	var all []*Section
	for _, s := range f.Sections {
		if kind == "" || s.Type == kind {
			all = append(all, s)
		}
	}
	if index < 0 {
		index += len(all)
	}
	if index < 0 || index >= len(all) {
		return nil
	}
	return all[index]
}

// title is the section's name, or its place where it has none.
func (f *File) title(s *Section) string {
	if !s.Anonymous {
		return s.Name
	}
	index := 0
	for _, other := range f.Sections {
		if other == s {
			break
		}
		if other.Type == s.Type {
			index++
		}
	}
	return fmt.Sprintf("@%s[%d]", s.Type, index)
}

func (s *Section) option(name string) *Option {
	for i := range s.Options {
		if s.Options[i].Name == name {
			return &s.Options[i]
		}
	}
	return nil
}

func (s *Section) remove(name string) bool {
	before := len(s.Options)
	s.Options = slices.DeleteFunc(s.Options, func(o Option) bool { return o.Name == name })
	return len(s.Options) < before
}

// text is the file as uci(1) writes it.
func (f *File) text() []byte {
	var out strings.Builder
	for _, s := range f.Sections {
		fmt.Fprintf(&out, "\nconfig %s", s.Type)
		if !s.Anonymous {
			fmt.Fprintf(&out, " %s", quote(s.Name))
		}
		out.WriteString("\n")
		for _, o := range s.Options {
			word := "option"
			if o.List {
				word = "list"
			}
			for _, v := range o.Values {
				fmt.Fprintf(&out, "\t%s %s %s\n", word, o.Name, quote(v))
			}
		}
	}
	out.WriteString("\n")
	return []byte(out.String())
}

// quote puts a value in single quotes, for UCI and the shell alike.
func quote(value string) string { return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'" }
