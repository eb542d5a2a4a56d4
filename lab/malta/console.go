// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"errors"
	"fmt"
	"strings"
)

// troubles begin what a kernel says when it is broken, whatever its command says.
var troubles = []string{"Kernel panic", "Oops", "BUG: ", "kernel BUG at", "Kernel bug detected", "Out of memory: Killed", "WARNING: CPU", "INFO: task "}

// kernelTrouble returns what went wrong in the kernel, by its own account.
func kernelTrouble(console string) error {
	for _, line := range strings.Split(console, "\n") {
		for _, trouble := range troubles {
			if strings.Contains(line, trouble) {
				return errors.New(strings.TrimSpace(line))
			}
		}
	}
	return nil
}

// consoleEnd returns the last lines of a console to be appended to an error.
func consoleEnd(console string) string {
	const most = 30
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(console, "\r", "")), "\n")
	if lines[0] == "" {
		return ""
	}
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return fmt.Sprintf("; its console:\n\t%s", strings.Join(lines, "\n\t"))
}
