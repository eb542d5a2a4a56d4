// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmmalta runs commands and tests in virtual machines with the processor core of common routers, MIPS 74Kc. It is
// a tool for developers and is not part of what is installed on a router.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"sqmd/lab/malta"
)

const usage = `usage:
  sqmmalta run [flags] -- COMMAND...      run a command as root in a guest
  sqmmalta go-test [flags] PACKAGE...     run packages' tests, tag lab included, in a guest
  sqmmalta footprint [flags]              measure what sqmd takes of a router
COMMAND --help lists the flags of a command.
`

// Exit codes of sqmmalta itself; a guest's command may end with any other.
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
	switch args[0] {
	case "run":
		return runCommand(ctx, args[1:])
	case "go-test":
		return goTestCommand(ctx, args[1:])
	case "footprint":
		return footprintCommand(ctx, args[1:])
	case footprintInside:
		return footprintInsideCommand(args[1:])
	case "help", "--help", "-h":
		fmt.Print(usage)
		return nil
	}
	fmt.Fprintf(os.Stderr, "sqmmalta: unknown command %q\n%s", args[0], usage)
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
	fmt.Fprintf(os.Stderr, "sqmmalta: %v\n", err)
	return exitLab
}

// parse parses args and reports wrong usage itself.
func parse(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitCode(0)
	}
	if err != nil {
		return errUsage
	}
	return nil
}

// guestFlags returns flags that set what all commands let one choose about their guest.
func guestFlags(name string, g *malta.Guest) *flag.FlagSet {
	flags := flag.NewFlagSet("sqmmalta "+name, flag.ContinueOnError)
	g.Endian = malta.Big
	flags.BoolFunc("le", "a little-endian guest", func(string) error {
		g.Endian = malta.Little
		return nil
	})
	flags.BoolFunc("be", "a big-endian guest (default)", func(string) error {
		g.Endian = malta.Big
		return nil
	})
	flags.DurationVar(&g.Timeout, "timeout", 0, "longest time the guest may take (default 10m)")
	flags.IntVar(&g.InstructionNs, "instruction", 8, "nanoseconds that an instruction takes, a power of two")
	flags.StringVar(&g.OutDir, "out", "", "directory that the guest may write to, as "+malta.Out)
	return flags
}

func runCommand(ctx context.Context, args []string) error {
	g := malta.Guest{Stdout: os.Stdout, Stderr: os.Stderr, Shares: make(map[string]string)}
	flags := guestFlags("run", &g)
	flags.Func("file", "GUEST=HOST: put a file of the host into the guest", func(value string) error {
		at, from, err := pair(value)
		g.Files = append(g.Files, malta.File{Path: at, Source: from})
		return err
	})
	flags.Func("share", "GUEST=HOST: let the guest read a directory of the host", func(value string) error {
		at, from, err := pair(value)
		g.Shares[at] = from
		return err
	})
	console := flags.Bool("console", false, "print how long the boot took and what the kernel said")
	if err := parse(flags, args); err != nil {
		return err
	}
	g.Command = flags.Args()
	if len(g.Command) == 0 {
		fmt.Fprintln(os.Stderr, "sqmmalta run: no command; put it after --")
		return errUsage
	}
	result, err := malta.Run(ctx, g)
	if *console {
		fmt.Fprintf(os.Stderr, "%sbooted in %.1f s, ended after %.1f s\n", result.Console, result.Boot.Seconds(), result.Elapsed.Seconds())
	}
	return outcome(result, err)
}

// outcome passes on the exit code of a guest's command.
func outcome(result malta.Result, err error) error {
	if err == nil && result.ExitCode != 0 {
		return exitCode(result.ExitCode)
	}
	return err
}
