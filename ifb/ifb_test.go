// SPDX-License-Identifier: GPL-2.0-or-later

package ifb

import (
	"testing"

	"sqmd/link"
	"sqmd/tc"
)

func TestName(t *testing.T) {
	never := func(string) bool { return false }
	always := func(string) bool { return true }
	for _, c := range []struct {
		device string
		taken  func(string) bool
		want   string
	}{
		{"eth1", never, "ifb4eth1"},
		{"eth1", always, "ifb4eth1bef934"},
		{"pppoe-wan", never, "ifb4pppoe-wan"},
		{"wan-uplink-", never, "ifb4wan-uplink-"},
		{"wan-uplink-east", never, "ifb4wan-uplink-"},
		{"wan-uplink-west", always, "ifb4wan-u7d2b95"},
	} {
		got := Name(c.device, c.taken)
		if len(got) > link.NameMax {
			t.Errorf("Name(%q) = %q, longer than %d", c.device, got, link.NameMax)
		}
		if got != c.want {
			t.Errorf("Name(%q) = %q, want %q", c.device, got, c.want)
		}
	}
}

func TestAliasComesBack(t *testing.T) {
	if owner, ok := Owner(Alias("eth0.2")); !ok || owner != "eth0.2" {
		t.Errorf("Owner(Alias) = %q, %v", owner, ok)
	}
	if owner, ok := Owner("my ifb"); ok {
		t.Errorf("a foreign alias has the owner %q", owner)
	}
}

func TestFreePrefIsBehindTheOthers(t *testing.T) {
	for _, c := range []struct {
		others []uint16
		want   uint16
	}{
		{nil, 10}, {[]uint16{1}, 10}, {[]uint16{10}, 11}, {[]uint16{0x110, 3}, 0x111}, {[]uint16{65530}, 65531}, {[]uint16{0xffff}, 0},
	} {
		var filters []tc.Filter
		for _, p := range c.others {
			filters = append(filters, tc.Filter{Pref: p})
		}
		if got := FreePref(filters); got != c.want {
			t.Errorf("FreePref(%v) = %d, want %d", c.others, got, c.want)
		}
	}
}
