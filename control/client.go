// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrNoDaemon says that nothing listens on the socket.
var ErrNoDaemon = errors.New("no daemon is running")

// errHungUp says that the daemon ended, or this connection, before its answer.
var errHungUp = errors.New("the daemon hung up")

// fullQueuePause is the wait before a daemon is tried again that has as many
// connections waiting as it may.
const fullQueuePause = 20 * time.Millisecond

// Call asks the daemon once. args is encoded as an object, nil is an empty one;
// reply is a pointer into which the answer is decoded, or nil. Errors are
// [ErrNoDaemon], what the daemon answered, or that of ctx; without a deadline
// there, a daemon that hangs is waited for.
func Call(ctx context.Context, path, method string, args, reply any) error {
	c, err := Dial(ctx, path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Call(ctx, method, args, reply)
}

// Client is a connection for many requests, one at a time. It is not for several
// goroutines.
type Client struct {
	path string
	conn *os.File // nil: connect before the next request
	in   *bufio.Reader
	used time.Time
}

// Dial connects to the daemon. Its errors are those of [Call].
func Dial(ctx context.Context, path string) (*Client, error) {
	c := &Client{path: path}
	if err := c.dial(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Call is as the function [Call]. A connection that failed is made anew by the
// next call, so that a client outlives the daemon. The request that failed is
// not repeated: it may have been carried out.
func (c *Client) Call(ctx context.Context, method string, args, reply any) error {
	question, err := formatRequest(method, args)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", method, err)
	}
	// The server may be about to close a connection that was quiet for long.
	if c.conn != nil && time.Since(c.used) > idleTime/2 {
		c.Close()
	}
	if c.conn == nil {
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	line, err := c.exchange(ctx, question)
	if err != nil {
		c.Close()
		return fmt.Errorf("ask the daemon for %s: %w", method, err)
	}
	return parseAnswer(line, reply)
}

// exchange sends a line and reads one. Afterwards the connection is of use only
// if there was no error.
func (c *Client) exchange(ctx context.Context, question []byte) ([]byte, error) {
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	// A server that refuses a connection answers and closes without reading, hence
	// what it said counts more than that the question could not be written.
	_, failure := conn.Write(question)
	line, err := readLine(c.in, maxReply)
	if !stop() {
		return nil, ctx.Err()
	}
	c.used = time.Now()
	switch {
	case err != nil && failure != nil:
		err = failure
	case err == io.EOF:
		err = errHungUp
	}
	return line, err
}

// Close ends the connection.
func (c *Client) Close() error {
	if c.conn == nil {
		return nil
	}
	conn := c.conn
	c.conn = nil
	return conn.Close()
}

func (c *Client) dial(ctx context.Context) error {
	fd, err := connect(c.path)
	for err == unix.EAGAIN && ctx.Err() == nil {
		sleep(ctx, fullQueuePause)
		fd, err = connect(c.path)
	}
	switch {
	case err == unix.ENOENT || err == unix.ECONNREFUSED:
		return fmt.Errorf("connect to %s: %w", c.path, ErrNoDaemon)
	case err == unix.EACCES:
		return fmt.Errorf("connect to %s: %w, run as root", c.path, err)
	case err == unix.EAGAIN:
		return fmt.Errorf("connect to %s: %w", c.path, ctx.Err())
	case err != nil:
		return fmt.Errorf("connect to %s: %w", c.path, err)
	}
	c.conn = os.NewFile(uintptr(fd), c.path)
	c.in = bufio.NewReader(c.conn)
	c.used = time.Now()
	return nil
}
