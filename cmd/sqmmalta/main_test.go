// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/command"
	"sqmd/lab/malta"
	"sqmd/lab/testbinary"
)

func TestExitCodes(t *testing.T) {
	tests := map[string]struct {
		args []string
		want int
	}{
		"nothing":           {nil, command.StatusUsage},
		"unknown command":   {[]string{"fly"}, command.StatusUsage},
		"help":              {[]string{"--help"}, 0},
		"help of a command": {[]string{"run", "--help"}, 0},
		"unknown flag":      {[]string{"run", "--fast", "--", "true"}, command.StatusUsage},
		"bad file":          {[]string{"run", "--file", "a=b", "--", "true"}, command.StatusUsage},
		"run what":          {[]string{"run", "--le", "--"}, command.StatusUsage},
		"test what":         {[]string{"go-test", "-v"}, command.StatusUsage},
		"no binaries":       {[]string{"footprint", "--binaries", "/nonexistent"}, command.StatusLab},
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = null, null
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	for name, test := range tests {
		if got := command.Status("sqmmalta", runVerb(context.Background(), test.args)); got != test.want {
			t.Errorf("%s: exit code is %d, want %d", name, got, test.want)
		}
	}
}

func TestByteOrder(t *testing.T) {
	for _, test := range []struct {
		args []string
		want malta.Endian
	}{{nil, malta.Big}, {[]string{"--le"}, malta.Little}, {[]string{"--le", "--be"}, malta.Big}} {
		var g malta.Guest
		if err := command.Parse(guestFlags("run", &g), test.args); err != nil || g.Endian != test.want {
			t.Errorf("%q gives %s, %v", test.args, g.Endian, err)
		}
	}
}

// TestScript runs the script of a guest here, with stand-ins for test binaries.
func TestScript(t *testing.T) {
	dir := t.TempDir()
	binary := func(name, text string) testbinary.Test {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return testbinary.Test{Package: "sqmd/" + name, Dir: dir, Binary: path}
	}
	list := []testbinary.Test{binary("a", `echo "$1 $NAME"; pwd`), binary("b", "exit 3"), binary("c", "true")}
	run := func(list []testbinary.Test) (string, bool) {
		text := script([]string{"export NAME='a b'"}, list, []string{"-test.run=it's (one|two)"})
		output, err := exec.Command("sh", "-c", text).CombinedOutput()
		return string(output), err == nil
	}
	got, passed := run(list)
	want := "-test.run=it's (one|two) a b\n" + dir + "\nok  \tsqmd/a\t0s\nFAIL\tsqmd/b\t0s\nok  \tsqmd/c\t0s\n"
	if d := cmp.Diff(want, strings.ReplaceAll(got, "\t1s", "\t0s")); d != "" || passed {
		t.Errorf("passed %v, output (-want +got):\n%s", passed, d)
	}
	if got, passed := run(list[:1]); !passed {
		t.Errorf("did not pass:\n%s", got)
	}
}
