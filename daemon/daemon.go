// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"sqmd/control"
	"sqmd/daemon/journal"
	"sqmd/shaping"
	"sqmd/watch"
)

// SocketName is the name of the daemon's socket in the directory of records.
const SocketName = "sqmd.sock"

// Options is the world that the daemon lives in.
type Options struct {
	Version string
	// SQM and SQMD are the configuration files: of queues, and of the rest.
	SQM, SQMD string
	// Records is the state directory, which also has the socket.
	Records shaping.Records
	// Kernel connects to the kernel; the returned function disconnects.
	Kernel func() (shaping.Kernel, func(), error)
	// Links subscribes to the kernel's notifications.
	Links func() (watch.Source, error)
	// Bus is the path of ubusd's socket; "" tries the usual ones.
	Bus string
	// Wall is the time of day in nanoseconds since 1970.
	Wall func() int64
	// Uptime is for how many seconds the machine has run at the daemon's start.
	Uptime int64
	// Root is where the file system begins for what doctor reads, "/" in life.
	Root string
	// Log takes one line for each event worth one.
	Log io.Writer
}

// Run keeps the shaping as configured until ctx ends, and leaves it in place
// then. A value from reload has the configuration read anew. The error is
// [control.ErrRunning] where another daemon is at work.
func Run(ctx context.Context, reload <-chan struct{}, o Options) error {
	server, err := control.Listen(filepath.Join(o.Records.Dir, SocketName))
	if err != nil {
		return err
	}
	log := newCourier(o.Log)
	defer log.finish()
	o.Log = log
	ctx, cancel := context.WithCancel(ctx)
	alarm, err := newAlarm()
	if err != nil {
		cancel()
		return errors.Join(err, server.Close())
	}
	l := newLoop(o)
	var rim sync.WaitGroup
	defer rim.Wait()
	defer cancel()
	failed := make(chan error, 3)
	start := func(f func() error) {
		rim.Add(1)
		go func() {
			defer rim.Done()
			if err := f(); err != nil {
				failed <- err
			}
		}()
	}
	start(func() error { return watch.Run(ctx, o.Links, func(e watch.Event) { l.post(ctx, e) }) })
	start(func() error { return server.Serve(ctx, l.handle) })
	start(func() error { l.bus.run(ctx); return nil })
	start(func() error { return alarm.run(ctx) })
	return l.run(ctx, reload, alarm, failed)
}

// loop is where everything happens, one thing after the other.
type loop struct {
	core     *core
	start    time.Time
	bus      *bus
	events   chan watch.Event
	answers  chan answer
	presence chan presence
	requests chan request
}

// request is a request on its way to the loop.
type request struct {
	method    string
	arguments []byte
	reply     chan reply // takes one without waiting
}

type reply struct {
	value any
	err   error
}

func newLoop(o Options) *loop {
	l := &loop{
		core: newCore(o), start: time.Now(),
		events: make(chan watch.Event), answers: make(chan answer), presence: make(chan presence), requests: make(chan request),
	}
	l.bus = newBus(o.Bus, l.ask, l.answers, l.presence)
	l.core.bus = l.bus.connected
	return l
}

// now is the time since the start. It does not jump when the clock is set.
func (l *loop) now() time.Duration { return time.Since(l.start) }

func (l *loop) run(ctx context.Context, reload <-chan struct{}, alarm *alarm, failed <-chan error) error {
	c := l.core
	defer c.disconnect()
	c.say(0, journal.Info, "sqmd "+c.options.Version+" starts")
	c.load(l.now(), "start")
	for {
		if err := alarm.set(c.next() - l.now()); err != nil && ctx.Err() == nil { // ended, it cannot be set
			return fmt.Errorf("set the timer: %w", err)
		}
		select {
		case <-ctx.Done():
			c.say(l.now(), journal.Info, "sqmd ends; what is shaped stays shaped")
			return nil
		case err := <-failed:
			return err
		case <-reload:
			c.load(l.now(), "asked to reload")
		case e := <-l.events:
			c.event(l.now(), e)
		case a := <-l.answers:
			c.resolved(l.now(), a)
		case p := <-l.presence:
			c.busChanged(l.now(), p)
		case r := <-l.requests:
			value, err := c.request(l.now(), r.method, r.arguments)
			r.reply <- reply{value, err}
		case <-alarm.rings:
		}
		c.step(l.now())
		if c.networks.refresh {
			c.networks.refresh = false
			l.bus.resolve(c.networks.names())
		}
	}
}

// post hands an event to the loop.
func (l *loop) post(ctx context.Context, e watch.Event) {
	select {
	case l.events <- e:
	case <-ctx.Done():
	}
}

// ask hands a request to the loop.
func (l *loop) ask(ctx context.Context, method string, arguments []byte) (any, error) {
	r := request{method, arguments, make(chan reply, 1)}
	select {
	case l.requests <- r:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case answer := <-r.reply:
		return answer.value, answer.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// handle answers on the socket.
func (l *loop) handle(ctx context.Context, method string, arguments json.RawMessage) (any, error) {
	return l.ask(ctx, method, arguments)
}
