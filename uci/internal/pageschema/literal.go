// SPDX-License-Identifier: GPL-2.0-or-later

package main

import "strings"

// object is an object literal of JavaScript in the making.
type object []string

// raw adds a property whose value is an expression already.
func (o *object) raw(name, expression string) { *o = append(*o, name+": "+expression) }

// text adds a string, unless it is empty.
func (o *object) text(name, s string) {
	if s != "" {
		o.raw(name, quote(s))
	}
}

// told adds a string that is to be translated, unless it is empty.
func (o *object) told(name, s string) {
	if s != "" {
		o.raw(name, translated(s))
	}
}

// help adds a sentence, unless it says no more than the label.
func (o *object) help(label, sentence string) {
	if sentence != label+"." {
		o.told("help", sentence)
	}
}

// flag adds true.
func (o *object) flag(name string, on bool) {
	if on {
		o.raw(name, "true")
	}
}

// list adds strings, unless there are none.
func (o *object) list(name string, all []string) {
	if len(all) > 0 {
		o.raw(name, words(all))
	}
}

func (o object) String() string { return "{ " + strings.Join(o, ", ") + " }" }

// words is an array of strings.
func words(all []string) string {
	var quoted []string
	for _, w := range all {
		quoted = append(quoted, quote(w))
	}
	return array(quoted)
}

func array(expressions []string) string { return "[" + strings.Join(expressions, ", ") + "]" }

var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`)

func quote(s string) string { return "'" + escapes.Replace(s) + "'" }

// translated is found in the source by what collects a template of translations.
func translated(s string) string { return "_(" + quote(s) + ")" }

// key is a property's name, in quotes where it is none by itself.
func key(s string) string {
	if s == "" || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
		return quote(s)
	}
	return s
}
