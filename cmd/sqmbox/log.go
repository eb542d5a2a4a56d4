// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"time"

	"sqmd/lab/openwrt"
)

// log appends a line to the system's log. Lines of several processes do not mix.
func log(priority, ident, line string) error {
	file, err := os.OpenFile(openwrt.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "%s %s %s: %s\n", time.Now().Format(time.Stamp), priority, ident, line)
	return err
}
