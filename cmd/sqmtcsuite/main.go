// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmtcsuite runs the Linux kernel's traffic control tests against package tc, in a virtual machine. It is a
// tool for developers and is not part of what is installed on a router.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sqmd/lab"
	"sqmd/lab/tcsuite"
	"sqmd/lab/tcsuite/front"
)

const usage = `usage:
  sqmtcsuite run --source ARCHIVE --cache DIR [--module FILE] [CASE...]   unpack the tests and run them in a guest
  sqmtcsuite guest [--module FILE] DIR [CASE...]                          run unpacked tests here, in a guest
  sqmtcsuite tc WORD...                                                   carry out one line as tc(8) would
`

// suiteTimeout bounds the guest; the whole suite takes about two minutes.
const suiteTimeout = 15 * time.Minute

// Exit codes: 1 when cases failed.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	if lab.IsInit() {
		lab.Init()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code, err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "sqmtcsuite: %v\n", err)
		code = exitFailed
	}
	os.Exit(code)
}

func command(ctx context.Context, args []string) (exitCode int, err error) {
	switch {
	case len(args) > 1 && args[0] == "run":
		return runHost(ctx, args[1:])
	case len(args) > 1 && args[0] == "guest":
		return runGuest(args[1:])
	case len(args) > 1 && args[0] == "tc":
		return front.Run(args[1:], os.Stderr), nil
	}
	fmt.Fprint(os.Stderr, usage)
	return exitUsage, nil
}

// newFlags gives the flags of a command with the one that both have: a module that the guest's kernel is to load.
func newFlags(command string) (flags *flag.FlagSet, module *string) {
	flags = flag.NewFlagSet("sqmtcsuite "+command, flag.ContinueOnError)
	return flags, flags.String("module", "", "kernel module to load into the guest")
}

// runHost boots a guest in which this program runs the tests.
func runHost(ctx context.Context, args []string) (exitCode int, err error) {
	flags, module := newFlags("run")
	source := flags.String("source", "", "archive with the kernel's source")
	cache := flags.String("cache", "", "directory to unpack into")
	if err := flags.Parse(args); err != nil {
		return exitUsage, nil
	}
	if *source == "" || *cache == "" {
		return 0, errors.New("run needs --source and --cache")
	}
	tests, err := tcsuite.Unpack(ctx, *source, *cache)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find own executable: %w", err)
	}
	result, err := lab.Run(ctx, lab.Guest{
		Command: append([]string{self, "guest", "--module", *module, tests}, flags.Args()...),
		Timeout: suiteTimeout,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
	})
	return result.ExitCode, err
}

// runGuest runs the tests here.
func runGuest(args []string) (exitCode int, err error) {
	flags, module := newFlags("guest")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return exitUsage, nil
	}
	cases, err := tcsuite.Load(flags.Arg(0), flags.Args()[1:])
	if err != nil {
		return 0, err
	}
	missing, err := tcsuite.Prepare(*module)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find own executable: %w", err)
	}
	runner := tcsuite.Runner{Front: []string{self, "tc"}}
	if !tcsuite.RunAll(cases, missing, runner.Run, os.Stdout).Good() {
		return exitFailed, nil
	}
	return 0, nil
}
