// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import "strings"

// Variables are the names that stand in the cases' lines, without the dollar sign.
type Variables map[string]string

// Expand replaces $NAME and ${NAME} in a line, and $$ by one dollar sign. Names that are not known stay as they are, for
// a shell to expand.
func (v Variables) Expand(line string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "$")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		text, length := v.expandOne(rest)
		out.WriteString(text)
		line = rest[length:]
	}
}

// expandOne reads what stands behind a dollar sign: it gives what to put in place of both, and how much of rest is used.
func (v Variables) expandOne(rest string) (text string, length int) {
	if strings.HasPrefix(rest, "$") {
		return "$", 1
	}
	name := rest[:nameLength(rest)]
	length = len(name)
	if strings.HasPrefix(rest, "{") {
		inside := rest[1:]
		name = inside[:nameLength(inside)]
		length = len("{") + len(name) + len("}")
		if !strings.HasPrefix(inside[len(name):], "}") {
			return "$", 0
		}
	}
	value, known := v[name]
	if !known {
		return "$", 0
	}
	return value, length
}

// nameLength is the length of the variable name at the start of s, 0 when there is none.
func nameLength(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
