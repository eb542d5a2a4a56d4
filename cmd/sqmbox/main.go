// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmbox is the programs of OpenWrt that a package meets and that a test machine lacks, in one: procd, ubus,
// uci, opkg, apk and smaller ones. It is called by their names, through links, or as sqmbox NAME. The stand-ins do what
// the package's files use, the way the real ones do it. It is a tool for tests and is never installed on a router.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// box is what a program works with.
type box struct {
	in       io.Reader
	out, err io.Writer
}

// exitCode is an error that ends a program with that code and says nothing.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

var errUsage = errors.New("wrong usage")

func programs() map[string]func(box, []string) error {
	return map[string]func(box, []string) error{
		"apk":           apkProgram,
		"config-vars":   configVars,
		"flock":         flockProgram,
		"ifdown":        ifdown,
		"ifup":          ifup,
		"lock":          lockProgram,
		"opkg":          opkgProgram,
		"procd":         procdProgram,
		"procd-ask":     procdAsk,
		"reload_config": reloadConfig,
		"tc":            tcProgram,
		"ubus":          ubusProgram,
		"uci":           uciProgram,
	}
}

func main() {
	os.Exit(run(box{os.Stdin, os.Stdout, os.Stderr}, os.Args))
}

func run(b box, args []string) int {
	all := programs()
	name := filepath.Base(args[0])
	if all[name] == nil && len(args) > 1 {
		args = args[1:]
		name = args[0]
	}
	program := all[name]
	if program == nil {
		fmt.Fprintf(b.err, "usage: sqmbox %s\n", strings.Join(slices.Sorted(maps.Keys(all)), "|"))
		return 2
	}
	err := program(b, args[1:])
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(b.err, "%s: %v\n", name, err)
	if errors.Is(err, errUsage) {
		return 2
	}
	return 1
}
