// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmconform holds sqmd against recorded behaviour of sqm-scripts, in a lab guest. It is a tool for developers
// and is not part of what is installed on a router.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"sqmd/lab"
)

const usage = `usage: sqmconform [--sqmd FILE] DIR [CASE...]
Runs the cases in DIR (all of them, or the named ones) and prints one line for each. Exit status 0: all passed.
`

// exitUsage is the status after wrong usage.
const exitUsage = 2

func main() {
	if lab.IsInit() {
		lab.Init()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(command(ctx, os.Args[1:]))
}

// command runs one of the three parts of this program: on the host, in the guest, and in the guest for a single case.
func command(ctx context.Context, args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case insideGuest:
			return report(runInGuest(ctx, args[1:]))
		case singleCase:
			return report(observeCase(ctx, args[1:]))
		}
	}
	flags := flag.NewFlagSet("sqmconform", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	sqmd := flags.String("sqmd", "out/sqmd", "the program to test")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case flags.NArg() == 0:
		fmt.Fprint(os.Stderr, usage)
		return exitUsage
	}
	passed, failed, err := runCases(ctx, *sqmd, flags.Arg(0), flags.Args()[1:])
	if err != nil {
		return report(err)
	}
	fmt.Printf("conformance: %d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		return 1
	}
	return 0
}

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(os.Stderr, "sqmconform: %v\n", err)
	return 1
}
