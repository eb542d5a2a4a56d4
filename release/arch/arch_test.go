// SPDX-License-Identifier: GPL-2.0-or-later

package arch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct{ name, target string }{
		{"mips_24kc", "mips"},
		{"mipsel_24kc", "mipsle"},
		{"arm_cortex-a7", "arm5"},
		{"arm_cortex-a7_neon-vfpv4", "arm7"},
		{"arm_arm1176jzf-s_vfp", "arm6"},
		{"aarch64_cortex-a53", "arm64"},
		{"x86_64", "amd64"},
		{"i386_pentium-mmx", "386"},
	} {
		a, ok := Lookup(c.name)
		if !ok || a.Name != c.name || a.Target.Name != c.target {
			t.Errorf("Lookup(%q) = %v, %v; want target %s", c.name, a, ok, c.target)
		}
	}
	for _, name := range []string{"", "mips", "powerpc_464fp", "all"} {
		if a, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v; want none", name, a)
		}
	}
}

// The rule of OpenWrt's golang-values.mk for arm: what follows the last "_" of a core's name is its floating point unit.
func TestArmLevels(t *testing.T) {
	for _, a := range All() {
		core, ok := strings.CutPrefix(a.Name, "arm_")
		if !ok {
			continue
		}
		_, unit, _ := strings.Cut(core, "_")
		want := "GOARM=7"
		switch unit {
		case "":
			want = "GOARM=5"
		case "vfp", "vfpv2":
			want = "GOARM=6"
		}
		if a.Target.Level != want {
			t.Errorf("%s: %s; want %s", a.Name, a.Target.Level, want)
		}
	}
}

func TestTables(t *testing.T) {
	var names, used, targets []string
	for _, a := range All() {
		names = append(names, a.Name)
		used = append(used, a.Target.Name)
	}
	for _, target := range Targets() {
		targets = append(targets, target.Name)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("architectures are not in order, or twice: %v", names)
	}
	slices.Sort(used)
	slices.Sort(targets)
	if diff := cmp.Diff(targets, slices.Compact(used)); diff != "" {
		t.Errorf("targets without an architecture, or architectures without a target (-targets +used):\n%s", diff)
	}
}

func TestSettings(t *testing.T) {
	for _, target := range Targets() {
		for _, s := range target.Settings() {
			if key, value, ok := strings.Cut(s, "="); !ok || key == "" || value == "" {
				t.Errorf("%s: setting %q", target.Name, s)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	build := func(target Target) []byte {
		dir := t.TempDir()
		source := filepath.Join(dir, "main.go")
		if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "program")
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", out, source)
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="), target.Settings()...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building for %s: %v\n%s", target.Name, err, text)
		}
		program, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return program
	}

	program := build(arm5)
	for _, target := range Targets() {
		err := target.Check(bytes.NewReader(program))
		if target == arm5 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "target "+target.Name+": the program ") {
			t.Errorf("a program for arm5 as one for %s: %v", target.Name, err)
		}
	}
	if err := arm5.Check(bytes.NewReader(program[:100])); err == nil {
		t.Error("a program cut short passed")
	}
	script := []byte("#!/bin/sh\n")
	if err := arm5.Check(bytes.NewReader(script)); err == nil {
		t.Error("a script passed")
	}
}
