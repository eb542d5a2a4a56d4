// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"strings"
	"testing"
)

func TestFindingString(t *testing.T) {
	for _, c := range []struct {
		finding Finding
		want    string
	}{
		{Finding{File: "/etc/config/sqm", Line: 12, Type: "queue", Section: "wan", Option: "download", Value: "50Mbit", Problem: "not a whole number of kbit/s", Accepted: "0 to 9"},
			"/etc/config/sqm:12: queue 'wan', option 'download' is '50Mbit': not a whole number of kbit/s; accepted: 0 to 9"},
		{Finding{File: "f", Line: 1, Type: "queue", Section: "@queue[0]", Option: "upload", Problem: "missing"},
			"f:1: queue '@queue[0]', option 'upload': missing"},
		{Finding{File: "f", Line: 3, Section: "a", Problem: "odd"}, "f:3: section 'a': odd"},
		{Finding{File: "f", Line: 3, Value: "rubbish", Problem: "odd"}, "f:3: 'rubbish': odd"},
		{Finding{File: "f", Line: 3, Type: "queue", Section: "a", Value: "rubbish", Problem: "odd"}, "f:3: queue 'a', at 'rubbish': odd"},
		{Finding{File: "f", Problem: "too large"}, "f: too large"},
		{Finding{File: "f", Line: 1, Type: "que\nue", Section: "a\x1b[2J", Option: "o", Value: "x\ny\x00\xff\u202e\"'", Problem: "odd"},
			`f:1: que\nue 'a\x1b[2J', option 'o' is 'x\ny\x00\xff\u202e"'': odd`},
		{Finding{File: "f", Line: 1, Value: strings.Repeat("ä", 100), Problem: "long"},
			"f:1: '" + strings.Repeat("ä", 30) + "...': long"},
	} {
		if got := c.finding.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestSeverityString(t *testing.T) {
	for sev, want := range map[Severity]string{Note: "note", Warning: "warning", Error: "error", 7: "7"} {
		if got := sev.String(); got != want {
			t.Errorf("severity %d is %q, want %q", int(sev), got, want)
		}
	}
}
