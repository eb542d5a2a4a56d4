// SPDX-License-Identifier: GPL-2.0-or-later

package link

import "testing"

func TestIsName(t *testing.T) {
	for _, name := range []string{"eth0", "pppoe-wan", "eth0.2", "..x", "fifteen-bytes-x"} {
		if !IsName(name) {
			t.Errorf("IsName(%q) is false", name)
		}
	}
	for _, name := range []string{"", ".", "..", "../lock", "a/b", "eth0:1", "a b", "sixteen-bytes-xx", "a\x00"} {
		if IsName(name) {
			t.Errorf("IsName(%q) is true", name)
		}
	}
}
