// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"context"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"sqmd/daemon"
)

// runTable keeps a table in the terminal.
func runTable(ctx context.Context, o Options) (err error) {
	ctx, cancel := signal.NotifyContext(ctx, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT)
	defer cancel()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, unix.SIGWINCH)
	defer signal.Stop(resized)

	t, err := takeTerminal(o.In, o.Out)
	if err != nil {
		return err
	}
	defer func() {
		if failed := t.restore(); err == nil {
			err = failed
		}
	}()
	quit, stop, err := quitKey(o.In)
	if err != nil {
		return err
	}
	defer stop()
	return show(ctx, o, t, quit, resized)
}

// fetched is what came of asking for a report.
type fetched struct {
	report daemon.Report
	err    error
	at     time.Time
}

// show draws what is fetched, until quit or the end of ctx. A fetch that takes
// long stops neither of these.
func show(ctx context.Context, o Options, t *terminal, quit <-chan struct{}, resized <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan fetched, 1) // a late answer waits for nobody
	ask := func() {
		report, err := o.fetch(ctx)
		answers <- fetched{report, err, time.Now()}
	}
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	var p picture
	asking := true
	go ask()
	if err := t.draw(&p); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-quit:
			return nil
		case <-tick.C:
			if !asking {
				asking = true
				go ask()
			}
			continue
		case a := <-answers:
			asking = false
			p.add(a.report, a.err, a.at)
		case <-resized:
		}
		if err := t.draw(&p); err != nil {
			return err
		}
	}
}
