// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sqmd/lab/command"
	"sqmd/lab/malta"
	"sqmd/lab/testbinary"
)

// Where the guest finds the tests and the repository, whose testdata they read.
const (
	guestTests  = "/tests"
	guestSource = "/source"
)

func goTestCommand(ctx context.Context, args []string) error {
	g := malta.Guest{Stdout: os.Stdout, Stderr: os.Stderr}
	flags := guestFlags("go-test", &g)
	tags := flags.String("tags", "lab", "build tags")
	pattern := flags.String("run", "", "run only the tests that match this pattern")
	skip := flags.String("skip", "", "do not run the tests that match this pattern")
	verbose := flags.Bool("v", false, "print each test")
	short := flags.Bool("short", false, "tell long tests to be short")
	var settings []string
	flags.Func("env", "NAME=VALUE: set an environment variable of the tests", func(value string) error {
		name, value, found := strings.Cut(value, "=")
		if !found || name == "" {
			return errors.New("want NAME=VALUE")
		}
		settings = append(settings, "export "+name+"="+quote(value))
		return nil
	})
	limit := flags.Duration("test-timeout", 5*time.Minute, "longest time the tests of one package may take")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "sqmmalta go-test: no package")
		return command.ErrUsage
	}
	build, err := os.MkdirTemp("", "sqmmalta-tests-")
	if err != nil {
		return fmt.Errorf("make directory for test binaries: %w", err)
	}
	defer os.RemoveAll(build)
	root, tests, err := buildTests(ctx, g.Endian, build, *tags, flags.Args())
	if err != nil {
		return err
	}
	options := []string{"-test.timeout=" + limit.String()}
	for flag, value := range map[string]string{"-test.run=": *pattern, "-test.skip=": *skip} {
		if value != "" {
			options = append(options, flag+value)
		}
	}
	if *verbose {
		options = append(options, "-test.v")
	}
	if *short {
		options = append(options, "-test.short")
	}
	g.Shares = map[string]string{guestTests: build, guestSource: root}
	g.Files = []malta.File{{Path: "/lab/tests.sh", Content: script(settings, tests, options)}}
	g.Command = []string{"/bin/sh", "/lab/tests.sh"}
	result, err := malta.Run(ctx, g)
	return command.Outcome(result.ExitCode, err)
}

// script runs the tests one after the other, each in its package's directory.
func script(settings []string, tests []testbinary.Test, options []string) string {
	var s strings.Builder
	for _, setting := range settings {
		fmt.Fprintln(&s, setting)
	}
	s.WriteString("failed=0\n")
	for i := range options {
		options[i] = quote(options[i])
	}
	for _, t := range tests {
		fmt.Fprintf(&s, "cd %s; start=$(date +%%s)\n", quote(t.Dir))
		fmt.Fprintf(&s, "if %s %s; then verdict='ok  '; else verdict=FAIL; failed=1; fi\n", quote(t.Binary), strings.Join(options, " "))
		fmt.Fprintf(&s, "printf '%%s\\t%%s\\t%%ds\\n' \"$verdict\" %s $(($(date +%%s) - start))\n", quote(t.Package))
	}
	s.WriteString("exit $failed\n")
	return s.String()
}

// quote makes one word of a shell's of any text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// buildTests compiles the tests of the packages that have any into dir, and says where the guest finds them.
func buildTests(ctx context.Context, e malta.Endian, dir, tags string, packages []string) (root string, tests []testbinary.Test, err error) {
	b := testbinary.Builder{
		Env:   []string{"GOOS=linux", "GOARCH=" + e.GoArch(), "GOMIPS=softfloat"},
		Tags:  tags,
		Flags: []string{"-ldflags", "-s -w"},
	}
	module, err := b.Go(ctx, "env", "GOMOD")
	if err != nil {
		return "", nil, fmt.Errorf("find the repository: %w", err)
	}
	root = filepath.Dir(module)
	if tests, err = b.Build(ctx, dir, packages); err != nil {
		return "", nil, err
	}
	for i, t := range tests {
		relative, err := filepath.Rel(root, t.Dir)
		if err != nil {
			return "", nil, err
		}
		tests[i].Dir, tests[i].Binary = guestSource+"/"+relative, guestTests+"/"+filepath.Base(t.Binary)
	}
	return root, tests, nil
}
