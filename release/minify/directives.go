// SPDX-License-Identifier: GPL-2.0-or-later

package minify

import (
	"bytes"
	"regexp"
)

// directive matches what LuCI's loader acts on, without its quotes: the modules that a module needs, each with the name
// that it has here, and strict mode.
var directive = regexp.MustCompile(`^(use[ \t]+strict|require[ \t]+\S+([ \t]+as[ \t]+[a-zA-Z_]\S*)?)$`)

// Directives are those that LuCI's loader finds in a module. It does not parse: it goes from string to string, past
// comments, up to the first one that is no directive, whatever is in between.
func Directives(source []byte) []string {
	var found []string
	for rest := source; ; {
		begin := bytes.IndexAny(rest, `'"/`)
		if begin < 0 {
			return found
		}
		quote := rest[begin]
		rest = rest[begin+1:]
		if quote == '/' {
			rest = skipComment(rest)
			continue
		}
		end := bytes.IndexByte(rest, quote)
		if end < 0 || !directive.Match(rest[:end]) {
			return found
		}
		found = append(found, string(rest[:end]))
		rest = rest[end+1:]
	}
}

// skipComment returns what follows a comment whose first slash is behind; all of it if there is none.
func skipComment(rest []byte) []byte {
	end := ""
	switch {
	case bytes.HasPrefix(rest, []byte("/")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("*")):
		rest, end = rest[1:], "*/"
	}
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		return rest[i+len(end):]
	}
	return nil
}
