// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"fmt"
	"strings"
)

// stanza is a control file, or one package's part of an index: fields in order.
type stanza []field

// field has a value of one or more lines.
type field struct{ name, value string }

// add appends a field, unless it is empty.
func (s *stanza) add(name, value string) {
	if value != "" {
		*s = append(*s, field{name, value})
	}
}

// get is a field's value, empty if there is no such field.
func (s stanza) get(name string) string {
	for _, f := range s {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// text is the stanza as it is written. Lines of a value after the first start with a space.
func (s stanza) text() string {
	var b strings.Builder
	for _, f := range s {
		b.WriteString(f.name + ": " + strings.ReplaceAll(f.value, "\n", "\n ") + "\n")
	}
	return b.String()
}

// parseStanzas reads stanzas that blank lines part.
func parseStanzas(text []byte) ([]stanza, error) {
	var all []stanza
	var current stanza
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" {
			if current != nil {
				all = append(all, current)
			}
			current = nil
			continue
		}
		if err := current.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if current != nil {
		all = append(all, current)
	}
	return all, nil
}

func (s *stanza) line(line string) error {
	if more, ok := strings.CutPrefix(line, " "); ok {
		if len(*s) == 0 {
			return fmt.Errorf("%q continues no field", line)
		}
		(*s)[len(*s)-1].value += "\n" + more
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%q is not \"Field: value\"", line)
	}
	for _, f := range *s {
		if f.name == name {
			return fmt.Errorf("field %s is there twice", name)
		}
	}
	*s = append(*s, field{name, strings.TrimSpace(value)})
	return nil
}
