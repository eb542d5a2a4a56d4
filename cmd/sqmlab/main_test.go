// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab"
	"sqmd/lab/command"
	"sqmd/lab/demo"
	"sqmd/lab/testbinary"
)

func TestExitCodes(t *testing.T) {
	tests := map[string]struct {
		args []string
		want int
	}{
		"nothing":               {nil, command.StatusUsage},
		"unknown command":       {[]string{"fly"}, command.StatusUsage},
		"help":                  {[]string{"--help"}, 0},
		"help of a command":     {[]string{"run", "--help"}, 0},
		"unknown flag":          {[]string{"run", "--fast", "--", "true"}, command.StatusUsage},
		"bad duration":          {[]string{"run", "--timeout", "long", "--", "true"}, command.StatusUsage},
		"run what":              {[]string{"run", "--mem", "64M", "--"}, command.StatusUsage},
		"test what":             {[]string{"go-test", "-v"}, command.StatusUsage},
		"demo of what":          {[]string{"demo", "--sqmd", "sqmd"}, command.StatusUsage},
		"demo of too much":      {[]string{"demo", "--sqmd", "a", "--config", "b", "--svg", "c", "d"}, command.StatusUsage},
		"demo without a config": {[]string{"demo", "--sqmd", "a", "--config", "/nonexistent", "--svg", "c"}, command.StatusLab},
		"tests without a list":  {[]string{testsInside}, command.StatusUsage},
	}
	silence(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := command.Status("sqmlab", runVerb(context.Background(), test.args)); got != test.want {
				t.Errorf("exit code is %d, want %d", got, test.want)
			}
		})
	}
}

// silence discards what the commands print.
func silence(t *testing.T) {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = null, null
	t.Cleanup(func() {
		os.Stdout, os.Stderr = stdout, stderr
		null.Close()
	})
}

func TestGuestFlags(t *testing.T) {
	var got lab.Guest
	flags := guestFlags("run", &got)
	args := []string{"--mem", "1G", "--timeout", "90s", "--out", "results", "--real-time", "--", "tc", "-s", "qdisc"}
	if err := command.Parse(flags, args); err != nil {
		t.Fatal(err)
	}
	got.Command = flags.Args()
	want := lab.Guest{Memory: "1G", Timeout: 90 * time.Second, OutDir: "results", RealTime: true, Command: []string{"tc", "-s", "qdisc"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("guest (-want +got):\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	silence(t)
	if err := judge([]demo.Measurement{{}, {}}); err != nil {
		t.Errorf("nothing was missed, but: %v", err)
	}
	err := judge([]demo.Measurement{{}, {Missed: []string{"a"}}})
	if code := command.Exit(0); !errors.As(err, &code) || code != 1 {
		t.Errorf("a bar was missed, but the error is %v", err)
	}
}

// TestTestsInside runs stand-ins for test binaries.
func TestTestsInside(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	passing := testbinary.Test{Package: "a", Dir: dir, Binary: script("a", `echo "$@" >a.args`), Args: []string{"-test.v"}}
	failing := testbinary.Test{Package: "b", Dir: dir, Binary: script("b", "exit 1")}
	last := testbinary.Test{Package: "c", Dir: dir, Binary: script("c", "echo >c.ran")}
	tests := map[string]struct {
		list []testbinary.Test
		want int
	}{
		"all pass":  {[]testbinary.Test{passing, last}, 0},
		"one fails": {[]testbinary.Test{passing, failing, last}, 1},
	}
	silence(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			list := filepath.Join(t.TempDir(), "tests.json")
			text, err := json.Marshal(test.list)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(list, text, 0o644); err != nil {
				t.Fatal(err)
			}
			if got := command.Status("sqmlab", runVerb(context.Background(), []string{testsInside, list})); got != test.want {
				t.Errorf("exit code is %d, want %d", got, test.want)
			}
			if args, err := os.ReadFile(filepath.Join(dir, "a.args")); err != nil || string(args) != "-test.v\n" {
				t.Errorf("arguments of the first were %q, %v", args, err)
			}
			if err := os.Remove(filepath.Join(dir, "c.ran")); err != nil {
				t.Errorf("the last was not run: %v", err)
			}
		})
	}
}
