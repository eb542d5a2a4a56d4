// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"errors"
	"fmt"
	"strings"
)

// configCommand reads `config TYPE [NAME]` and makes that section the current one.
func (p *parser) configCommand() error {
	kind, err := p.word()
	if err == nil && !validType(kind) {
		err = errors.New("no usable section type")
	}
	if err != nil {
		return err
	}
	name, err := p.word()
	if err == nil && name != "" && !validName(name) {
		err = errors.New("no usable section name")
	}
	if err != nil {
		return err
	}
	if err := p.endOfCommand(); err != nil {
		return err
	}
	p.openSection(kind, name)
	return nil
}

func (p *parser) openSection(kind, name string) {
	if i, known := p.named[name]; known && name != "" {
		p.current = i
		s := &p.file.Sections[i]
		if s.Type != kind {
			p.findings.add(p.finding(Warning,
				fmt.Sprintf("the section of line %d has this name but type %s; both become one section of type %s", s.Line, quoted(s.Type), quoted(kind))))
			s.Type = kind
			p.retyped = true
		}
		return
	}
	p.current = len(p.file.Sections)
	p.file.Sections = append(p.file.Sections, Section{Type: kind, Name: name, Index: p.count[kind], Line: p.commandLine})
	p.count[kind]++
	if name == "" {
		return
	}
	p.named[name] = p.current
	if strings.Contains(name, "-") {
		p.findings.add(p.finding(Warning, "a section name with a dash is refused by uci(1) and LuCI; use _ instead"))
	}
}

// renumber counts the sections of each type.
func renumber(sections []Section) {
	count := map[string]int{}
	for i := range sections {
		kind := sections[i].Type
		sections[i].Index = count[kind]
		count[kind]++
	}
}

// optionCommand reads `option NAME [VALUE]` or `list NAME [VALUE]`.
func (p *parser) optionCommand(list bool) error {
	if p.current < 0 {
		return errors.New("an option before the first config line")
	}
	name, err := p.word()
	if err == nil && (!validName(name) || strings.Contains(name, "-")) {
		err = errors.New("no usable option name")
	}
	if err != nil {
		return err
	}
	value, err := p.word()
	if err != nil {
		return err
	}
	if err := p.endOfCommand(); err != nil {
		return err
	}
	p.checkRunOn(name, value)
	p.setOption(name, value, list)
	return nil
}

// checkRunOn complains about a value that swallowed further commands.
func (p *parser) checkRunOn(name, value string) {
	_, swallowed, found := strings.Cut(value, "\n")
	if !found || !hasCommand(swallowed, "config", "option", "list") {
		return
	}
	f := p.finding(Warning, fmt.Sprintf("the value runs on to line %d; a closing quote seems to be missing in line %d", p.line, p.commandLine))
	f.Option, f.Value = name, value
	if hasCommand(swallowed, "config") {
		f.Severity = Error
		f.Problem += p.misplaced()
	}
	p.findings.add(f)
}

func (p *parser) setOption(name, value string, list bool) {
	s := &p.file.Sections[p.current]
	key := optionKey{p.current, name}
	i, known := p.options[key]
	switch {
	case list && known:
		o := &s.Options[i]
		o.Values, o.List, o.Line = append(o.Values, value), true, p.commandLine
	case !list && value == "":
		// as if it were not there, even after another one with a value
	case known:
		f := p.finding(Warning, fmt.Sprintf("the option is also in line %d; the later one counts", s.Options[i].Line))
		f.Option, f.Value = name, value
		p.findings.add(f)
		s.Options[i] = Option{Name: name, Values: []string{value}, Line: p.commandLine}
	default:
		p.options[key] = len(s.Options)
		s.Options = append(s.Options, Option{Name: name, Values: []string{value}, List: list, Line: p.commandLine})
	}
}

// validName says whether libuci takes s for the name of a section, package or
// option. The dash is for packages only, but section names with one are too
// common in hand-written files to be refused.
func validName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '-' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

// validType says whether s can be the type of a section: printable ASCII.
func validType(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
