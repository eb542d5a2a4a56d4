// SPDX-License-Identifier: GPL-2.0-or-later

// Package testbinary compiles packages' tests on the host, for guests that have no Go.
package testbinary

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Test is one package's test binary.
type Test struct {
	Package string   `json:"package"`
	Dir     string   `json:"dir"`    // of the package, where the tests expect to run
	Binary  string   `json:"binary"` // a path
	Args    []string `json:"args"`
}

// Builder says how binaries are made. They are always static.
type Builder struct {
	// Env adds NAME=VALUE settings such as GOARCH.
	Env []string
	// Tags are build tags, parted by commas.
	Tags string
	// Flags are further ones of go test.
	Flags []string
}

// Build compiles the tests of the packages that have any into dir, and says which it is at. It is an error if none has.
func (b Builder) Build(ctx context.Context, dir string, packages []string) ([]Test, error) {
	const format = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	list, err := b.Go(ctx, append([]string{"list", "-tags", b.Tags, "-f", format}, packages...)...)
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var tests []Test
	for _, line := range strings.Split(list, "\n") {
		importPath, packageDir, found := strings.Cut(line, "\t")
		if !found {
			continue
		}
		t := Test{Package: importPath, Dir: packageDir, Binary: filepath.Join(dir, strings.ReplaceAll(importPath, "/", "_")+".test")}
		fmt.Fprintf(os.Stderr, "building tests of %s\n", importPath)
		arguments := append([]string{"test", "-c", "-tags", b.Tags, "-o", t.Binary}, b.Flags...)
		if _, err := b.Go(ctx, append(arguments, importPath)...); err != nil {
			return nil, fmt.Errorf("build tests of %s: %w", importPath, err)
		}
		tests = append(tests, t)
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(packages, " "))
	}
	return tests, nil
}

// Go runs the go tool with the builder's settings and its complaints on standard error. The output comes without white
// space around it.
func (b Builder) Go(ctx context.Context, args ...string) (output string, err error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), b.Env...)
	command.Stderr = os.Stderr
	var stdout bytes.Buffer
	command.Stdout = &stdout
	err = command.Run()
	return strings.TrimSpace(stdout.String()), err
}
