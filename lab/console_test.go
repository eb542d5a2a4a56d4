// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTelling(t *testing.T) {
	tests := map[string]struct {
		text string
		n    int
		want string
	}{
		"nothing":            {text: "\n \n", n: 3, want: ""},
		"all of a short one": {text: "a\n\nb\n", n: 3, want: "  a\n  b"},
		"end of a long one":  {text: "a\nb\nc\nd", n: 2, want: "  c\n  d"},
		"panic and after":    {text: "a\nKernel panic - not syncing\nc\nd", n: 2, want: "  Kernel panic - not syncing\n  c"},
		"short panic":        {text: "a\nKernel panic - not syncing", n: 2, want: "  Kernel panic - not syncing"},
		"carriage returns":   {text: "a\r\n\x1b[0mb\r\n", n: 2, want: "  a\n  [0mb"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, telling(test.text, test.n)); diff != "" {
				t.Errorf("telling (-want +got):\n%s", diff)
			}
		})
	}
}
