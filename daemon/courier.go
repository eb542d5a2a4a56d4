// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"io"
	"time"
)

const (
	// courierLines is how many lines may wait for a reader that is slow.
	courierLines = 64
	// courierFlush bounds the wait for the last lines at the end.
	courierFlush = time.Second
)

// courier writes in a goroutine of its own, so that a log that nobody reads does
// not keep the loop from its work. Lines that find no room are lost.
type courier struct {
	lines chan []byte
	done  chan struct{}
}

func newCourier(to io.Writer) *courier {
	c := &courier{make(chan []byte, courierLines), make(chan struct{})}
	go func() {
		defer close(c.done)
		for line := range c.lines {
			_, _ = to.Write(line) // there is nowhere to tell of it
		}
	}()
	return c
}

// Write takes a line.
func (c *courier) Write(line []byte) (int, error) {
	select {
	case c.lines <- append([]byte(nil), line...):
	default:
	}
	return len(line), nil
}

// finish writes what waits, as far as somebody reads it.
func (c *courier) finish() {
	close(c.lines)
	select {
	case <-c.done:
	case <-time.After(courierFlush):
	}
}
