// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"fmt"
	"io"
	"strings"
)

// Summary counts the cases.
type Summary struct{ Passed, Failed, LeftOut int }

// Good reports whether the suite as a whole has passed.
func (s Summary) Good() bool { return s.Failed == 0 && s.Passed > 0 }

// String is the closing line.
func (s Summary) String() string {
	return fmt.Sprintf("tc-suite: %d passed, %d failed, %d left out", s.Passed, s.Failed, s.LeftOut)
}

func (s *Summary) add(other Summary) {
	s.Passed += other.Passed
	s.Failed += other.Failed
	s.LeftOut += other.LeftOut
}

// RunAll runs the cases, file by file, and writes to out: each failure with its lines, a line for each file, what is
// left out and why, and the closing line.
func RunAll(cases []Case, run func(Case) error, out io.Writer) Summary {
	var total Summary
	var reasons []string
	byReason := map[string][]string{}
	for len(cases) > 0 {
		file := cases[0].File
		var s Summary
		for len(cases) > 0 && cases[0].File == file {
			c := cases[0]
			cases = cases[1:]
			if reason := c.reason(); reason != "" {
				if byReason[reason] == nil {
					reasons = append(reasons, reason)
				}
				byReason[reason] = append(byReason[reason], file+" "+c.ID)
				s.LeftOut++
				continue
			}
			if err := run(c); err != nil {
				writeFailure(out, c, err)
				s.Failed++
				continue
			}
			s.Passed++
		}
		fmt.Fprintf(out, "%-24s %3d passed %3d failed %3d left out\n", file, s.Passed, s.Failed, s.LeftOut)
		total.add(s)
	}
	for _, reason := range reasons {
		fmt.Fprintf(out, "left out, %s: %s\n", reason, strings.Join(byReason[reason], ", "))
	}
	fmt.Fprintln(out, total)
	return total
}

func writeFailure(out io.Writer, c Case, err error) {
	fmt.Fprintf(out, "FAIL %s %s: %s\n", c.File, c.ID, c.Name)
	for _, line := range c.Setup {
		fmt.Fprintf(out, "    set-up   %s\n", line.Text)
	}
	fmt.Fprintf(out, "    test     %s\n    verify   %s\n    pattern  %s\n    result   %s\n", c.UnderTest, c.Verify, c.Pattern,
		strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "\n             "))
}
