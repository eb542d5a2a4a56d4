// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/daemon"
	"sqmd/doctor"
)

var runCommand = command{
	name: "run", arguments: "",
	summary: "the daemon, in the foreground: keep all queues shaped as configured",
	details: `Shapes as sqmd apply does, and from then on follows devices as they come, go and
change, mends what other programs undo, and reads the configuration anew when it
changes or on SIGHUP. A configuration that cannot be used leaves the one before in
force. SIGTERM ends it with exit code 0 and leaves everything shaped; sqmd stop
removes it. It logs a line for each change, as the option verbosity says.`,
	run: runDaemon,
}

const (
	// gcPercent trades a little CPU for memory, of which a router has less to spare.
	gcPercent = 20
	// memoryLimit is where collecting garbage becomes urgent.
	memoryLimit = 16 << 20
)

func runDaemon(in *invocation) int {
	if len(in.args) > 0 {
		return in.usage(fmt.Errorf("run takes no argument"))
	}
	if err := doctor.CheckClock(); err != nil {
		return in.fail(fmt.Errorf("%w; use a kernel with CONFIG_COMPAT_32BIT_TIME", err))
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	runtime.GOMAXPROCS(1) // one loop: more would only wake more
	// Nobody may read the log any more; that is no reason to end.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	err := daemon.Run(ctx, hangups(ctx), daemon.Options{
		Version: version(), SQM: in.sqm, SQMD: in.sqmd, Records: in.records,
		Kernel: in.kernel, Links: in.links, Bus: in.bus, Root: in.root,
		Wall: func() int64 { return time.Now().UnixNano() }, Uptime: uptime(), Log: in.stdout,
	})
	if err != nil {
		return in.fail(err)
	}
	return exitOK
}

// hangups passes on SIGHUP; several that come together are one.
func hangups(ctx context.Context) <-chan struct{} {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	reload := make(chan struct{}, 1)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
			case <-ctx.Done():
				return
			}
			select {
			case reload <- struct{}{}:
			default:
			}
		}
	}()
	return reload
}

// uptime is for how many seconds the machine has run.
func uptime() int64 {
	var since unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &since); err != nil {
		return 0
	}
	return since.Nano() / int64(time.Second)
}
