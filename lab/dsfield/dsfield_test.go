// SPDX-License-Identifier: GPL-2.0-or-later

package dsfield

import "testing"

func TestOfNothing(t *testing.T) {
	for name, control := range map[string][]byte{"empty": nil, "cut off": {1}} {
		if octet, err := Of(control); err == nil {
			t.Errorf("%s: %#02x", name, octet)
		}
	}
}
