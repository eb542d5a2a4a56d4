// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import "strings"

// label is one label as the text has it. The format is UTF-8; bytes that are not
// become U+FFFD.
func label(name, value string) string {
	return name + `="` + escaper.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// join puts labels in a row, without the empty ones.
func join(labels ...string) string {
	row := ""
	for _, l := range labels {
		if row != "" && l != "" {
			row += ","
		}
		row += l
	}
	return row
}
