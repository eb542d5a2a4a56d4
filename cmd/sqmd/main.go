// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmd is a traffic shaper for OpenWrt: it turns /etc/config/sqm into
// qdiscs and keeps them so. See `sqmd help`.
package main

import (
	"fmt"
	"io"
	"os"

	"sqmd/shaping"
	"sqmd/watch"
)

// Exit codes, see `sqmd help`.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 3
)

func main() {
	os.Exit(run(os.Args[1:], system()))
}

// environment is what the command touches of the world around it.
type environment struct {
	stdout, stderr io.Writer
	// kernel connects to the kernel; the returned function disconnects.
	kernel func() (shaping.Kernel, func(), error)
	// resolve looks up logical network names; nil without a bus.
	resolve shaping.Resolve
	// records is the state directory.
	records shaping.Records
	// links subscribes to the kernel's notifications, for the daemon.
	links func() (watch.Source, error)
	// sqm and sqmd are the configuration files when none are named.
	sqm, sqmd string
	// bus is the path of ubusd's socket, "" for the usual ones; root is where the
	// files of the system begin.
	bus, root string
}

// command is one verb.
type command struct {
	name, arguments, summary string
	details                  string
	run                      func(*invocation) int
}

// commands are the verbs in the order of the help. It is a function because help
// is one of them.
func commands() []command {
	return []command{runCommand, applyCommand, stopCommand, checkCommand, planCommand, statusCommand, topCommand, doctorCommand, helpCommand()}
}

// run finds the verb and runs it.
func run(args []string, env environment) int {
	in, err := parse(args, env)
	if err != nil {
		fmt.Fprintf(env.stderr, "sqmd: %v; see sqmd help\n", err)
		return exitUsage
	}
	switch {
	case in.version:
		fmt.Fprintf(env.stdout, "sqmd %s\n", version())
		return exitOK
	case in.help || in.verb == "":
		return help(in)
	}
	for _, c := range commands() {
		if c.name == in.verb {
			return c.run(in)
		}
	}
	fmt.Fprintf(env.stderr, "sqmd: unknown command %q; see sqmd help\n", in.verb)
	return exitUsage
}
