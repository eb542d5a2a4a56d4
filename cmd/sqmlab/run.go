// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"sqmd/lab"
	"sqmd/lab/command"
)

// guestFlags returns flags that set what all commands let one choose about their guest.
func guestFlags(name string, g *lab.Guest) *flag.FlagSet {
	flags := flag.NewFlagSet("sqmlab "+name, flag.ContinueOnError)
	flags.StringVar(&g.Memory, "mem", "512M", "memory of the guest")
	flags.DurationVar(&g.Timeout, "timeout", 0, "longest time the guest may take (default 10m)")
	flags.StringVar(&g.OutDir, "out", "", "directory that the guest may write to")
	flags.BoolVar(&g.RealTime, "real-time", g.RealTime, "let the guest's clocks go with the host's; otherwise they jump to the next event")
	return flags
}

func runCommand(ctx context.Context, args []string) error {
	g := lab.Guest{Stdout: os.Stdout, Stderr: os.Stderr}
	flags := guestFlags("run", &g)
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	g.Command = flags.Args()
	if len(g.Command) == 0 {
		fmt.Fprintln(os.Stderr, "sqmlab run: no command; put it after --")
		return command.ErrUsage
	}
	return run(ctx, g)
}

// run runs a guest and passes on the exit code of its command.
func run(ctx context.Context, g lab.Guest) error {
	result, err := lab.Run(ctx, g)
	return command.Outcome(result.ExitCode, err)
}
