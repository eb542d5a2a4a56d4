// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sqmd/shaping"
)

// output runs the command without a kernel.
func output(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(args, environment{
		stdout: &out, stderr: &err,
		kernel: func() (shaping.Kernel, func(), error) { return nil, nil, errors.New("no kernel in this test") },
		sqm:    filepath.Join(t.TempDir(), "sqm"), sqmd: filepath.Join(t.TempDir(), "sqmd"),
		records: shaping.Records{Dir: t.TempDir()},
	})
	return code, out.String(), err.String()
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sqm")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodConfig = `config queue 'wan'
	option enabled '1'
	option interface 'eth1'
	option download '85000'
	option upload '10000'
	option qdisc 'cake'
	option script 'piece_of_cake.qos'
`

func TestCommandLine(t *testing.T) {
	good := configFile(t, goodConfig)
	bad := configFile(t, strings.Replace(goodConfig, "85000", "85Mbit", 1))
	word := configFile(t, goodConfig+"\toption eqdisc_opts 'nat dual-srchots'\n")
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string // must be contained
	}{
		{[]string{"--version"}, 0, "sqmd ", ""},
		{[]string{"-version"}, 0, "sqmd ", ""},
		{nil, 0, "Usage: sqmd", ""},
		{[]string{"help"}, 0, "Exit codes", ""},
		{[]string{"help", "apply"}, 0, "Usage: sqmd [flags] apply", ""},
		{[]string{"apply", "-h"}, 0, "Usage: sqmd [flags] apply", ""},
		{[]string{"help", "aply"}, 2, "", `unknown command "aply"`},
		{[]string{"aply"}, 2, "", `unknown command "aply"`},
		{[]string{"--nope"}, 2, "", "nope"},
		{[]string{"apply", "a", "b"}, 2, "", "at most one device"},
		{[]string{"check", "a"}, 2, "", "no argument"},
		{[]string{"check"}, 1, "", "read configuration"},
		{[]string{"-c", good, "check"}, 0, "", ""},
		{[]string{"check", "-c", good}, 0, "", ""},
		{[]string{"check", "-c", bad}, 3, "", "85Mbit"},
		{[]string{"check", "-c", word}, 3, "", `did you mean "dual-srchost"?`},
		{[]string{"apply", "-c", good}, 1, "", "no kernel in this test"},
		{[]string{"stop"}, 1, "", "no kernel in this test"},
		{[]string{"status", "-c", good}, 1, "", "no kernel in this test"},
		{[]string{"plan", "-c", good}, 1, "", "no kernel in this test"},
	} {
		code, stdout, stderr := output(t, c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("sqmd %s: exit %d, stdout %q, stderr %q; want exit %d, %q and %q", strings.Join(c.args, " "), code, stdout, stderr, c.code, c.stdout, c.stderr)
		}
	}
}

// Every finding of check says where it is.
func TestCheckNamesThePlace(t *testing.T) {
	path := configFile(t, goodConfig+"\toption eqdisc_opts 'nat dual-srchots'\n")
	_, _, stderr := output(t, "check", "-c", path)
	for _, part := range []string{path + ":8", "'wan'", "eqdisc_opts", "dual-srchots"} {
		if !strings.Contains(stderr, part) {
			t.Errorf("finding %q does not contain %q", stderr, part)
		}
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	_, stdout, _ := output(t, "help")
	for _, c := range commands() {
		if !strings.Contains(stdout, c.summary) {
			t.Errorf("help does not list %s", c.name)
		}
	}
}
