// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sqmd/uci"
)

// allCases is where the cases are that the selection is from.
const allCases = "oracle"

// traits are what a case is about, as words such as "script simple.qos".
func (c *Case) traits() []string {
	file, _ := uci.Parse(configFile, c.Config)
	var traits []string
	for _, s := range file.Sections {
		if !switchedOn(lookup(s, "enabled")) {
			continue
		}
		for _, name := range []string{"script", "qdisc", "linklayer", "linklayer_adaptation_mechanism"} {
			traits = append(traits, name+" "+strings.TrimSpace(lookup(s, name)))
		}
	}
	for _, d := range c.Record.Env.Devices {
		traits = append(traits, "device "+d.Kind)
	}
	target, err := c.Record.AfterStart.tree()
	if err != nil {
		return traits
	}
	for _, path := range target.paths() {
		shaper := path.Device
		if path.Direction == Ingress {
			shaper = target.redirect(path.Device)
		}
		kind, _ := target.root(shaper)["kind"].(string)
		traits = append(traits, string(path.Direction)+" through "+kind)
	}
	return traits
}

func traitsOf(t *testing.T, names []string) []string {
	t.Helper()
	var traits []string
	for _, name := range names {
		c, err := LoadCase(filepath.Join(allCases, name))
		if err != nil {
			t.Fatal(err)
		}
		traits = append(traits, c.traits()...)
	}
	slices.Sort(traits)
	return slices.Compact(traits)
}

func TestSelectionCoversTheCases(t *testing.T) {
	all, err := FindCases(allCases)
	if err != nil {
		t.Fatal(err)
	}
	names := Selection()
	if len(names) < 30 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("%d cases are selected: want 30, in order, each once", len(names))
	}
	covered := traitsOf(t, names)
	for _, trait := range traitsOf(t, all) {
		if !slices.Contains(covered, trait) {
			t.Errorf("no selected case has %s", trait)
		}
	}
}

// Hostile cases are of use on another machine only if they change something there.
func TestSelectionHasHostileCasesWithEffect(t *testing.T) {
	effects := 0
	for _, name := range Selection() {
		if name[0] != 'h' {
			continue
		}
		c, err := LoadCase(filepath.Join(allCases, name))
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.expectation()
		if err != nil {
			t.Fatal(err)
		}
		target, err := c.target(e)
		if err != nil {
			t.Fatal(err)
		}
		if len(target.AfterStart.paths()) > 0 {
			effects++
		}
	}
	if effects < 2 {
		t.Errorf("%d hostile cases shape something, want 2", effects)
	}
}
