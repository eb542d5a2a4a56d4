// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"strings"
	"testing"
)

func TestHideApplets(t *testing.T) {
	table := func(names ...string) string {
		return "ELF\x00\x00" + strings.Join(names, "\x00") + "\x00\x00code\x00tc\x00"
	}
	tests := map[string]struct {
		binary string
		want   string // "" for an error
	}{
		"hidden":       {table("[", "[[", "ar", "tar", "tc", "tee"), table("[", "[[", "ar", "tar", "tb", "tee")},
		"none of them": {table("[", "[[", "ar"), table("[", "[[", "ar")},
		"no table":     {"ELF\x00ar\x00tc\x00", ""},
		"out of order": {table("[", "[[", "tbz", "tc"), ""},
	}
	for name, test := range tests {
		got, err := hideApplets([]byte(test.binary), []string{"tc", "uci"})
		if string(got) != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
