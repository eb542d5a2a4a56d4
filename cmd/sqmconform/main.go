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
	"slices"
	"syscall"

	"sqmd/lab"
	"sqmd/lab/conformance"
)

const usage = `usage: sqmconform [--sqmd FILE] [--guest NAME[,NAME...]] [--programs DIR] DIR [CASE... | selection]
Runs the cases in DIR (all of them, the named ones, or those selected for slow guests) and prints one line for each. Exit
status 0: all passed.
Guests are uml, malta-le and malta-be (MIPS of either byte order, whose programs are in DIR/mipsle and DIR/mips). With
several, what is observed in the others has to be what is observed in the first.
`

// selected stands for the names of the cases that are selected for slow guests.
const selected = "selection"

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
	var p programs
	flags.StringVar(&p.sqmd, "sqmd", "out/sqmd", "the program to test, for this machine's processor")
	flags.StringVar(&p.dir, "programs", "out", "directory with programs for other processors")
	guests := flags.String("guest", "uml", "guests to run the cases in")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case flags.NArg() == 0:
		fmt.Fprint(os.Stderr, usage)
		return exitUsage
	}
	machines, err := p.machines(*guests)
	if err != nil {
		fmt.Fprintf(os.Stderr, "sqmconform: %v\n", err)
		return exitUsage
	}
	names := flags.Args()[1:]
	if slices.Equal(names, []string{selected}) {
		names = conformance.Selection()
	}
	t, err := runCases(ctx, machines, flags.Arg(0), names)
	if err != nil {
		return report(err)
	}
	fmt.Printf("conformance: %d passed, %d failed\n", t.passed, t.failed)
	if t.failed > 0 || t.passed == 0 {
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
