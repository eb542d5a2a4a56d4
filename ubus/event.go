// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"fmt"
	"sync"
)

// eventObject is the object of ubusd itself through which events go
// (UBUS_SYSTEM_OBJECT_EVENT).
const eventObject = 1

// maxEvents bounds how many events wait for their listeners.
const maxEvents = 128

// Event is what a listener hears.
type Event struct {
	// Name is what the event was sent as, such as "network.interface".
	Name string
	Data Table
	// Missed says that this is no event but a gap: others may have been lost,
	// because ubusd was restarted or events came faster than listeners
	// returned. Who derives state from events should read the state anew.
	Missed bool
}

// listener is a function that hears the events that match a pattern.
type listener struct {
	pattern string
	hear    func(context.Context, Event)
}

// Listen calls hear for every event whose name is pattern or, where pattern ends
// with '*', begins with what is before it, from now on until the client ends.
// All listeners of a client are called from one goroutine, in the order in which
// the events came. A client does not hear what it sends itself. netifd sends
// "network.interface" with the strings "action" (ifup, ifdown) and "interface".
func (c *Client) Listen(ctx context.Context, pattern string, hear func(context.Context, Event)) error {
	return c.register(ctx, &listener{pattern: pattern, hear: hear})
}

func (l *listener) what() string { return "listener for ubus event " + l.pattern }

// register makes an object without a path and asks for events to go there.
func (l *listener) register(ctx context.Context, c *Client, bus *conn) error {
	object, err := bus.addObject(ctx, nil, func(_ context.Context, in invocation) { c.events.put(l, &in.attrs) })
	if err != nil {
		return err
	}
	_, err = bus.invoke(ctx, eventObject, "register", Table{"object": int32(object), "pattern": l.pattern})
	if err != nil {
		_ = bus.removeObject(ctx, object) // the first error tells more
	}
	return err
}

// Send sends an event to all who listen for its name. Names that begin with
// "ubus." are ubusd's own and refused with [StatusPermissionDenied].
func (c *Client) Send(ctx context.Context, name string, data Table) error {
	ctx, cancel := c.withDeadline(ctx)
	defer cancel()
	bus, err := c.current()
	if err == nil {
		_, err = bus.invoke(ctx, eventObject, "send", Table{"id": name, "data": data})
	}
	if err != nil {
		return fmt.Errorf("send ubus event %s: %w", name, err)
	}
	return nil
}

// deliverEvents calls listeners until ctx ends.
func (c *Client) deliverEvents(ctx context.Context) {
	for {
		select {
		case <-c.events.ready:
		case <-ctx.Done():
			return
		}
		waiting, missed := c.events.take()
		for _, w := range waiting {
			if ctx.Err() != nil {
				return
			}
			w.to.hear(ctx, w.event)
		}
		if !missed {
			continue
		}
		for _, r := range c.registrations() {
			if l, ok := r.(*listener); ok {
				l.hear(ctx, Event{Missed: true})
			}
		}
	}
}

// eventQueue decouples listeners, which may be slow, from the reading of
// answers, for which they may wait.
type eventQueue struct {
	ready chan struct{} // has a token while there is something to take

	mu      sync.Mutex
	waiting []heardEvent
	missed  bool
}

type heardEvent struct {
	to    *listener
	event Event
}

func newEventQueue() *eventQueue {
	return &eventQueue{ready: make(chan struct{}, 1)}
}

// put queues an event. One that is malformed or does not fit is missed.
func (q *eventQueue) put(to *listener, a *attrs) {
	data, err := decodeTable(a[attrData])
	q.mu.Lock()
	if err != nil || len(q.waiting) == maxEvents {
		q.missed = true
	} else {
		q.waiting = append(q.waiting, heardEvent{to, Event{Name: a.text(attrMethod), Data: data}})
	}
	q.mu.Unlock()
	q.wake()
}

// miss queues the news that events may be lost.
func (q *eventQueue) miss() {
	q.mu.Lock()
	q.missed = true
	q.mu.Unlock()
	q.wake()
}

func (q *eventQueue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *eventQueue) take() (waiting []heardEvent, missed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, missed = q.waiting, q.missed
	q.waiting, q.missed = nil, false
	return waiting, missed
}
