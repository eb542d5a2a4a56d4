// SPDX-License-Identifier: GPL-2.0-or-later

// Package command is what the programs that start guests have in common: wrong usage, and the exit code of a guest's
// command, which becomes their own.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes of the program itself; a guest's command may end with any other.
const (
	StatusUsage = 2
	StatusLab   = 125
)

// ErrUsage marks wrong usage that has been reported.
var ErrUsage = errors.New("wrong usage")

// Exit is the error of a command whose own exit code is to be passed on in silence.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Outcome is the error that stands for the end of a guest: err, or the exit code of its command if that is not 0.
func Outcome(exitCode int, err error) error {
	if err == nil && exitCode != 0 {
		return Exit(exitCode)
	}
	return err
}

// Main runs the program and ends the process. The context ends with the first SIGINT, SIGTERM or SIGHUP.
func Main(name string, run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:])
	stop()
	os.Exit(Status(name, err))
}

// Status reports err under the program's name, unless that was done, and turns it into an exit code.
func Status(name string, err error) int {
	var code Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, ErrUsage):
		return StatusUsage
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	return StatusLab
}

// Verb is one thing that a program does.
type Verb func(ctx context.Context, args []string) error

// Dispatch runs the verb that the first argument names, with the others. Where there is none it prints the usage, as it
// does when asked for help.
func Dispatch(ctx context.Context, name, usage string, verbs map[string]Verb, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return ErrUsage
	}
	if run, ok := verbs[args[0]]; ok {
		return run(ctx, args[1:])
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Print(usage)
		return nil
	}
	fmt.Fprintf(os.Stderr, "%s: unknown command %q\n%s", name, args[0], usage)
	return ErrUsage
}

// Parse parses args and reports wrong usage itself. Asked for help it ends the command with exit code 0.
func Parse(flags *flag.FlagSet, args []string) error {
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return Exit(0)
	case err != nil:
		return ErrUsage
	}
	return nil
}
