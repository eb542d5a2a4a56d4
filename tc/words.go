// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"sort"
	"strings"
)

// words is a run of tc(8) words being read.
type words struct {
	list  []string
	at    int
	names Names
	// known is what the last table that stopped would have taken, for the
	// nearest-word hint.
	known []string
	// index is where the index of the action being read goes, for kinds that
	// take it among their own words.
	index *uint32
}

func (w *words) more() bool   { return w.at < len(w.list) }
func (w *words) peek() string { return w.list[w.at] }

func (w *words) next() string {
	w.at++
	return w.list[w.at-1]
}

// argument takes the word after the current one.
func (w *words) argument() (string, error) {
	if !w.more() {
		return "", fmt.Errorf("%q needs a value", w.list[w.at-1])
	}
	return w.next(), nil
}

// take reads the argument of the current word with read, naming the word when
// the argument is not right.
func take[T any](w *words, read func(string) (T, error)) (T, error) {
	word := w.list[w.at-1]
	var zero T
	arg, err := w.argument()
	if err != nil {
		return zero, err
	}
	v, err := read(arg)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", word, err)
	}
	return v, nil
}

// wordTable ties tc(8) words to what they do. The function is called after its
// word was consumed.
type wordTable map[string]func(w *words) error

// set makes a table entry that stores a value without reading an argument.
func set[T any](field **T, v T) func(*words) error {
	return func(*words) error { *field = &v; return nil }
}

// with makes a table entry that stores the word's argument.
func with[T any](field **T, read func(string) (T, error)) func(*words) error {
	return func(w *words) error {
		v, err := take(w, read)
		if err == nil {
			*field = &v
		}
		return err
	}
}

// to is with for a field that is always there.
func to[T any](field *T, read func(string) (T, error)) func(*words) error {
	return func(w *words) error {
		v, err := take(w, read)
		if err == nil {
			*field = v
		}
		return err
	}
}

// flag makes a table entry that sets a field without reading an argument.
func flag(field *bool) func(*words) error {
	return func(*words) error { *field = true; return nil }
}

// parse consumes words until the end or the first one that is not in the table.
func (t wordTable) parse(w *words) error {
	for w.more() {
		do, ok := t[w.peek()]
		if !ok {
			w.known = w.known[:0]
			for word := range t {
				w.known = append(w.known, word)
			}
			return nil
		}
		w.next()
		if err := do(w); err != nil {
			return err
		}
	}
	return nil
}

// UnknownWordError is a tc(8) word that a kind does not have.
type UnknownWordError struct {
	Kind, Word string
	Nearest    string // the closest known word, "" when none is close
}

// Error names the word, the kind and the nearest known word.
func (e *UnknownWordError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", e.Nearest)
	}
	return fmt.Sprintf("%s has no option %q%s", e.Kind, e.Word, hint)
}

// UnknownKindError is a kind that this package does not have.
type UnknownKindError struct {
	What string // "qdisc", "class" or "filter"
	Kind string
}

// Error names the kind.
func (e *UnknownKindError) Error() string { return fmt.Sprintf("unknown %s kind %q", e.What, e.Kind) }

// ParseQdiscWords applies tc(8) words to a qdisc kind's options, on top of what
// base already says (nil for a fresh start); of contradicting words the last one
// wins. All words must be known: otherwise the error is an *UnknownWordError.
// base itself is not changed.
func ParseQdiscWords(kind string, base Options, list []string) (Options, error) {
	return parseWords(qdiscKinds, "qdisc", kind, base, list, nil)
}

// ParseClassWords does for a class kind's options what ParseQdiscWords does for
// a qdisc's.
func ParseClassWords(kind string, list []string) (Options, error) {
	return parseWords(classKinds, "class", kind, nil, list, nil)
}

// ParseFilterWords reads a filter kind's options with their actions; names
// resolves devices that actions point to.
func ParseFilterWords(kind string, list []string, names Names) (Options, error) {
	return parseWords(filterKinds, "filter", kind, nil, list, names)
}

func parseWords(table map[string]func() Options, what, kind string, base Options, list []string, names Names) (Options, error) {
	make_, ok := table[kind]
	if !ok {
		return nil, &UnknownKindError{What: what, Kind: kind}
	}
	o := make_()
	if base != nil {
		c, ok := base.(cloner)
		if !ok || base.Kind() != kind {
			return nil, fmt.Errorf("words for %s cannot be put on top of %s", kind, base.Kind())
		}
		o = c.clone()
	}
	w := &words{list: list, names: names}
	if err := o.parse(w); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	if w.more() {
		return nil, &UnknownWordError{Kind: kind, Word: w.peek(), Nearest: nearest(w.peek(), w.known)}
	}
	return o, nil
}

// nearest is the known word with the smallest edit distance, when that is small
// enough to be a slip of the fingers.
func nearest(word string, known []string) string {
	sort.Strings(known)
	best, limit := "", 1+len(word)/3
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), k); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// editDistance is the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
