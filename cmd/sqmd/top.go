// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"sqmd/daemon"
	"sqmd/top"
)

var topCommand = command{
	name: "top", arguments: "",
	summary: "the same, live, in a terminal",
	details: `Shows every queue with its throughput, delays and drops, anew each second; q ends
it. When the output is no terminal it prints a line for each direction instead.
While no daemon runs the kernel is asked directly.`,
	run: runTop,
}

func runTop(in *invocation) int {
	if len(in.args) > 0 {
		return in.usage(fmt.Errorf("top takes no argument"))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	quiet := *in
	quiet.stderr = io.Discard // findings are in the table
	err := top.Run(ctx, top.Options{In: os.Stdin, Out: os.Stdout, Interval: time.Second,
		Fetch: func(context.Context) (daemon.Report, error) { return quiet.status("") }})
	if err != nil {
		return in.fail(err)
	}
	return exitOK
}
