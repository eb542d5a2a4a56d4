// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Schema() {
		if seen[o.Name] {
			t.Errorf("%s stands twice", o.Name)
		}
		seen[o.Name] = true
		if !validName(o.Name) || strings.Contains(o.Name, "-") {
			t.Errorf("%s is no UCI option name", o.Name)
		}
		if counts := slices.Contains([]Kind{KindInteger, KindRate, KindDuration, KindSize}, o.Kind); counts != (o.Range != Range{}) {
			t.Errorf("%s: kind %s with range %v", o.Name, o.Kind, o.Range)
		}
		if o.Kind == KindChoice && len(o.Choices) == 0 {
			t.Errorf("%s has no choices", o.Name)
		}
		if o.Scope != nil && o.Scope.Words == "" {
			t.Errorf("%s does not say where it works", o.Name)
		}
		if o.Own && strings.ToLower(o.Name) != o.Name {
			t.Errorf("%s is ours and not in snake_case", o.Name)
		}
	}
}

// TestSchemaDefaults writes all defaults out: they must be accepted without a
// word and change nothing.
func TestSchemaDefaults(t *testing.T) {
	var lines strings.Builder
	for _, o := range Schema() {
		if o.Default != "" && o.Name != "enabled" && o.Name != "qdisc" {
			lines.WriteString("option " + o.Name + " '" + o.Default + "'\n")
		}
	}
	for _, recipe := range recipeNames[1:] {
		plain := ParseSQM("f", []byte(sane("option script "+recipe+"\n")))
		spelt := ParseSQM("f", []byte(sane("option script "+recipe+"\n"+lines.String())))
		if diff := cmp.Diff([]string(nil), problems(spelt.Findings)); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", recipe, diff)
		}
		plain.Queues[0].options, spelt.Queues[0].options = nil, nil
		if diff := cmp.Diff(plain.Queues, spelt.Queues, cmp.AllowUnexported(Queue{})); diff != "" {
			t.Errorf("%s (-without +with defaults):\n%s", recipe, diff)
		}
	}
}

// TestSchemaChoices tries each word the schema offers, and one it does not.
func TestSchemaChoices(t *testing.T) {
	for _, o := range Schema() {
		for _, choice := range o.Choices {
			config := ParseSQM("f", []byte(sane("option "+o.Name+" '"+choice+"'\n")))
			for _, f := range config.Findings {
				if f.Option == o.Name && strings.Contains(f.Problem, "not known") {
					t.Errorf("%v", f)
				}
			}
		}
		lines := "option " + o.Name + " 'no such word'\n"
		for _, setting := range []string{"script simple.qos", "linklayer ethernet"} {
			if !strings.HasPrefix(setting, o.Name+" ") {
				lines += "option " + setting + "\n"
			}
		}
		config := ParseSQM("f", []byte(sane(lines)))
		complains := slices.ContainsFunc(config.Findings, func(f Finding) bool { return f.Option == o.Name })
		if silent := o.Kind == KindText && o.Group != GroupHistorical || o.Group == GroupLuCIFlag; complains == silent {
			t.Errorf("%s: complains %v about nonsense: %v", o.Name, complains, config.Findings)
		}
		for _, f := range config.Findings {
			if f.Option == o.Name && (f.Severity == Error) != o.Strict {
				t.Errorf("%s: strict is %v, but %v: %v", o.Name, o.Strict, f.Severity, f)
			}
		}
	}
}
