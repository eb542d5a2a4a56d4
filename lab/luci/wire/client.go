// SPDX-License-Identifier: GPL-2.0-or-later

package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// ErrGone is what calls end with when the other end is no more.
var ErrGone = errors.New("the router is gone")

// Client makes calls. Its methods may be called from several goroutines at once.
type Client struct {
	writing sync.Mutex
	to      io.Writer

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan Answer // nil once the other end is gone
}

// NewClient sends calls to one stream and reads the answers from another until that ends.
func NewClient(to io.Writer, from io.Reader) *Client {
	c := &Client{to: to, waiting: map[uint64]chan Answer{}}
	go func() {
		_ = readLines(from, c.answered) // whatever it was, calls end with ErrGone
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, waiter := range c.waiting {
			close(waiter)
		}
		c.waiting = nil
	}()
	return c
}

// answered passes an answer to who waits for it, if somebody still does. What is no answer is dropped.
func (c *Client) answered(line []byte) {
	var r response
	if json.Unmarshal(line, &r) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiter := c.waiting[r.ID]; waiter != nil {
		waiter <- r.Answer
		delete(c.waiting, r.ID)
	}
}

// Call makes a call and waits for the answer until ctx ends.
func (c *Client) Call(ctx context.Context, call Call) (Answer, error) {
	waiter := make(chan Answer, 1)
	c.mu.Lock()
	if c.waiting == nil {
		c.mu.Unlock()
		return Answer{}, ErrGone
	}
	c.last++
	id := c.last
	c.waiting[id] = waiter
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	if err := c.send(request{id, call}); err != nil {
		return Answer{}, fmt.Errorf("call %s %s: %w", call.Object, call.Method, err)
	}
	select {
	case answer, alive := <-waiter:
		if !alive {
			return Answer{}, ErrGone
		}
		return answer, nil
	case <-ctx.Done():
		return Answer{}, fmt.Errorf("call %s %s: %w", call.Object, call.Method, ctx.Err())
	}
}

func (c *Client) send(r request) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return writeLine(c.to, r)
}
