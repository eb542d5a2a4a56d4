// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/lab"
	"sqmd/lab/command"
)

func shellCommand(ctx context.Context, args []string) error {
	g := lab.Guest{Terminal: os.Stdin, Command: []string{"/bin/sh"}, RealTime: true}
	flags := guestFlags("shell", &g)
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if g.Timeout == 0 {
		g.Timeout = 24 * time.Hour
	}
	if _, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS); err != nil {
		return fmt.Errorf("shell needs a terminal as standard input: %w", err)
	}
	if _, err := os.Stat("/bin/bash"); err == nil {
		g.Command = []string{"/bin/bash"}
	}
	g.Env = []string{"TERM=" + os.Getenv("TERM")}
	fmt.Println("booting; leave with exit or ctrl-d")
	return run(ctx, g)
}
