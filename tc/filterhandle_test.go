// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"strings"
	"testing"
)

func TestParseFilterHandle(t *testing.T) {
	const all = 0xffffffff
	for line, want := range map[string][2]uint32{
		"matchall 0x1234":          {0x1234, all},
		"flower 4294967295":        {0xffffffff, all},
		"fw 10":                    {10, all},
		"fw 10/0xff":               {10, 0xff},
		"fw 0xa1b2cdff/0x1a2bffdc": {0xa1b2cdff, 0x1a2bffdc},
		"fw 4294967295/4294967295": {0xffffffff, all},
		"u32 42:":                  {0x42 << 20, all},
		"u32 42:42":                {0x42<<20 | 0x42<<12, all},
		"u32 800::801":             {0x800<<20 | 0x801, all},
		"matchall 4294967296":      {},
		"fw 4294967296":            {},
		"fw 10/4294967296":         {},
		"u32 1000:":                {},
		"matchall 10/0xff":         {},
		"matchall -1":              {},
	} {
		kind, text, _ := strings.Cut(line, " ")
		handle, mask, err := ParseFilterHandle(kind, text)
		if bad := want == [2]uint32{}; bad != (err != nil) {
			t.Errorf("%s: error %v", line, err)
		} else if !bad && want != [2]uint32{handle, mask} {
			t.Errorf("%s: %#x with mask %#x, want %#x", line, handle, mask, want)
		}
	}
}
