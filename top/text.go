// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// more ends what was cut.
const more = '>'

// plainRune reports whether a rune can be written as it is: it takes one column
// and cannot move the cursor or change the direction of writing.
func plainRune(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	const fullWidthForms = 0xff00
	return r < fullWidthForms && unicode.IsLetter(r) && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// clip writes text for a terminal in at most width columns, a column for each
// rune. Runes that are not plain are escaped as in Go.
func clip(text string, width int) string {
	var out strings.Builder
	columns := 0
	for len(text) > 0 && columns <= width {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			columns += add(&out, fmt.Sprintf(`\x%02x`, text[0]))
		case plainRune(r):
			columns += add(&out, text[:size])
		default:
			columns += add(&out, escape(r))
		}
		text = text[size:]
	}
	if columns <= width {
		return out.String()
	}
	if width <= 0 {
		return ""
	}
	return string(append([]rune(out.String())[:width-1], more))
}

func add(out *strings.Builder, text string) (columns int) {
	out.WriteString(text)
	return utf8.RuneCountInString(text)
}

func escape(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
