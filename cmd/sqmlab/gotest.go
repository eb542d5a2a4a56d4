// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sqmd/lab"
	"sqmd/lab/command"
	"sqmd/lab/testbinary"
)

// testsInside is the hidden command that runs the tests when in the guest.
const testsInside = "tests-inside"

func goTestCommand(ctx context.Context, args []string) error {
	g := lab.Guest{Stdout: os.Stdout, Stderr: os.Stderr}
	flags := guestFlags("go-test", &g)
	tags := flags.String("tags", "lab", "build tags")
	pattern := flags.String("run", "", "run only the tests that match this pattern")
	verbose := flags.Bool("v", false, "print each test")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "sqmlab go-test: no package")
		return command.ErrUsage
	}
	build, err := os.MkdirTemp("", "sqmlab-tests-")
	if err != nil {
		return fmt.Errorf("make directory for test binaries: %w", err)
	}
	defer os.RemoveAll(build)
	tests, err := testbinary.Builder{Tags: *tags}.Build(ctx, build, flags.Args())
	if err != nil {
		return err
	}
	for i := range tests {
		if *pattern != "" {
			tests[i].Args = append(tests[i].Args, "-test.run="+*pattern)
		}
		if *verbose {
			tests[i].Args = append(tests[i].Args, "-test.v")
		}
	}
	list := filepath.Join(build, "tests.json")
	text, err := json.Marshal(tests)
	if err != nil {
		return fmt.Errorf("encode list of tests: %w", err)
	}
	if err := os.WriteFile(list, text, 0o644); err != nil {
		return fmt.Errorf("write list of tests: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	g.Command = []string{self, testsInside, list}
	if g.OutDir != "" {
		out, err := filepath.Abs(g.OutDir)
		if err != nil {
			return fmt.Errorf("find output directory: %w", err)
		}
		g.Env = append(g.Env, "SQMD_LAB_OUT="+out)
	}
	return run(ctx, g)
}

// testsCommand runs in the guest: every test binary in its package's directory, one after the other.
func testsCommand(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return command.ErrUsage
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read list of tests: %w", err)
	}
	var tests []testbinary.Test
	if err := json.Unmarshal(text, &tests); err != nil {
		return fmt.Errorf("read list of tests: %w", err)
	}
	failed := 0
	for _, t := range tests {
		started := time.Now()
		run := exec.CommandContext(ctx, t.Binary, t.Args...)
		run.Dir = t.Dir
		run.Stdout, run.Stderr = os.Stdout, os.Stderr
		err := run.Run()
		verdict := "ok  "
		if err != nil {
			failed++
			verdict = "FAIL"
			fmt.Printf("%v\n", err)
		}
		fmt.Printf("%s\t%s\t%.2fs\n", verdict, t.Package, time.Since(started).Seconds())
	}
	if failed > 0 {
		return command.Exit(1)
	}
	return nil
}
