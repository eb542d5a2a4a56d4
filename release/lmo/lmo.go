// SPDX-License-Identifier: GPL-2.0-or-later

// Package lmo makes LuCI's catalogues of translations (.lmo) from gettext's (.po), the same bytes as LuCI's po2lmo.
//
// A catalogue is the texts, each padded with zeros to a whole number of 4 bytes; an index; and where that begins. The
// index has an entry of four big-endian words for each text, in order of the first: a hash of the message's context, id
// and plural form, the number of the message's plural forms, where the text begins, and its length in bytes. Entry 0 is
// the language's rule for plurals (sources: LuCI modules/luci-base/src/po2lmo.c and lib/lmo.c).
package lmo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pluralKey is the key of the rule for plurals.
const pluralKey = 0

// Entry is a text of a catalogue.
type Entry struct {
	// Key is a hash of what the text translates, or 0.
	Key uint32
	// Forms is the number of plural forms that the message has, 1 for one without a plural; 0 with Key 0.
	Forms uint32
	// Text is the translation, at least a byte.
	Text string
}

// Compile makes the catalogue of a .po file. The same text gives the same bytes. It is an error if LuCI would not find a
// message's text again, or if there is nothing to find; it begins with a line's number where there is one.
func Compile(po []byte) ([]byte, error) {
	p, err := ParsePO(po)
	if err != nil {
		return nil, err
	}
	entries := p.entries()
	if len(entries) == 0 {
		return nil, errors.New("nothing is translated")
	}
	file := encode(entries)
	c, err := Read(file)
	if err != nil {
		return nil, err
	}
	return file, p.check(c)
}

// entries are the texts to store, in order of the file. What is not translated is not stored, nor what is the same in
// the other language: LuCI then shows the id.
func (p PO) entries() []Entry {
	var entries []Entry
	if p.PluralForms != "" {
		entries = append(entries, Entry{pluralKey, 0, p.PluralForms})
	}
	for _, m := range p.Messages {
		if m.Texts[0] == "" {
			continue
		}
		for i, text := range m.Texts {
			key := hash(keyText(m.Context, m.ID, m.form(i)))
			if text != "" && hash(text) != key {
				entries = append(entries, Entry{key, uint32(len(m.Texts)), text})
			}
		}
	}
	return entries
}

// form is what a key has for the message's text i.
func (m Message) form(i int) int {
	if m.Plural == "" {
		return singular
	}
	return i
}

// check looks every message up as LuCI does.
func (p PO) check(c Catalogue) error {
	for _, m := range p.Messages {
		for i, want := range m.Texts {
			if m.Texts[0] == "" || want == "" {
				continue
			}
			got, ok := c.Text(m.Context, m.ID, m.form(i))
			if !ok && want == m.ID && m.Context == "" && m.Plural == "" {
				continue
			}
			if got != want {
				return fmt.Errorf("line %d: LuCI does not find the text of %q: another message has the same key, or it has white space that LuCI takes away", m.Line, m.ID)
			}
		}
	}
	return nil
}

// The size of a word, and of an entry of the index.
const (
	wordSize  = 4
	entrySize = 4 * wordSize
)

func encode(entries []Entry) []byte {
	type placed struct {
		Entry
		offset int
	}
	var file []byte
	var index []placed
	for _, e := range entries {
		index = append(index, placed{e, len(file)})
		file = append(file, e.Text...)
		for len(file)%wordSize != 0 {
			file = append(file, 0)
		}
	}
	slices.SortStableFunc(index, func(a, b placed) int { return cmp.Compare(a.Key, b.Key) })
	begin := len(file)
	for _, e := range index {
		for _, word := range []uint32{e.Key, e.Forms, uint32(e.offset), uint32(len(e.Text))} {
			file = binary.BigEndian.AppendUint32(file, word)
		}
	}
	return binary.BigEndian.AppendUint32(file, uint32(begin))
}

// Catalogue is what an .lmo file holds.
type Catalogue struct {
	// Entries are in order of their keys. A key that is there twice is an error of who made it.
	Entries []Entry
}

// Read reads an .lmo file. What is not as LuCI's encoder writes it is an error: order, padding, bytes that belong to no
// text.
func Read(file []byte) (Catalogue, error) {
	if len(file) < wordSize+entrySize || len(file)%wordSize != 0 {
		return Catalogue{}, fmt.Errorf("a catalogue of %d bytes", len(file))
	}
	end := len(file) - wordSize
	begin := int64(binary.BigEndian.Uint32(file[end:]))
	if begin > int64(end) || (int64(end)-begin)%entrySize != 0 {
		return Catalogue{}, fmt.Errorf("an index from byte %d to %d", begin, end)
	}
	texts, index := file[:begin], file[begin:end]
	var c Catalogue
	var places []place
	for ; len(index) > 0; index = index[entrySize:] {
		e, at, err := readEntry(texts, index)
		if err != nil {
			return Catalogue{}, err
		}
		if n := len(c.Entries); n > 0 && c.Entries[n-1].Key > e.Key {
			return Catalogue{}, fmt.Errorf("key %08x is not in order", e.Key)
		}
		c.Entries = append(c.Entries, e)
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.begin, b.begin) })
	var covered int64
	for _, at := range append(places, place{begin, begin}) {
		if at.begin != covered {
			return Catalogue{}, fmt.Errorf("a text begins at byte %d, where another ends at %d", at.begin, covered)
		}
		covered = at.end
	}
	return c, nil
}

// place is where a text and its padding are.
type place struct{ begin, end int64 }

// readEntry reads the first entry of an index.
func readEntry(texts, index []byte) (Entry, place, error) {
	var words [4]uint32
	for i := range words {
		words[i] = binary.BigEndian.Uint32(index[i*wordSize:])
	}
	begin, length := int64(words[2]), int64(words[3])
	at := place{begin, begin + (length+wordSize-1)/wordSize*wordSize}
	if length == 0 || at.end > int64(len(texts)) {
		return Entry{}, at, fmt.Errorf("key %08x has a text of %d bytes at %d", words[0], length, begin)
	}
	if strings.Trim(string(texts[begin+length:at.end]), "\x00") != "" {
		return Entry{}, at, fmt.Errorf("key %08x has a text that is not padded with zeros", words[0])
	}
	return Entry{words[0], words[1], string(texts[begin : begin+length])}, at, nil
}

// PluralForms is the language's rule for plurals, in gettext's words; empty if there is none.
func (c Catalogue) PluralForms() string {
	text, _ := c.find(pluralKey)
	return text
}

// Text finds a message's translation as LuCI does: white space in context and id counts as one blank, and not at all at
// their ends. form counts the plural forms from 0; it is -1 for a message that has no plural.
func (c Catalogue) Text(context, id string, form int) (text string, ok bool) {
	return c.find(hash(lookupText(context, id, form)))
}

func (c Catalogue) find(key uint32) (string, bool) {
	i, ok := slices.BinarySearchFunc(c.Entries, key, func(e Entry, key uint32) int { return cmp.Compare(e.Key, key) })
	if !ok {
		return "", false
	}
	return c.Entries[i].Text, true
}
