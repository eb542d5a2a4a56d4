// SPDX-License-Identifier: GPL-2.0-or-later

package main

import "sqmd/lab/tcsuite/front"

// tcProgram carries out one line of tc(8). It shows nothing.
func tcProgram(b box, args []string) error {
	if code := front.Run(args, b.err); code != 0 {
		return exitCode(code)
	}
	return nil
}
