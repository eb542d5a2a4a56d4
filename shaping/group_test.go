// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"strings"
	"testing"

	"sqmd/uci"
)

func section(name, device, down, up string) string {
	return "config queue '" + name + "'\n option enabled 1\n option interface '" + device + "'\n option download " + down + "\n option upload " + up +
		"\n option qdisc cake\n option script piece_of_cake.qos\n"
}

func TestGroup(t *testing.T) {
	devices := map[string]bool{"eth1": true, "eth2": true}
	exists := func(d string) bool { return devices[d] }
	networks := func(n string) (string, error) {
		if n == "wan" {
			return "eth1", nil
		}
		return "", errors.New("no such network")
	}
	for _, c := range []struct {
		name, text string
		want       string // device: upload section / download section, separated by blanks
		finding    string
	}{
		{"one", section("a", "eth1", "100", "10"), "eth1:a/a", ""},
		{"two devices", section("a", "eth1", "100", "10") + section("b", "eth2", "100", "10"), "eth1:a/a eth2:b/b", ""},
		{"a direction each", section("a", "eth1", "0", "10") + section("b", "eth1", "100", "0"), "eth1:a/b", ""},
		{"a network", section("a", "wan", "100", "10"), "eth1:a/a", ""},
		{"a network with @", section("a", "@wan", "100", "10"), "eth1:a/a", ""},
		{"an unknown network", section("a", "@lan", "100", "10"), "", "cannot be resolved"},
		{"a device to come", section("a", "eth9", "100", "10"), "eth9:a/a", ""},
		{"a network and its device", section("a", "@wan", "100", "10") + section("b", "eth1", "100", "10"), "eth1:a/a", "already shaped"},
		{"disabled", strings.Replace(section("a", "eth1", "100", "10"), "enabled 1", "enabled 0", 1), "", ""},
		{"broken", section("a", "eth1", "100M", "10"), "eth1:/", ""},
		{"off", section("a", "eth1", "0", "0"), "eth1:/", ""},
	} {
		units, findings, _ := Group(uci.ParseSQM("sqm", []byte(c.text)).Queues, exists, networks)
		var got []string
		for _, u := range units {
			names := [2]string{}
			for d := range names {
				if q := u.Queue(Direction(d)); q != nil {
					names[d] = q.Section
				}
			}
			got = append(got, u.Device+":"+names[0]+"/"+names[1])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
		if (len(findings) > 0) != (c.finding != "") || len(findings) > 0 && !strings.Contains(findings[0].String(), c.finding) {
			t.Errorf("%s: findings %v, want %q", c.name, findings, c.finding)
		}
	}
}
