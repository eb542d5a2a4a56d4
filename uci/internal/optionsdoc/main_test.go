// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCommittedFile fails when the schema changed and the file was not made anew.
func TestCommittedFile(t *testing.T) {
	committed, err := os.ReadFile("../../../docs/options.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), string(document())); diff != "" {
		t.Errorf("docs/options.md is stale, run \"go generate ./uci\" (-committed +generated):\n%s", diff)
	}
}
