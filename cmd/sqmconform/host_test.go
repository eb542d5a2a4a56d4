// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sqmd/lab/conformance"
)

func TestJudgeLine(t *testing.T) {
	c := &conformance.Case{Name: "x"}
	for name, test := range map[string]struct{ line, want string }{
		"the guest is gone": {"", "no word from the guest"},
		"no JSON":           {"panic\n", "the guest said something else"},
		"another case":      {`{"case":"y"}` + "\n", "the guest said something else"},
		"a failure":         {`{"case":"x","error":"no tc"}` + "\n", "the lab failed: no tc"},
	} {
		got := judgeLine(c, bufio.NewScanner(strings.NewReader(test.line))).differences
		if len(got) != 1 || !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestLoadCases(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good/sqm.uci": "", "good/state.json": `{"schema":1}`,
		"bad/sqm.uci": "", "bad/state.json": `{`,
		"later/sqm.uci": "", "later/state.json": `{"schema":2}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases, broken := loadCases(dir, []string{"good", "bad", "later", "none"})
	if len(cases) != 1 || cases[0].Name != "good" || len(broken) != 3 {
		t.Errorf("loaded %v, broken %v", cases, broken)
	}
}

func TestUsage(t *testing.T) {
	for want, args := range map[int][]string{
		0: {"--help"}, 1: {"--sqmd", "no-such-program", "no-such-directory"}, exitUsage: {"--guest", "uml,vax", "no-such-directory"},
	} {
		if got := command(context.Background(), args); got != want {
			t.Errorf("sqmconform %q: exit status %d, want %d", args, got, want)
		}
	}
}

// fake is a machine that reports the given lines.
func fake(name, lines string) machine {
	return machine{name, func(_ context.Context, _ []loaded, to io.Writer) error {
		_, err := io.WriteString(to, lines)
		return err
	}}
}

// bare is a case without devices or queues, of which a machine reports what apply said.
func bare(t *testing.T) (dir string, line func(word string) string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"sqm.uci": "", "state.json": `{"schema":1}`} {
		path := filepath.Join(dir, "bare", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(word string) string {
		const none = `{"links":[],"qdiscs":[]}`
		return `{"case":"bare","before":` + none + `,"after_start":` + none + `,"after_stop":` + none + `,"start":{"stderr":"` + word + `"}}` + "\n"
	}
}

func TestMachinesAreHeldAgainstTheFirst(t *testing.T) {
	dir, line := bare(t)
	for name, test := range map[string]struct {
		first, second string
		want          tally
	}{
		"alike":               {line("x"), line("x"), tally{passed: 2}},
		"unlike":              {line("x"), line("y"), tally{passed: 1, failed: 1}},
		"the first is silent": {"", line("x"), tally{failed: 2}},
		"the second is":       {line("x"), "", tally{passed: 1, failed: 1}},
	} {
		got, err := runCases(context.Background(), []machine{fake("a", test.first), fake("b", test.second)}, dir, nil)
		if err != nil || got != test.want {
			t.Errorf("%s: %+v and %v, want %+v", name, got, err, test.want)
		}
	}
}
