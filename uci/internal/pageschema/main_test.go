// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/uci"
)

// TestCommittedFile fails when the schema changed and the file was not made anew.
func TestCommittedFile(t *testing.T) {
	committed, err := os.ReadFile("../../../luci-app/htdocs/luci-static/resources/sqmd/schema.js")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), string(module())); diff != "" {
		t.Errorf("schema.js is stale, run \"go generate ./uci\" (-committed +generated):\n%s", diff)
	}
}

// TestLeaves compares the leaves in force that the page knows of with what some
// recipes are known for.
func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		script, qdisc, leaf string
		fits                bool
	}{
		{"piece_of_cake.qos", "cake_mq", "cake", true},
		{"layer_cake.qos", "fq_codel", "cake", false},
		{"simple.qos", "fq_codel", "fq_codel", true},
		{"simplest.qos", "cake", "cake", true},
		{"simplest_tbf.qos", "cake", "fq_codel", false},
	} {
		q, fits := read("script", c.script, "qdisc", c.qdisc)
		if q.Qdisc != c.leaf || fits != c.fits {
			t.Errorf("%s with %s: leaf %s, fits %v", c.script, c.qdisc, q.Qdisc, fits)
		}
	}
	if diff := cmp.Diff([]string{"ptm"}, cakeOnly()); diff != "" {
		t.Errorf("only cake accounts for (-want +got):\n%s", diff)
	}
}

// TestEffects: where the page is told that an option does nothing, sqmd check says
// so, and nowhere else.
func TestEffects(t *testing.T) {
	for _, info := range uci.Schema() {
		if info.Scope == nil || info.Scope.Silent {
			continue
		}
		for _, script := range describe("script").Choices {
			for _, qdisc := range describe("qdisc").Choices {
				for _, layer := range []string{"none", "ethernet"} {
					value := changed(info)
					options := []string{"script", script, "qdisc", qdisc, "linklayer", layer, info.Name, value}
					q, _ := read(options...)
					if got, want := complains(info.Name, options), !pageHolds(info.Scope, q, value); got != want {
						t.Errorf("%v: check complains %v, the page %v", options, got, want)
					}
				}
			}
		}
	}
}

// changed is a value that is good and not the default.
func changed(info uci.OptionInfo) string {
	switch info.Kind {
	case uci.KindFlag:
		return map[string]string{"0": "1", "1": "0", "": "1"}[info.Default]
	case uci.KindChoice:
		return info.Choices[len(info.Choices)-1]
	case uci.KindDuration:
		return "7ms"
	}
	return "70"
}

// pageHolds is how a page reads an effect.
func pageHolds(s *uci.Scope, q uci.Queue, value string) bool {
	one := func(all []string, word string) bool {
		return strings.Contains(" "+strings.Join(all, " ")+" ", " "+word+" ")
	}
	var scripts []string
	for _, r := range s.Recipes {
		scripts = append(scripts, r.String())
	}
	if s.Line && q.LinkLayer == uci.LinkNone {
		return false
	}
	if len(s.Leaves)+len(scripts) == 0 || one(s.Leaves, q.Qdisc) {
		return true
	}
	return one(scripts, q.Recipe.String()) && (len(s.Values) == 0 || one(s.Values, value))
}

func complains(option string, options []string) bool {
	for _, f := range parse(options).Findings {
		if f.Option == option && strings.HasPrefix(f.Problem, "has no effect here") {
			return true
		}
	}
	return false
}

func TestLiteral(t *testing.T) {
	var o object
	o.text("a", "")
	o.text("b", `it's \n`)
	o.told("c", "two\nlines")
	o.list("d", []string{"x", "'"})
	o.flag("e", false)
	o.raw(key("dual-srchost"), "1")
	if diff := cmp.Diff(`{ b: 'it\'s \\n', c: _('two\nlines'), d: ['x', '\''], 'dual-srchost': 1 }`, o.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
