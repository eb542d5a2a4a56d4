// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	_ "embed"
	"strings"
)

//go:embed selection.txt
var selection string

// Selection names the cases for guests that are too slow for all of them. They cover every recipe, queue discipline and
// link layer of the cases in this directory.
func Selection() []string {
	var names []string
	for _, line := range strings.Split(selection, "\n") {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			names = append(names, words[0])
		}
	}
	return names
}
