// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	var table Table
	if l, ok := table.ByName(""); ok {
		t.Errorf("an empty table has %v", l)
	}
	for _, e := range []Event{appeared(ppp), appeared(eth), appeared(lo), changed(eth, renamed), gone(ppp), resynced(false)} {
		table.Apply(e)
	}
	if d := cmp.Diff([]Link{lo, renamed}, table.Links()); d != "" {
		t.Errorf("links (-want +got):\n%s", d)
	}
	if l, ok := table.ByIndex(renamed.Index); !ok || l != renamed {
		t.Errorf("by index: %v %v", l, ok)
	}
	for name, want := range map[string]bool{"wan": true, "eth0": false, "pppoe-wan": false, "": false} {
		if l, ok := table.ByName(name); ok != want || ok && l.Name != name {
			t.Errorf("by name %q: %v %v", name, l, ok)
		}
	}
	table.Apply(appeared(named(11, "wan")))
	if l, _ := table.ByName("wan"); l.Index != 11 {
		t.Errorf("of two, the one with index %d", l.Index)
	}
}

func TestKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := LinkAppeared; k <= Interrupted+1; k++ {
		if name := k.String(); name == "" || seen[name] {
			t.Errorf("kind %d is called %q", int(k), name)
		}
		seen[k.String()] = true
	}
	if got := (Interrupted + 1).String(); got != "kind 8" {
		t.Errorf("an unknown kind is called %q", got)
	}
}
