// SPDX-License-Identifier: GPL-2.0-or-later

// Command sqmmalta runs commands and tests in virtual machines with the processor core of common routers, MIPS 74Kc. It is
// a tool for developers and is not part of what is installed on a router.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"sqmd/lab/command"
	"sqmd/lab/malta"
)

const usage = `usage:
  sqmmalta run [flags] -- COMMAND...      run a command as root in a guest
  sqmmalta go-test [flags] PACKAGE...     run packages' tests, tag lab included, in a guest
  sqmmalta footprint [flags]              measure what sqmd takes of a router
COMMAND --help lists the flags of a command.
`

func main() { command.Main(name, runVerb) }

const name = "sqmmalta"

func runVerb(ctx context.Context, args []string) error {
	return command.Dispatch(ctx, name, usage, map[string]command.Verb{
		"run":           runCommand,
		"go-test":       goTestCommand,
		"footprint":     footprintCommand,
		footprintInside: footprintInsideCommand,
	}, args)
}

// guestFlags returns flags that set what all commands let one choose about their guest.
func guestFlags(name string, g *malta.Guest) *flag.FlagSet {
	flags := flag.NewFlagSet("sqmmalta "+name, flag.ContinueOnError)
	g.Endian = malta.Big
	g.Again = func() { fmt.Fprintln(os.Stderr, hung) }
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

// hung is said before a guest is started once more.
const hung = "sqmmalta: QEMU hangs; all of it once more"

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
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	g.Command = flags.Args()
	if len(g.Command) == 0 {
		fmt.Fprintln(os.Stderr, "sqmmalta run: no command; put it after --")
		return command.ErrUsage
	}
	result, err := malta.Run(ctx, g)
	if *console {
		fmt.Fprintf(os.Stderr, "%sbooted in %.1f s, ended after %.1f s\n", result.Console, result.Boot.Seconds(), result.Elapsed.Seconds())
	}
	return command.Outcome(result.ExitCode, err)
}
