// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"bytes"
	"errors"
)

// scanner hands out the words of UCI text. It holds one line at a time; a
// quote or a backslash at the end of the line brings in the next one.
type scanner struct {
	text  []byte
	begin int // start of the line in hand
	pos   int // next byte to read
	end   int // end of what is in hand: the end of a line, unless a comment cut it
	next  int // start of the first line not yet in hand
	line  int // number of the line in hand, from 1
}

// load takes the next line in hand, in place of what is left of the present
// one. It reports false at the end of the text.
func (s *scanner) load() bool {
	s.begin, s.pos = s.next, s.next
	if s.next == len(s.text) {
		s.end = s.next
		return false
	}
	if n := bytes.IndexByte(s.text[s.next:], '\n'); n >= 0 {
		s.next += n + 1
	} else {
		s.next = len(s.text)
	}
	s.end = s.next
	s.line++
	return true
}

var (
	errOpenQuote = errors.New("a quote is never closed")
	// errNUL: to libuci, which is written in C, the line would end here and run
	// into the next one.
	errNUL = errors.New("a NUL byte")
)

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func (s *scanner) skipSpace() {
	for s.pos < s.end && isSpace(s.text[s.pos]) {
		s.pos++
	}
}

// keyword reads the first word of a command, which ends at a blank or tab and
// knows no quotes. It is empty when nothing is left of the line.
func (s *scanner) keyword() string {
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	for s.pos < s.end && blank(s.text[s.pos]) {
		s.pos++
	}
	start := s.pos
	for s.pos < s.end && !blank(s.text[s.pos]) {
		s.pos++
	}
	return string(s.text[start:s.pos])
}

// word reads the next argument of a command; it is empty at the end of the
// line, at a comment and at a semicolon.
func (s *scanner) word() (string, error) {
	s.skipSpace()
	start := s.pos
	if s.pos < s.end && s.text[s.pos] == ';' {
		s.pos++
		return "", nil
	}
	var w []byte
	for s.pos < s.end && !isSpace(s.text[s.pos]) {
		switch c := s.text[s.pos]; c {
		case '\'', '"':
			var err error
			if w, err = s.quoted(w, c); err != nil {
				return "", err
			}
		case '#':
			s.end = s.pos
			return string(w), nil
		case ';':
			// libuci ends a word in place. Where the word has no quotes or
			// backslashes that end falls on the semicolon itself, and with it
			// goes the rest of the line; otherwise a new command follows.
			if s.pos-start == len(w) {
				s.end = s.pos
			}
			return string(w), nil
		case '\\':
			s.pos++
			if s.continued() {
				continue
			}
			fallthrough
		default:
			if s.text[s.pos] == 0 {
				return "", errNUL
			}
			w = append(w, s.text[s.pos])
			s.pos++
		}
	}
	if s.pos < s.end {
		s.pos++ // the blank that ended the word
	}
	return string(w), nil
}

// quoted appends the inside of a quoted piece to w. Quotes may span lines;
// only double quotes know the backslash.
func (s *scanner) quoted(w []byte, quote byte) ([]byte, error) {
	s.pos++
	for {
		if s.pos == s.end {
			if s.load() {
				continue
			}
			return nil, errOpenQuote
		}
		c := s.text[s.pos]
		if c == quote {
			s.pos++
			return w, nil
		}
		if c == '\\' && quote == '"' {
			s.pos++
			if s.continued() {
				continue
			}
			c = s.text[s.pos]
		}
		if c == 0 {
			return nil, errNUL
		}
		w = append(w, c)
		s.pos++
	}
}

// continued reports whether the backslash just read ends its line, and if so
// goes on with the next line.
func (s *scanner) continued() bool {
	switch rest := s.text[s.pos:s.end]; {
	case len(rest) == 0, rest[0] == '\n', string(rest) == "\r\n":
		s.load()
		return true
	}
	return false
}
