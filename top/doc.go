// SPDX-License-Identifier: GPL-2.0-or-later

// Package top shows the daemon's report live: a table in a terminal, lines
// elsewhere.
//
// What is drawn is a pure function of the last two reports and of the size; the
// terminal and the clock are at the rim.
package top

import (
	"context"
	"os"
	"time"

	"sqmd/daemon"
)

// Options are what Run works with.
type Options struct {
	// In and Out are asked whether they are a terminal. Keys are read from In only
	// if both are.
	In, Out *os.File
	// Fetch gets the next report. It is not called twice at once, and its context
	// ends after ten seconds.
	Fetch func(ctx context.Context) (daemon.Report, error)
	// Interval is the time from one report to the next; 0 is one second.
	Interval time.Duration
	// Count is the number of rounds where there is no terminal; 0 is no end.
	Count int
}

// fetchTime is how long a report may be waited for before that is an error.
const fetchTime = 10 * time.Second

// Run shows reports until ctx ends, a key or a signal quits the table, or Count
// rounds were printed; all of these are no error. A report that cannot be had is
// shown as such and asked for again, but for the first one where there is no
// terminal: its error is returned. The terminal is left as it was found.
func Run(ctx context.Context, o Options) error {
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	if isTerminal(o.In) && isTerminal(o.Out) {
		return runTable(ctx, o)
	}
	return runLines(ctx, o)
}

// fetch asks once.
func (o Options) fetch(ctx context.Context) (daemon.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	return o.Fetch(ctx)
}
