// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bufio"
	"context"
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
		got := judgeLine(c, bufio.NewScanner(strings.NewReader(test.line)))
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
		0: {"--help"}, 1: {"--sqmd", "no-such-program", "no-such-directory"}, exitUsage: {},
	} {
		if got := command(context.Background(), args); got != want {
			t.Errorf("sqmconform %q: exit status %d, want %d", args, got, want)
		}
	}
}
