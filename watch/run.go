// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The pause before a dead subscription is opened again: doubled each time until
// one has been heard of.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Run watches until ctx ends, then returns nil. open makes a subscription,
// [Netlink] the real one. emit is called in Run's goroutine and should not take
// long: what it does not take the kernel must keep, and drops when it is too
// much.
//
// Existing links are told first, each as LinkAppeared, then Resynced. The only
// error is that of the very first open; a subscription that dies later is
// replaced for as long as it takes.
func Run(ctx context.Context, open func() (Source, error), emit func(Event)) error {
	w := watcher{open: open, emit: emit, pause: pause}
	return w.run(ctx)
}

type watcher struct {
	open  func() (Source, error)
	emit  func(Event)
	pause func(context.Context, time.Duration)

	table  Table
	synced bool // links were read once, so that from now on something can be lost
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (w *watcher) run(ctx context.Context) error {
	source, err := w.open()
	if err != nil {
		return fmt.Errorf("watch links: %w", err)
	}
	delay := shortestPause
	for {
		if err == nil {
			var heard bool
			if heard, err = w.follow(ctx, source); heard {
				delay = shortestPause
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		w.emit(Event{Kind: Interrupted, Err: err})
		w.pause(ctx, delay)
		if ctx.Err() != nil {
			return nil
		}
		delay = min(2*delay, longestPause)
		source, err = w.open()
	}
}

// follow tells what source says until it dies, and closes it. heard is set when
// it has lived: a notification came through.
func (w *watcher) follow(ctx context.Context, source Source) (heard bool, err error) {
	defer source.Close()
	stop := context.AfterFunc(ctx, func() { source.Close() })
	defer stop()

	if err := w.resync(source); err != nil {
		return false, err
	}
	for ctx.Err() == nil {
		messages, err := source.Receive()
		if errors.Is(err, ErrLost) {
			err = w.resync(source)
		}
		if err != nil {
			return heard, err
		}
		heard = true
		for _, m := range messages {
			w.hear(source, m)
		}
	}
	return heard, ctx.Err()
}

// resync tells the difference between the links as they are and as they were
// told.
//
// The subscription is older than the list, so nothing falls between them; but
// notifications that wait can be older than the list. They take links back to
// what they were for a moment, and the last one about each link is true.
func (w *watcher) resync(source Source) error {
	links, err := source.Links()
	if err != nil {
		return err
	}
	there := make(map[int]bool, len(links))
	for _, l := range links {
		there[l.Index] = true
	}
	for _, l := range w.table.Links() {
		if !there[l.Index] {
			w.gone(l.Index)
		}
	}
	for _, l := range sortedByIndex(links) {
		w.seen(source, l)
	}
	w.emit(Event{Kind: Resynced, Lost: w.synced})
	w.synced = true
	return nil
}

func (w *watcher) hear(source Source, m Message) {
	switch m.Kind {
	case LinkAppeared, LinkChanged:
		w.seen(source, m.Link)
	case LinkGone:
		w.gone(m.Link.Index)
	case AddressChanged, TCChanged:
		w.emit(Event{Kind: m.Kind, TC: m.TC, Ifindex: m.Ifindex})
	}
}

func (w *watcher) seen(source Source, now Link) {
	before, known := w.table.ByIndex(now.Index)
	if s, ok := source.(speedometer); ok {
		if now.SpeedMbit = before.SpeedMbit; !known || speedMayDiffer(before, now) {
			now.SpeedMbit = s.Speed(now.Name)
		}
	}
	if known {
		if now != before {
			w.tell(Event{Kind: LinkChanged, Link: now, Before: before})
		}
		return
	}
	if old, taken := w.table.ByName(now.Name); taken {
		w.gone(old.Index)
	}
	w.tell(Event{Kind: LinkAppeared, Link: now})
}

// speedMayDiffer is asked rather than the driver, because some take long to
// answer. The name counts because a speed is read by name, which fails when the
// link was being renamed.
func speedMayDiffer(before, now Link) bool {
	return now.Carrier != before.Carrier || now.CarrierUps != before.CarrierUps ||
		now.OperState != before.OperState || now.Name != before.Name
}

func (w *watcher) gone(index int) {
	if l, known := w.table.ByIndex(index); known {
		w.tell(Event{Kind: LinkGone, Link: l, Before: l})
	}
}

func (w *watcher) tell(e Event) {
	w.table.Apply(e)
	w.emit(e)
}
