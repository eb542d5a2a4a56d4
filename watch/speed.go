// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// linkSpeed reads the negotiated speed of a link in Mbit/s from the directory of
// links in sysfs. It is 0 when there is none to be known: the file can not be
// read while the link is down (EINVAL) and for most virtual links, and says -1
// for drivers that do not know.
func linkSpeed(sysfs, name string) int {
	content, err := os.ReadFile(filepath.Join(sysfs, name, "speed"))
	if err != nil {
		return 0
	}
	speed, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 32)
	if err != nil || speed < 0 {
		return 0
	}
	return int(speed)
}
