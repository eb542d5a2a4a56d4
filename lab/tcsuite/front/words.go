// SPDX-License-Identifier: GPL-2.0-or-later

package front

import (
	"fmt"
	"strconv"
)

// words are what is left of a line.
type words struct {
	list []string
	// last is the word that was taken last, for messages.
	last string
}

func (w *words) next() (word string, ok bool) {
	if len(w.list) == 0 {
		return "", false
	}
	w.last, w.list = w.list[0], w.list[1:]
	return w.last, true
}

// take reads the argument of the word taken last.
func take[T any](w *words, field *T, read func(string) (T, error)) error {
	word := w.last
	argument, ok := w.next()
	if !ok {
		return fmt.Errorf("%q needs a value", word)
	}
	value, err := read(argument)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	*field = value
	return nil
}

func readText(s string) (string, error) { return s, nil }

func readU32(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number from 0 to 4294967295", s)
	}
	return uint32(n), nil
}

func readU16(s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 0, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number from 0 to 65535", s)
	}
	return uint16(n), nil
}
