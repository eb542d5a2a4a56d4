// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sqmd/lab/malta"
)

// Where the guest finds the tests and the repository, whose testdata they read.
const (
	guestTests  = "/tests"
	guestSource = "/source"
)

// test is one package's test binary.
type test struct {
	Package string
	Dir     string // of the package in the guest
	Binary  string // its name in guestTests
}

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
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "sqmmalta go-test: no package")
		return errUsage
	}
	build, err := os.MkdirTemp("", "sqmmalta-tests-")
	if err != nil {
		return fmt.Errorf("make directory for test binaries: %w", err)
	}
	defer os.RemoveAll(build)
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	tests, err := buildTests(ctx, g.Endian, root, build, *tags, flags.Args())
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
	return outcome(malta.Run(ctx, g))
}

// script runs the tests one after the other, each in its package's directory.
func script(settings []string, tests []test, options []string) string {
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
		fmt.Fprintf(&s, "if %s %s; then verdict='ok  '; else verdict=FAIL; failed=1; fi\n", quote(guestTests+"/"+t.Binary), strings.Join(options, " "))
		fmt.Fprintf(&s, "printf '%%s\\t%%s\\t%%ds\\n' \"$verdict\" %s $(($(date +%%s) - start))\n", quote(t.Package))
	}
	s.WriteString("exit $failed\n")
	return s.String()
}

// quote makes one word of a shell's of any text.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// buildTests compiles the tests of the packages that have any into dir.
func buildTests(ctx context.Context, e malta.Endian, root, dir, tags string, packages []string) ([]test, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	output, err := goCommand(ctx, e, append([]string{"list", "-tags", tags, "-f", format}, packages...)...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var tests []test
	for _, line := range strings.Split(output, "\n") {
		importPath, packageDir, found := strings.Cut(line, "\t")
		if !found {
			continue
		}
		relative, err := filepath.Rel(root, packageDir)
		if err != nil {
			return nil, err
		}
		t := test{Package: importPath, Dir: guestSource + "/" + relative, Binary: strings.ReplaceAll(importPath, "/", "_") + ".test"}
		fmt.Fprintf(os.Stderr, "building tests of %s\n", importPath)
		if _, err := goCommand(ctx, e, "test", "-c", "-tags", tags, "-ldflags", "-s -w", "-o", filepath.Join(dir, t.Binary), importPath); err != nil {
			return nil, fmt.Errorf("build tests of %s: %w", importPath, err)
		}
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(packages, " "))
	}
	return tests, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	file, err := goCommand(ctx, malta.Little, "env", "GOMOD")
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	return filepath.Dir(file), nil
}

// goCommand runs the go tool for guests of a byte order, with its complaints on standard error.
func goCommand(ctx context.Context, e malta.Endian, args ...string) (output string, err error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+e.GoArch(), "GOMIPS=softfloat")
	command.Stderr = os.Stderr
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err = command.Run()
	return strings.TrimSpace(stdout.String()), err
}
