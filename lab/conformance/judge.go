// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// Judge holds what sqmd did against the case and lists the differences. None means that the case passed.
func Judge(c *Case, o *Observation) []string {
	if o.Error != "" {
		return []string{"the lab failed: " + o.Error}
	}
	observed, err := o.states()
	if err != nil {
		return []string{err.Error()}
	}
	differences, err := c.judgeStart(o, observed)
	if err != nil {
		differences = append(differences, err.Error())
	}
	differences = append(differences, judgeStop(o, observed)...)
	if len(differences) > 0 {
		differences = append(differences, quote("sqmd apply said", o.Start.Stderr)...)
		differences = append(differences, quote("sqmd stop said", o.Stop.Stderr)...)
	}
	return differences
}

func (c *Case) judgeStart(o *Observation, observed states) ([]string, error) {
	e, err := c.expectation()
	if err != nil {
		return nil, err
	}
	if e == nil && !c.recordStands() {
		return c.invariants(o, observed)
	}
	target, err := c.target(e)
	if err != nil {
		return nil, err
	}
	return c.judgeTarget(target, o, observed), nil
}

// judgeTarget compares exit status, state and effects with a target.
func (c *Case) judgeTarget(target Target, o *Observation, observed states) []string {
	var differences []string
	if failed := o.Start.Code != 0; failed != target.Refused {
		want := "0"
		if target.Refused {
			want = "another than 0"
		}
		differences = append(differences, fmt.Sprintf("sqmd apply: exit status %d, want %s", o.Start.Code, want))
	}
	if target.Refused && o.Start.Stderr == "" {
		differences = append(differences, "sqmd apply: no error message, want one that says what is refused")
	}
	want := target.AfterStart.resolve(observed.before)
	got := observed.afterStart
	if c.noted(ifbClash) {
		got = got.rename(ifbNames(want, got))
	}
	differences = append(differences, compare(node(want), node(got))...)
	return append(differences, c.judgeEffects(want, got, o)...)
}

// resolve puts the state before start where the target says so.
func (t Tree) resolve(before Tree) Tree {
	resolved := t.clone()
	for name, value := range resolved {
		if value == AsBefore {
			resolved[name] = before[name]
		}
	}
	return resolved
}

// ifbNames maps the names of observed ifbs to those of the target's, by whose ingress goes there.
func ifbNames(want, got Tree) map[string]string {
	names := map[string]string{}
	for device := range want {
		from, to := got.redirect(device), want.redirect(device)
		if from != "" && to != "" {
			names[from] = to
		}
	}
	return names
}

// shapers are the root qdiscs that shape.
var shapers = []string{"cake", "htb", "tbf"}

func shaped(t Tree, device string) bool {
	kind, _ := t.root(device)["kind"].(string)
	return slices.Contains(shapers, kind)
}

// paths lists the shaped paths of a state.
func (t Tree) paths() []Path {
	var paths []Path
	for name := range t {
		if t.device(name)["kind"] != "ifb" && shaped(t, name) {
			paths = append(paths, Path{name, Egress})
		}
		if t.redirect(name) != "" {
			paths = append(paths, Path{name, Ingress})
		}
	}
	slices.SortFunc(paths, func(a, b Path) int {
		return strings.Compare(a.Device+string(a.Direction), b.Device+string(b.Direction))
	})
	return paths
}

// judgeEffects compares what became of the packets of each path that the target shapes and sqmd shaped; that others are
// missing has been said.
func (c *Case) judgeEffects(want, got Tree, o *Observation) []string {
	var differences []string
	gotPaths := got.paths()
	for _, path := range want.paths() {
		if !slices.Contains(gotPaths, path) {
			continue
		}
		probe, ok := o.probe(path)
		if !ok {
			differences = append(differences, fmt.Sprintf("%s %s: no packets were sent", path.Device, path.Direction))
			continue
		}
		differences = append(differences, c.compareEffects(want, got, probe)...)
	}
	return differences
}

// judgeStop checks what holds for every case: stop works, nothing stays, nothing from the configuration was executed.
func judgeStop(o *Observation, observed states) []string {
	var differences []string
	if o.Stop.Code != 0 {
		differences = append(differences, fmt.Sprintf("sqmd stop: exit status %d, want 0", o.Stop.Code))
	}
	for _, difference := range compare(node(observed.before), node(observed.afterStop)) {
		differences = append(differences, "after stop "+difference)
	}
	if len(o.Tables) > 0 {
		differences = append(differences, fmt.Sprintf("after stop: firewall tables %v exist, want none", o.Tables))
	}
	if len(o.NewFiles) > 0 {
		differences = append(differences, fmt.Sprintf("new files in /tmp: %v, want none", o.NewFiles))
	}
	return differences
}

// quote indents what a command said.
func quote(who, text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return []string{who + ":\n  " + strings.ReplaceAll(text, "\n", "\n  ")}
}
