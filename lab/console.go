// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"
	"strings"
)

// consoleLines is how much of a failed guest's console is worth showing: a panic with its call trace.
const consoleLines = 25

// consoleError adds the end of the guest's console, and where the rest is, to the failure of a guest.
func consoleError(failure error, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; its console log is unreadable: %v", failure, err)
	}
	tail := telling(string(text), consoleLines)
	if tail == "" {
		return fmt.Errorf("%w; its console %s is empty", failure, path)
	}
	return fmt.Errorf("%w; all of its console is in %s, in short:\n%s", failure, path, tail)
}

// telling returns the n lines of a console that tell most: from the kernel's panic on, else the last. Lines are
// indented; empty ones and control characters are left out.
func telling(text string, n int) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(strings.Map(printable, line), " \t")
		if strings.Contains(line, "Kernel panic") {
			lines = nil
		}
		if line != "" {
			lines = append(lines, "  "+line)
		}
	}
	if len(lines) > n && strings.Contains(lines[0], "Kernel panic") {
		return strings.Join(lines[:n], "\n")
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func printable(r rune) rune {
	if r < ' ' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}
