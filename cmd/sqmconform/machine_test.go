// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"strings"
	"testing"
)

// Who is interrupted and begins anew is heard once, in whole lines.
func TestOnceMore(t *testing.T) {
	var got strings.Builder
	lines := onceMore{to: &got}
	for _, piece := range []string{"a\nb", "\nc"} {
		if n, err := lines.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("wrote %d of %q: %v", n, piece, err)
		}
	}
	lines.again()
	for _, piece := range []string{"a\n", "b\nc\nd\n", "e"} {
		if n, err := lines.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("wrote %d of %q: %v", n, piece, err)
		}
	}
	if want := "a\nb\nc\nd\n"; got.String() != want {
		t.Errorf("passed %q, want %q", &got, want)
	}
}
