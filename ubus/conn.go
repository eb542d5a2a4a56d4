// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// ErrDisconnected says that the connection to ubusd broke. The client is
// connecting again by itself; the request may be repeated later.
var ErrDisconnected = errors.New("connection to ubusd lost")

var errBusy = errors.New("too many ubus requests under way")

// maxPending bounds the requests that wait for an answer on one connection.
const maxPending = 256

// timing holds the delays of a client.
type timing struct {
	hello      time.Duration // from connecting to ubusd's greeting
	frame      time.Duration // from the first to the last byte of a message
	write      time.Duration // for ubusd to take a message
	request    time.Duration // for an answer, where the caller sets no deadline
	retryFirst time.Duration // before connecting again
	retryLast  time.Duration // the longest that retryFirst grows to
}

// conn is one connection to ubusd. It ends with the first error.
type conn struct {
	sock   *os.File
	reader *bufio.Reader
	timing timing

	writing sync.Mutex

	mu      sync.Mutex
	seq     uint16
	pending map[uint16]*request
	sinks   map[uint32]sink // our objects by id
	err     error           // why the connection ended; set before done is closed
	done    chan struct{}
}

// request is a request under way.
type request struct {
	peer   uint32
	onData func(*attrs) error // called with conn.mu held; may be nil
	status chan error         // receives once
}

// dialConn connects and waits for ubusd's greeting.
func dialConn(ctx context.Context, paths []string, t timing) (*conn, error) {
	sock, err := openSocket(ctx, paths)
	if err != nil {
		return nil, err
	}
	c := &conn{
		sock:    sock,
		reader:  bufio.NewReader(sock),
		timing:  t,
		pending: map[uint16]*request{},
		sinks:   map[uint32]sink{},
		done:    make(chan struct{}),
	}
	stop := context.AfterFunc(ctx, func() { sock.Close() })
	err = c.greet()
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		sock.Close()
		return nil, fmt.Errorf("connect to %s: %w", sock.Name(), err)
	}
	return c, nil
}

func (c *conn) greet() error {
	if err := c.sock.SetReadDeadline(time.Now().Add(c.timing.hello)); err != nil {
		return err
	}
	m, err := c.next()
	if err == nil && m.kind != kindHello {
		err = errMalformed
	}
	if err != nil {
		return fmt.Errorf("no greeting from ubusd: %w", err)
	}
	return nil
}

// next reads one message. It waits for the first byte as long as it takes, but a
// message that has begun must arrive.
func (c *conn) next() (message, error) {
	if _, err := c.reader.Peek(1); err != nil {
		return message{}, err
	}
	if err := c.sock.SetReadDeadline(time.Now().Add(c.timing.frame)); err != nil {
		return message{}, err
	}
	m, err := readMessage(c.reader)
	if err != nil {
		return message{}, err
	}
	return m, c.sock.SetReadDeadline(time.Time{})
}

// read handles messages until the connection ends.
func (c *conn) read(ctx context.Context) {
	for {
		m, err := c.next()
		if err != nil {
			c.fail(err)
			return
		}
		switch m.kind {
		case kindStatus, kindData:
			c.answered(m)
		case kindInvoke:
			c.invoked(ctx, m)
		}
	}
}

// fail ends the connection; only the first reason is kept.
func (c *conn) fail(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = fmt.Errorf("%w: %v", ErrDisconnected, reason)
	close(c.done)
	c.sock.Close()
}

func (c *conn) send(m message) error {
	frame, err := m.frame()
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	err = c.sock.SetWriteDeadline(time.Now().Add(c.timing.write))
	if err == nil {
		_, err = c.sock.Write(frame)
	}
	if err == nil {
		return nil
	}
	// Half a message may be out, so nothing more can follow it.
	c.fail(err)
	return c.err
}

// request sends a message and waits for its status, an error unless it is 0.
// onData sees the data messages that come before; it is not called any more
// after request returned.
func (c *conn) request(ctx context.Context, kind uint8, peer uint32, body []byte, onData func(*attrs) error) error {
	r := &request{peer: peer, onData: onData, status: make(chan error, 1)}
	seq, err := c.enlist(r)
	if err != nil {
		return err
	}
	defer c.dismiss(seq)
	if err := c.send(message{kind: kind, seq: seq, peer: peer, body: body}); err != nil {
		return err
	}
	select {
	case err = <-r.status:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.done:
	}
	select {
	case err = <-r.status: // the answer came before the end
		return err
	default:
		return c.err
	}
}

// enlist gives r a sequence number that no other request under way has.
func (c *conn) enlist(r *request) (uint16, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) >= maxPending {
		return 0, errBusy
	}
	for {
		c.seq++
		if c.pending[c.seq] == nil {
			c.pending[c.seq] = r
			return c.seq, nil
		}
	}
}

func (c *conn) dismiss(seq uint16) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, seq)
}

// answered gives a status or data message to the request it belongs to. Late
// answers of requests that were given up belong to none.
func (c *conn) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.pending[m.seq]
	if r == nil || r.peer != m.peer {
		return
	}
	finished, err := r.take(m)
	if finished {
		delete(c.pending, m.seq)
		r.status <- err
	}
}

func (r *request) take(m message) (finished bool, err error) {
	a, err := parseAttrs(m.body)
	if err != nil {
		return true, err
	}
	if m.kind == kindData {
		if r.onData != nil {
			err = r.onData(&a)
		}
		return err != nil, err
	}
	code, ok := a.uint32(attrStatus)
	if !ok {
		return true, errMalformed
	}
	return true, statusError(code)
}
