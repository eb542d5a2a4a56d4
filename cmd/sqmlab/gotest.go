// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sqmd/lab"
)

// testsInside is the hidden command that runs the tests when in the guest.
const testsInside = "tests-inside"

// test is one package's test binary.
type test struct {
	Package string   `json:"package"`
	Dir     string   `json:"dir"`
	Binary  string   `json:"binary"`
	Args    []string `json:"args"`
}

func goTestCommand(ctx context.Context, args []string) error {
	g := lab.Guest{Stdout: os.Stdout, Stderr: os.Stderr}
	flags := guestFlags("go-test", &g)
	tags := flags.String("tags", "lab", "build tags")
	pattern := flags.String("run", "", "run only the tests that match this pattern")
	verbose := flags.Bool("v", false, "print each test")
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "sqmlab go-test: no package")
		return errUsage
	}
	build, err := os.MkdirTemp("", "sqmlab-tests-")
	if err != nil {
		return fmt.Errorf("make directory for test binaries: %w", err)
	}
	defer os.RemoveAll(build)
	tests, err := buildTests(ctx, build, *tags, flags.Args())
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

// buildTests compiles the tests of the packages that have any into dir.
func buildTests(ctx context.Context, dir, tags string, packages []string) ([]test, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	list := goCommand(ctx, append([]string{"list", "-tags", tags, "-f", format}, packages...)...)
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var tests []test
	for _, line := range strings.Split(strings.TrimSpace(string(output)), "\n") {
		importPath, packageDir, found := strings.Cut(line, "\t")
		if !found {
			continue
		}
		t := test{Package: importPath, Dir: packageDir}
		t.Binary = filepath.Join(dir, strings.ReplaceAll(importPath, "/", "_")+".test")
		fmt.Fprintf(os.Stderr, "building tests of %s\n", importPath)
		if err := goCommand(ctx, "test", "-c", "-tags", tags, "-o", t.Binary, importPath).Run(); err != nil {
			return nil, fmt.Errorf("build tests of %s: %w", importPath, err)
		}
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(packages, " "))
	}
	return tests, nil
}

// goCommand runs the go tool for static binaries, with its complaints on standard error.
func goCommand(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	return command
}

// testsCommand runs in the guest: every test binary in its package's directory, one after the other.
func testsCommand(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read list of tests: %w", err)
	}
	var tests []test
	if err := json.Unmarshal(text, &tests); err != nil {
		return fmt.Errorf("read list of tests: %w", err)
	}
	failed := 0
	for _, t := range tests {
		started := time.Now()
		command := exec.CommandContext(ctx, t.Binary, t.Args...)
		command.Dir = t.Dir
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		err := command.Run()
		verdict := "ok  "
		if err != nil {
			failed++
			verdict = "FAIL"
			fmt.Printf("%v\n", err)
		}
		fmt.Printf("%s\t%s\t%.2fs\n", verdict, t.Package, time.Since(started).Seconds())
	}
	if failed > 0 {
		return exitCode(1)
	}
	return nil
}
