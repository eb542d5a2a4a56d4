// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"sqmd/lab/openwrt/installer"
)

// exitRefused is opkg's exit code when it cannot do what it is asked.
const exitRefused = 255

// manager is a package manager.
type manager interface {
	Install(io.Reader) error
	Remove(name string) error
	Installed() (string, error)
}

// opkgProgram is opkg [-o ROOT] install FILE... | remove NAME... | list-installed | status [NAME].
func opkgProgram(b box, args []string) error {
	flags := flag.NewFlagSet("opkg", flag.ContinueOnError)
	flags.SetOutput(b.err)
	root := flags.String("o", "", "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	verbs := map[string]string{"install": "install", "remove": "remove", "list-installed": "list", "status": "list"}
	opkg := installer.Opkg{System: installer.System{Root: *root, Out: b.out}}
	if err := manage(b, opkg, verbs[flags.Arg(0)], flags.Args()[1:]); err != nil {
		fmt.Fprintf(b.err, "Collected errors:\n * %v\n", err)
		return exitCode(exitRefused)
	}
	return nil
}

// apkProgram is apk [--root ROOT] add [--allow-untrusted] FILE... | del NAME... | list -I.
func apkProgram(b box, args []string) error {
	flags := flag.NewFlagSet("apk", flag.ContinueOnError)
	flags.SetOutput(b.err)
	root := flags.String("root", "", "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	verbs := map[string]string{"add": "install", "del": "remove", "list": "list", "info": "list"}
	words := flag.NewFlagSet("apk "+flags.Arg(0), flag.ContinueOnError)
	words.SetOutput(b.err)
	words.Bool("allow-untrusted", false, "")
	words.Bool("I", false, "")
	if words.Parse(flags.Args()[1:]) != nil {
		return errUsage
	}
	apk := installer.Apk{System: installer.System{Root: *root, Out: b.out}}
	if err := manage(b, apk, verbs[flags.Arg(0)], words.Args()); err != nil {
		fmt.Fprintf(b.err, "ERROR: %v\n", err)
		return exitCode(1)
	}
	return nil
}

func manage(b box, m manager, verb string, args []string) error {
	switch verb {
	case "list":
		text, err := m.Installed()
		fmt.Fprint(b.out, text)
		return err
	case "remove":
		for _, name := range args {
			if err := m.Remove(name); err != nil {
				return err
			}
		}
		return nil
	case "install":
		for _, name := range args {
			if err := install(m, name); err != nil {
				return err
			}
		}
		return nil
	}
	return errUsage
}

func install(m manager, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return m.Install(file)
}
