// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckSettings(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"nothing":        {"", nil},
		"as shipped":     {"config sqmd 'main'\n\toption enabled '1'\n", nil},
		"another word":   {"config sqmd main\n\toption enabled off\n", nil},
		"empty":          {"config sqmd main\n\toption enabled ''\n", nil},
		"not a truth":    {"config sqmd main\n\toption enabled maybe\n", []string{"f:2: sqmd 'main', option 'enabled' is 'maybe': not a truth value, the default 1 is used; accepted: 0, 1"}},
		"another number": {"config sqmd main\n\toption enabled 2\n", []string{"f:2: sqmd 'main', option 'enabled' is '2': not a truth value, the default 1 is used; accepted: 0, 1"}},
		"mistyped":       {"config sqmd main\n\toption enable 1\n", []string{"f:2: sqmd 'main', option 'enable' is '1': no such option, it is ignored, perhaps enabled is meant"}},
		"a queue":        {"config queue wan\n\toption enabled 1\n", []string{"f:1: queue 'wan': this section is ignored; accepted: config sqmd 'main'"}},
		"another name":   {"config sqmd\n\toption enabled 1\n", []string{"f:1: sqmd '@sqmd[0]': this section is ignored; accepted: config sqmd 'main'"}},
	} {
		var got []string
		for _, f := range CheckSettings("f", []byte(test.text)) {
			got = append(got, f.String())
			if f.Severity != Warning {
				t.Errorf("%s: %v is not a warning", name, f)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSettingsAreWellFormed holds the settings to what all options are held to.
func TestSettingsAreWellFormed(t *testing.T) {
	for _, o := range Settings() {
		if !validName(o.Name) || strings.ToLower(o.Name) != o.Name {
			t.Errorf("%+v", o)
		}
		text := "config " + SettingsType + " " + SettingsSection + "\n\toption " + o.Name + " '" + o.Default + "'\n"
		if found := CheckSettings("f", []byte(text)); len(found) > 0 {
			t.Errorf("%s: its default: %v", o.Name, found)
		}
	}
}
