// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "testing"

func TestMAC(t *testing.T) {
	for text, want := range map[string]string{
		"02:00:5e:10:0a:ff": "02:00:5e:10:0a:ff", "2:0:5E:10:a:fF": "02:00:5e:10:0a:ff", "0:0:0:0:0:0": "00:00:00:00:00:00",
	} {
		m, err := parseMAC(text)
		if err != nil || m.String() != want {
			t.Errorf("parseMAC(%q) = %v, %v; want %s", text, m, err, want)
		}
	}
	for _, text := range []string{"", ":::::", "02:00:5e:10:0a", "02:00:5e:10:0a:ff:00", "02:00:5e:10:0a:100", "02:00:5e:10:0a:fg",
		"02-00-5e-10-0a-ff", "0200.5e10.0aff", "02:00:5e:10:0a:+f", "02:00:5e:10:0a: f", "02:00:5e:10:0a:0ff", "0x2:0:0:0:0:0"} {
		if m, err := parseMAC(text); err == nil {
			t.Errorf("parseMAC(%q) = %v, want an error", text, m)
		}
	}
}
