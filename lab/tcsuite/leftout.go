// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"slices"
	"strings"
)

// leftOut is words of a line that sqmd has no use for, one after the other.
type leftOut struct{ words, reason string }

// leftOuts are why cases are left out. A case with a line that has the words is not run.
var leftOuts = []leftOut{
	{"action police", "sqmd limits rates by shaping, never by policing"},
	{"$TC -b", "batch files of tc(8): sqmd reads no such files"},
}

// reason names the option for which the case is left out, or is empty.
func (c Case) reason() string {
	if c.Skip {
		return "the kernel's own runner skips it"
	}
	for _, line := range c.Lines() {
		words := strings.Fields(line)
		for _, l := range leftOuts {
			if contains(words, strings.Fields(l.words)) {
				return l.words + ": " + l.reason
			}
		}
	}
	return ""
}

// contains reports whether part stands in list, uninterrupted.
func contains(list, part []string) bool {
	for i := range list {
		if len(list)-i >= len(part) && slices.Equal(list[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
