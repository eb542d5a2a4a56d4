// SPDX-License-Identifier: GPL-2.0-or-later

package link

import "strings"

// NameMax is the longest name of a device in bytes (IFNAMSIZ without the final
// NUL).
const NameMax = 15

// IsName reports whether the kernel takes name for a device (dev_valid_name): no
// blank, '/' or ':', and at most [NameMax] bytes.
func IsName(name string) bool {
	return name != "" && len(name) <= NameMax && name != "." && name != ".." && !strings.ContainsAny(name, "/: \t\n\v\f\r\x00")
}
