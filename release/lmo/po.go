// SPDX-License-Identifier: GPL-2.0-or-later

package lmo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Message is one of a .po file. Its strings are as LuCI has them: of the escapes only \" and \\ are resolved, and
// another, such as \n, stays the two characters that it is written with.
type Message struct {
	// Line is where it begins, counted from 1.
	Line int
	// Context is empty for a message without one.
	Context, ID string
	// Plural is the id for more than one; empty for a message that has no plural.
	Plural string
	// Texts are the translation, or those of all plural forms in order; an empty one is yet to be translated.
	Texts []string
}

// PO is a .po file.
type PO struct {
	// PluralForms is what the header says of the language's plural, "nplurals=2; plural=(n != 1);", or empty.
	PluralForms string
	// Messages are those with an id, in order. Comments and what they outcomment are not among them.
	Messages []Message
}

// maxForms is one more than the highest number of a plural form that LuCI's own encoder takes.
const maxForms = 10

// ParsePO reads a .po file as gettext's tools write it. An error begins with the line's number. A message that is
// marked as fuzzy is one like others, as it is for LuCI.
func ParsePO(text []byte) (PO, error) {
	p := parser{next: map[string]bool{"msgctxt": true, "msgid": true}}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if err := p.line(i+1, strings.TrimRight(string(line), " \t\r")); err != nil {
			return PO{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if p.message.Line != 0 && len(p.message.Texts) == 0 {
		return PO{}, fmt.Errorf("line %d: the message has no msgstr", p.message.Line)
	}
	p.finish()
	return p.po, nil
}

// parser is in the middle of a .po file.
type parser struct {
	po      PO
	message Message
	// next are the keywords that may follow.
	next map[string]bool
	// add takes the next line of a string that goes on.
	add func(more string)
}

func (p *parser) line(number int, line string) error {
	if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
		return errors.New("not text in UTF-8")
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	if line[0] == '"' {
		text, err := unquote(line)
		switch {
		case err != nil:
			return err
		case p.add == nil:
			return errors.New("a string without a keyword before it")
		}
		p.add(text)
		return nil
	}
	keyword, quoted, _ := strings.Cut(line, " ")
	text, err := unquote(quoted)
	if err != nil {
		return err
	}
	return p.keyword(number, keyword, text)
}

// keyword takes a line that begins a string.
func (p *parser) keyword(number int, keyword, text string) error {
	name, index, indexed := strings.Cut(keyword, "[")
	if indexed {
		name += "[]"
	}
	if !p.next[name] {
		return fmt.Errorf("%s is not expected here", keyword)
	}
	if len(p.message.Texts) > 0 && (name == "msgctxt" || name == "msgid") {
		p.finish()
	}
	p.message.Line = cmp.Or(p.message.Line, number)
	switch name {
	case "msgctxt":
		p.into(&p.message.Context, text)
		p.expect("msgid")
	case "msgid":
		p.into(&p.message.ID, text)
		p.expect("msgid_plural", "msgstr")
	case "msgid_plural":
		p.into(&p.message.Plural, text)
		p.expect("msgstr[]")
	case "msgstr":
		p.text(text)
		p.expect("msgctxt", "msgid")
	case "msgstr[]":
		want := len(p.message.Texts)
		if index != strconv.Itoa(want)+"]" || want >= maxForms {
			return fmt.Errorf("%s is not the next of at most %d plural forms, msgstr[%d]", keyword, maxForms, want)
		}
		p.text(text)
		p.expect("msgctxt", "msgid", "msgstr[]")
	}
	return nil
}

func (p *parser) expect(keywords ...string) {
	p.next = make(map[string]bool)
	for _, k := range keywords {
		p.next[k] = true
	}
}

func (p *parser) into(s *string, text string) {
	*s = text
	p.add = func(more string) { *s += more }
}

func (p *parser) text(text string) {
	p.message.Texts = append(p.message.Texts, "")
	p.into(&p.message.Texts[len(p.message.Texts)-1], text)
}

// finish takes the message that is complete.
func (p *parser) finish() {
	switch {
	case p.message.Line == 0:
	case p.message.ID == "":
		p.po.PluralForms = pluralForms(p.message.Texts[0])
	default:
		p.po.Messages = append(p.po.Messages, p.message)
	}
	p.message, p.add = Message{}, nil
}

// pluralForms finds a field of the header, whose lines end in \n as it is written.
func pluralForms(header string) string {
	const name = "Plural-Forms: "
	for _, field := range strings.Split(header, `\n`) {
		if len(field) >= len(name) && strings.EqualFold(field[:len(name)], name) {
			return field[len(name):]
		}
	}
	return ""
}

// unquote takes the quotes away and resolves what LuCI resolves.
func unquote(quoted string) (string, error) {
	if len(quoted) < 2 || quoted[0] != '"' {
		return "", fmt.Errorf("%q is not a string in quotes", quoted)
	}
	var out strings.Builder
	for i := 1; i < len(quoted); i++ {
		switch c := quoted[i]; c {
		case '"':
			if i != len(quoted)-1 {
				return "", fmt.Errorf("%q follows a string", quoted[i+1:])
			}
			return out.String(), nil
		case '\\':
			if i++; i == len(quoted) {
				continue
			}
			if quoted[i] != '"' && quoted[i] != '\\' {
				out.WriteByte('\\')
			}
			out.WriteByte(quoted[i])
		default:
			out.WriteByte(c)
		}
	}
	return "", errors.New("the string has no end")
}
