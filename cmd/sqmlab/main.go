// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmlab runs commands, tests and a demonstration in virtual machines that hold a whole network. It is a tool
// for developers and is not part of what is installed on a router.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"sqmd/lab"
)

const usage = `usage:
  sqmlab run [--mem M] [--timeout D] [--out DIR] -- COMMAND...   run a command as root in a guest
  sqmlab shell [--mem M] [--out DIR]                             a root shell in a guest
  sqmlab go-test [flags] PACKAGE...                              run packages' tests, tag lab included, in a guest
  sqmlab demo --sqmd FILE --config FILE --svg FILE               show what sqmd does for a cable line
COMMAND --help lists the flags of a command.
`

// Exit codes of sqmlab itself; a guest's command may end with any other.
const (
	exitUsage = 2
	exitLab   = 125
)

// errUsage marks wrong usage that has been reported.
var errUsage = errors.New("wrong usage")

// exitCode is the error of a command whose own exit code is to be passed on in silence.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	if lab.IsInit() {
		lab.Init()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := command(ctx, os.Args[1:])
	stop()
	os.Exit(status(err))
}

func command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errUsage
	}
	commands := map[string]func(context.Context, []string) error{
		"run":       runCommand,
		"shell":     shellCommand,
		"go-test":   goTestCommand,
		testsInside: testsCommand,
		"demo":      demoCommand,
		demoInside:  demoInsideCommand,
	}
	if run, ok := commands[args[0]]; ok {
		return run(ctx, args[1:])
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		fmt.Print(usage)
		return nil
	}
	fmt.Fprintf(os.Stderr, "sqmlab: unknown command %q\n%s", args[0], usage)
	return errUsage
}

// status reports err, unless that was done, and turns it into an exit code.
func status(err error) int {
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, errUsage):
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "sqmlab: %v\n", err)
	return exitLab
}
