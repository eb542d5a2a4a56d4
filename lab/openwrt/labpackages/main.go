// SPDX-License-Identifier: GPL-2.0-or-later

// Command labpackages builds what the scenarios of lab/openwrt try: sqmbox and the package sqmd in two versions, each as
// .ipk and as .apk, with binaries that differ.
//
//	labpackages [-arch ARCH] DIR
//
// It is run in the repository's top folder.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"sqmd/release/apk"
	"sqmd/release/arch"
	"sqmd/release/bundle"
	"sqmd/release/ipk"
	"sqmd/release/recipe"
)

func main() {
	name := flag.String("arch", "x86_64", "package architecture, as OpenWrt calls it")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := build(*name, flag.Arg(0)); err != nil {
		fmt.Fprintf(os.Stderr, "labpackages: %v\n", err)
		os.Exit(1)
	}
}

// versions are those of the packages: by the folder they go to, the last part of their number.
var versions = []struct{ folder, patch string }{{"old", "0"}, {"new", "1"}}

func build(name, dir string) error {
	a, ok := arch.Lookup(name)
	if !ok {
		return fmt.Errorf("no architecture has the name %q", name)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := run(a.Target, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "sqmbox"), "./cmd/sqmbox"); err != nil {
		return err
	}
	r, err := recipe.Read(os.DirFS("."), "package")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.Packages, func(p recipe.Package) bool { return p.Bundle.Name == "sqmd" })
	if i < 0 {
		return fmt.Errorf("the recipe has no package sqmd")
	}
	var before []byte
	for _, v := range versions {
		version := "0.0." + v.patch
		program, err := buildProgram(a.Target, version)
		if err != nil {
			return err
		}
		if bytes.Equal(before, program) {
			return fmt.Errorf("two versions are the same program")
		}
		before = program
		p := complete(r.Packages[i], version+"-r1", name, program)
		if err := write(filepath.Join(dir, v.folder), p); err != nil {
			return err
		}
	}
	return nil
}

// run runs a command for a target.
func run(target arch.Target, args ...string) error {
	command := exec.Command(args[0], args[1:]...)
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), target.Settings()...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

func buildProgram(target arch.Target, version string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "labpackages-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "sqmd")
	if err := run(target, "env", "SQMD_VERSION="+version, "scripts/build", file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// complete adds to the recipe's package what the build knows.
func complete(from recipe.Package, version, name string, program []byte) bundle.Package {
	p := from.Bundle
	p.Version, p.Arch, p.Time = version, name, time.Unix(1e9, 0).UTC()
	p.Files = append(slices.Clone(p.Files), bundle.File{Path: from.Program, Mode: 0o755, Content: program})
	slices.SortFunc(p.Files, func(a, b bundle.File) int { return cmp.Compare(a.Path, b.Path) })
	return p
}

func write(dir string, p bundle.Package) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, format := range map[string]func(io.Writer, bundle.Package) error{
		"sqmd.ipk": ipk.Write,
		"sqmd.apk": func(w io.Writer, p bundle.Package) error { return apk.Write(w, p, nil) },
	} {
		var file bytes.Buffer
		if err := format(&file, p); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), file.Bytes(), fs.FileMode(0o644)); err != nil {
			return err
		}
	}
	return nil
}
