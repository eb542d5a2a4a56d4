// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// TestFindings compares what is said about testdata/NAME.uci with NAME.txt:
// first which queues run, then the findings.
func TestFindings(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.uci")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := report(ParseSQM("sqm", text))
			golden := strings.TrimSuffix(path, ".uci") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

func report(c Config) string {
	var b strings.Builder
	for _, q := range c.Queues {
		state := "runs"
		switch {
		case q.Broken:
			state = "broken"
		case !q.Enabled:
			state = "off"
		}
		fmt.Fprintf(&b, "%s: %s\n", q.Section, state)
	}
	if c.Incomplete {
		b.WriteString("incomplete\n")
	}
	for _, f := range c.Findings {
		fmt.Fprintf(&b, "%v: %v\n", f.Severity, f)
	}
	return b.String()
}
