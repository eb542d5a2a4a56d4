// SPDX-License-Identifier: GPL-2.0-or-later

package manual

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/uci"
)

// sorted is for lists whose order does not matter.
func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

func isSentence(s string) bool { return s != "" && strings.HasSuffix(s, ".") }

// config is a queue of which nothing is wrong, with further options.
func config(options ...string) string {
	text := "config queue wan\n\toption enabled 1\n\toption interface eth1\n\toption download 20000\n\toption upload 5000\n"
	for i := 0; i < len(options); i += 2 {
		text += "\toption " + options[i] + " '" + options[i+1] + "'\n"
	}
	return text
}

// worse are the findings about an option that are more than a note.
func worse(text, option string) []string {
	var found []string
	for _, f := range uci.ParseSQM("f", []byte(text)).Findings {
		if f.Severity > uci.Note && (option == "" || f.Option == option) {
			found = append(found, f.String())
		}
	}
	return found
}

// TestOptions holds that people are told about each option, and about no other.
func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		schema []uci.OptionInfo
		texts  map[string]Option
	}{
		"queue":    {uci.Schema(), Options},
		"settings": {uci.Settings(), Settings},
	} {
		var want []string
		for _, o := range c.schema {
			want = append(want, o.Name)
			text := c.texts[o.Name]
			if text.Label == "" || !isSentence(text.Summary) {
				t.Errorf("%s: label %q, summary %q", o.Name, text.Label, text.Summary)
			}
			for _, value := range slices.Sorted(maps.Keys(text.Values)) {
				if o.Kind != uci.KindInteger && !slices.Contains(o.Choices, value) {
					t.Errorf("%s: a label for %q, which it cannot be", o.Name, value)
				}
				for _, found := range worse(config("script", "simple.qos", "qdisc", "fq_codel", o.Name, value), o.Name) {
					if !strings.Contains(found, "no effect here") && !strings.Contains(found, "only cake can account") && !strings.Contains(found, "there is no cake here") && !strings.Contains(found, "also in line") {
						t.Error(found)
					}
				}
			}
		}
		if diff := cmp.Diff(sorted(want), slices.Sorted(maps.Keys(c.texts))); diff != "" {
			t.Errorf("%s (-schema +manual):\n%s", name, diff)
		}
	}
}

func TestLines(t *testing.T) {
	var want, got []string
	for _, p := range uci.Presets() {
		want = append(want, p.Name)
	}
	for _, l := range Lines {
		got = append(got, l.Name)
		if l.Label == "" || !isSentence(l.Summary) || l.Source == "" {
			t.Errorf("%+v", l)
		}
	}
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("(-presets +lines):\n%s", diff)
	}
}

func TestRecipes(t *testing.T) {
	var got []string
	for _, r := range Recipes {
		got = append(got, r.Name)
		if !isSentence(r.Summary) || len(r.Goals) == 0 {
			t.Errorf("%+v", r)
		}
	}
	if diff := cmp.Diff(choices("script"), got); diff != "" {
		t.Errorf("(-schema +recipes):\n%s", diff)
	}
}

func TestGoals(t *testing.T) {
	var got []string
	for _, g := range Goals {
		got = append(got, g.Name)
		if !isSentence(g.Summary) {
			t.Errorf("%+v", g)
		}
		if found := worse(config("script", g.Script, "qdisc", g.Qdisc, "goal", g.Name), ""); len(found) > 0 {
			t.Error(found)
		}
	}
	if diff := cmp.Diff(choices("goal"), got); diff != "" {
		t.Errorf("(-schema +goals):\n%s", diff)
	}
}

func choices(option string) []string {
	for _, o := range uci.Schema() {
		if o.Name == option {
			return o.Choices
		}
	}
	return nil
}
