// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"errors"
	"fmt"
	"strings"
)

// maxFileSize bounds, in bytes, the files this package reads.
const maxFileSize = 1 << 20

// Parse reads UCI text the way OpenWrt's init scripts do (libuci in its
// non-strict mode, `uci -S`): a line that cannot be used is dropped with a
// finding and reading goes on with the next one. Where uci(1) and LuCI, which
// are strict, would refuse the whole file, there is always a finding.
//
// The rules: words are unquoted, in single quotes or in double quotes, and
// adjacent pieces join. A backslash escapes the next character outside quotes
// and in double quotes, and joins lines at the end of one. Quotes may span
// lines. A # outside quotes starts a comment, also inside a word. Keywords may
// be cut to their first letter. An option with an empty value or none is as if
// it were not there; a list keeps empty elements. The last of several options
// of one name counts. Sections of the same name are one section.
//
// A finding has Severity [Error] where options may have landed in the wrong
// section, else [Warning].
func Parse(name string, text []byte) (File, []Finding) {
	var fs findings
	file := parse(name, text, &fs)
	return file, fs.sorted(name)
}

func parse(name string, text []byte, fs *findings) File {
	p := parser{
		file:     File{Name: name},
		findings: fs,
		current:  -1,
		named:    map[string]int{},
		options:  map[optionKey]int{},
		count:    map[string]int{},
	}
	if len(text) > maxFileSize {
		p.file.Incomplete = true
		fs.add(Finding{File: name, Line: 1, Severity: Error,
			Problem: fmt.Sprintf("the file has %d bytes and is not read", len(text)), Accepted: "at most 1 MiB"})
		return p.file
	}
	p.text = text
	for p.load() {
		p.commands()
	}
	if p.retyped {
		renumber(p.file.Sections)
	}
	return p.file
}

type optionKey struct {
	section int
	name    string
}

type parser struct {
	scanner
	file     File
	findings *findings
	current  int               // index of the section that options go to; -1 before the first
	named    map[string]int    // sections by name
	options  map[optionKey]int // options by section and name
	count    map[string]int    // sections by type
	retyped  bool              // a section changed its type, so the others' indexes moved

	command     int // start of the line in which the present command starts
	commandLine int // number of that line
}

// commands runs the commands of the line in hand; there is more than one only
// after a semicolon.
func (p *parser) commands() {
	p.skipSpace()
	for {
		p.command, p.commandLine = p.begin, p.line
		word := p.keyword()
		if word == "" || word[0] == '#' {
			return
		}
		var err error
		switch word {
		case "package", "p":
			err = p.packageCommand()
		case "config", "c":
			err = p.configCommand()
		case "option", "o":
			err = p.optionCommand(false)
		case "list", "l":
			err = p.optionCommand(true)
		default:
			err = errors.New("unknown keyword")
		}
		if err != nil {
			p.drop(word, err)
			return
		}
	}
}

// drop reports that the present command, and the rest of the line in hand, is
// ignored.
func (p *parser) drop(keyword string, err error) {
	first, swallowed, _ := strings.Cut(string(p.text[p.command:p.next]), "\n")
	f := p.finding(Warning, err.Error()+", the line is ignored")
	f.Value = strings.TrimSpace(first)
	if p.line > p.commandLine {
		f.Problem = fmt.Sprintf("%v, lines %d to %d are ignored", err, p.commandLine, p.line)
	}
	isConfig := keyword == "c" || nearest(strings.ToLower(keyword), []string{"package", "config", "option", "list"}) == "config"
	if isConfig || hasCommand(swallowed, "config") {
		f.Severity = Error
		f.Problem += p.misplaced()
	}
	if isConfig {
		f.Accepted = "config TYPE or config TYPE 'NAME', where a name holds letters, digits and _ only"
	}
	p.findings.add(f)
}

// misplaced marks that options which follow, or were swallowed, belong to
// another section than the one they land in, and words it.
func (p *parser) misplaced() string {
	p.file.Incomplete = true
	if p.current < 0 {
		return "; options up to the next config line belong to no section"
	}
	p.file.Sections[p.current].damaged = true
	return "; options up to the next config line land in this section, which may not be meant"
}

// hasCommand reports whether one of the lines starts with one of the keywords.
func hasCommand(text string, keywords ...string) bool {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimLeft(line, " \t")
		for _, k := range keywords {
			if strings.HasPrefix(line, k+" ") || strings.HasPrefix(line, k+"\t") {
				return true
			}
		}
	}
	return false
}

// finding starts a finding about the present command.
func (p *parser) finding(severity Severity, problem string) Finding {
	f := Finding{File: p.file.Name, Line: p.commandLine, Severity: severity, Problem: problem}
	if p.current >= 0 {
		s := p.file.Sections[p.current]
		f.Type, f.Section = s.Type, s.Title()
	}
	return f
}

// endOfCommand complains about a further word. libuci ignores it in non-strict
// mode, and goes on behind it.
func (p *parser) endOfCommand() error {
	extra, err := p.word()
	if err == nil && extra != "" {
		f := p.finding(Warning, "one word too many, it is ignored; a value with blanks needs quotes")
		f.Value = extra
		p.findings.add(f)
	}
	return err
}

// packageCommand reads `package NAME`, which means nothing inside /etc/config.
func (p *parser) packageCommand() error {
	name, err := p.word()
	if err == nil && !validName(name) {
		err = errors.New("not a usable package name")
	}
	if err != nil {
		return err
	}
	return p.endOfCommand()
}
