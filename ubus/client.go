// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"sync"
	"time"
)

func defaultTiming() timing {
	return timing{
		hello:      5 * time.Second,
		frame:      10 * time.Second,
		write:      5 * time.Second,
		request:    30 * time.Second, // as ubus(1)
		retryFirst: 100 * time.Millisecond,
		retryLast:  5 * time.Second,
	}
}

// Client is a connection to ubusd that is renewed when it breaks. Its methods
// may be called from several goroutines at once, also from a [Handler] or a
// listener. Requests made while there is no connection fail with
// [ErrDisconnected]. A request whose context has no deadline is given up after
// 30 s with [context.DeadlineExceeded].
type Client struct {
	paths  []string
	timing timing
	cancel context.CancelFunc
	events *eventQueue
	calls  chan struct{} // one token for each running Handler
	all    sync.WaitGroup

	registering chan struct{} // has a token while something is registered

	mu         sync.Mutex
	conn       *conn          // nil while there is none
	lost       error          // why there is none
	registered []registration // grows only with registering
}

// Dial connects to the ubusd that listens at path, or where path is empty at the
// usual places, /var/run/ubus/ubus.sock and /var/run/ubus.sock. The client lives
// until ctx ends or Close is called. Where nothing listens the error is
// [ErrNoBus]; Dial does not wait for ubusd to start.
func Dial(ctx context.Context, path string) (*Client, error) {
	paths := socketPaths()
	if path != "" {
		paths = []string{path}
	}
	return dial(ctx, paths, defaultTiming())
}

func dial(ctx context.Context, paths []string, t timing) (*Client, error) {
	first, err := dialConn(ctx, paths, t)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &Client{
		paths:       paths,
		timing:      t,
		cancel:      cancel,
		events:      newEventQueue(),
		calls:       make(chan struct{}, maxCalls),
		registering: make(chan struct{}, 1),
		conn:        first,
	}
	c.start(ctx, first.read)
	c.start(ctx, func(ctx context.Context) { c.stayConnected(ctx, first) })
	c.start(ctx, c.deliverEvents)
	return c, nil
}

func (c *Client) start(ctx context.Context, f func(context.Context)) {
	c.all.Add(1)
	go func() {
		defer c.all.Done()
		f(ctx)
	}()
}

// Close ends the client and waits for its handlers and listeners to return; it
// must not be called from one of them. ubusd forgets its objects.
func (c *Client) Close() {
	c.cancel()
	c.all.Wait()
}

// Connected reports whether ubusd is there now.
func (c *Client) Connected() bool {
	current, _ := c.current()
	return current != nil
}

func (c *Client) withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timing.request)
}

func (c *Client) current() (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn, c.lost
}
