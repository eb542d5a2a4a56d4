// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmtcsuite runs the Linux kernel's traffic control tests against package tc, in a virtual machine. It is a
// tool for developers and is not part of what is installed on a router.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"sqmd/lab"
	"sqmd/lab/kernels"
	"sqmd/lab/tcsuite"
	"sqmd/lab/tcsuite/front"
)

const usage = `usage:
  sqmtcsuite run [CASE...]         run the tests in a guest
  sqmtcsuite guest DIR [CASE...]   run the tests of a directory here, in a guest
  sqmtcsuite tc WORD...            carry out one line as tc(8) would
`

// suiteTimeout bounds the guest; the whole suite takes about a minute.
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
	case len(args) > 0 && args[0] == "run":
		return runHost(ctx, args[1:])
	case len(args) > 1 && args[0] == "guest":
		return runGuest(args[1], args[2:])
	case len(args) > 1 && args[0] == "tc":
		return front.Run(args[1:], os.Stderr), nil
	}
	fmt.Fprint(os.Stderr, usage)
	return exitUsage, nil
}

// runHost boots a guest in which this program runs the tests of the guest's own kernel.
func runHost(ctx context.Context, cases []string) (exitCode int, err error) {
	system, err := kernels.Find(kernels.UML)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find own executable: %w", err)
	}
	result, err := lab.Run(ctx, lab.Guest{
		Command: append([]string{self, "guest", filepath.Join(system, "tc-tests")}, cases...),
		Timeout: suiteTimeout,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
	})
	return result.ExitCode, err
}

// runGuest runs the tests of a directory here.
func runGuest(directory string, names []string) (exitCode int, err error) {
	cases, err := tcsuite.Load(directory, names)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("find own executable: %w", err)
	}
	runner := tcsuite.Runner{Front: []string{self, "tc"}}
	if !tcsuite.RunAll(cases, runner.Run, os.Stdout).Good() {
		return exitFailed, nil
	}
	return 0, nil
}
