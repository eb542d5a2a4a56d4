// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"fmt"
	"time"
)

// registration is what ubusd must be told again after it was restarted.
type registration interface {
	register(context.Context, *Client, *conn) error
	what() string // names it in errors
}

// stayConnected renews the connection until ctx ends. A connection that did not
// last does not reset the delay.
func (c *Client) stayConnected(ctx context.Context, current *conn) {
	delay := c.timing.retryFirst
	for current != nil {
		began := time.Now()
		select {
		case <-current.done:
		case <-ctx.Done():
			current.fail(ctx.Err())
		}
		c.setConn(nil, current.err)
		if time.Since(began) > c.timing.retryLast {
			delay = c.timing.retryFirst
		}
		current, delay = c.renew(ctx, delay)
	}
}

// renew connects again, first after delay, and returns the next delay. The
// connection is nil when ctx has ended.
func (c *Client) renew(ctx context.Context, delay time.Duration) (*conn, time.Duration) {
	for pause(ctx, delay) == nil {
		delay = min(2*delay, c.timing.retryLast)
		next, err := c.reconnect(ctx)
		if err == nil {
			return next, delay
		}
		c.setConn(nil, fmt.Errorf("%w: %v", ErrDisconnected, err))
	}
	return nil, delay
}

// reconnect makes a connection on which everything is registered, never one on
// which only a part is.
func (c *Client) reconnect(ctx context.Context) (*conn, error) {
	if err := c.lockRegistrations(ctx); err != nil {
		return nil, err
	}
	defer c.unlockRegistrations()
	next, err := dialConn(ctx, c.paths, c.timing)
	if err != nil {
		return nil, err
	}
	c.start(ctx, next.read)
	if err := c.restore(ctx, next); err != nil {
		next.fail(err)
		return nil, err
	}
	c.setConn(next, nil)
	c.events.miss()
	return next, nil
}

// restore registers on next what the client had before.
func (c *Client) restore(ctx context.Context, next *conn) error {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	for _, r := range c.registrations() {
		if err := r.register(ctx, c, next); err != nil {
			return fmt.Errorf("register %s: %w", r.what(), err)
		}
	}
	return nil
}

// register registers r now and after every reconnect.
func (c *Client) register(ctx context.Context, r registration) error {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	err := c.lockRegistrations(ctx)
	if err == nil {
		defer c.unlockRegistrations()
		err = c.registerNow(ctx, r)
	}
	if err != nil {
		return fmt.Errorf("register %s: %w", r.what(), err)
	}
	return nil
}

// registerNow needs the lock of registrations. If ctx ends meanwhile nobody
// knows whether ubusd has registered r, so the connection is given up and
// renewed without it.
func (c *Client) registerNow(ctx context.Context, r registration) error {
	current, err := c.current()
	if err != nil {
		return err
	}
	if err := r.register(ctx, c, current); err != nil {
		if ctx.Err() != nil {
			current.fail(err)
		}
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.registered = append(c.registered, r)
	return nil
}

func (c *Client) registrations() []registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.registered[:len(c.registered):len(c.registered)]
}

func (c *Client) lockRegistrations(ctx context.Context) error {
	select {
	case c.registering <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) unlockRegistrations() { <-c.registering }

func (c *Client) setConn(current *conn, lost error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.lost = current, lost
}
