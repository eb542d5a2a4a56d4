// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocument holds docs/doctor.md and the table of checks equal.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows, want []string
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, line)
		}
	}
	for _, c := range Checks() {
		want = append(want, "| `"+c.ID+"` | "+c.Severity+" | "+c.Summary+" | "+c.Remedy+" |")
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("docs/doctor.md (-checks +document):\n%s", diff)
	}
}

func TestChecksAreSound(t *testing.T) {
	worst := []string{Error, Warning, Note}
	seen := map[string]bool{}
	last := 0
	for _, c := range Checks() {
		severity := slices.Index(worst, c.Severity)
		if severity < last {
			t.Errorf("%s: severity %q stands behind a lesser one", c.ID, c.Severity)
		}
		last = severity
		if seen[c.ID] || c.ID == "" || strings.Trim(c.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("id %q is taken or not kebab-case", c.ID)
		}
		seen[c.ID] = true
		for _, s := range []string{c.Summary, c.Remedy} {
			if !strings.HasSuffix(s, ".") || strings.ContainsAny(s, "|\n") {
				t.Errorf("%s: %q does not fit the table", c.ID, s)
			}
		}
	}
}
