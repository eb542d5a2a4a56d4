// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listen returns the events that c hears.
func listen(t *testing.T, c *Client, pattern string) <-chan Event {
	t.Helper()
	events := make(chan Event, 2*maxEvents)
	err := c.Listen(testContext(t), pattern, func(_ context.Context, e Event) { events <- e })
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestEvents(t *testing.T) {
	bus := newFakeBus(t)
	c, other := bus.dial(), bus.dial()
	exact, prefix, all := listen(t, c, "network.interface"), listen(t, c, "network.*"), listen(t, c, "*")
	first := Event{Name: "network.interface", Data: Table{"action": "ifup", "interface": "wan"}}
	second := Event{Name: "network.device", Data: Table{}}
	third := Event{Name: "dhcp.ack", Data: echoArgs}
	for _, e := range []Event{first, second, third} {
		if err := other.Send(testContext(t), e.Name, e.Data); err != nil {
			t.Fatal(err)
		}
	}
	bus.emit("end", Table{})
	for _, listener := range []struct {
		name  string
		heard <-chan Event
		want  []Event
	}{
		{"all", all, []Event{first, second, third, {Name: "end", Data: Table{}}}},
		{"prefix", prefix, []Event{first, second}},
		{"exact", exact, []Event{first}},
	} {
		for _, want := range listener.want {
			if diff := cmp.Diff(want, receive(t, listener.heard)); diff != "" {
				t.Errorf("%s: %s", listener.name, diff)
			}
		}
		// One goroutine calls the listeners, and "all" has heard the last event.
		if len(listener.heard) > 0 {
			t.Errorf("%s: more events: %+v", listener.name, <-listener.heard)
		}
	}
}

func TestEventErrors(t *testing.T) {
	bus := newFakeBus(t)
	bus.refused["secret"] = StatusPermissionDenied
	c := bus.dial()
	err := c.Listen(testContext(t), "secret", func(context.Context, Event) {})
	if want := "register listener for ubus event secret: permission denied"; !errors.Is(err, StatusPermissionDenied) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	bus.with(func() {
		if len(bus.objects) > 0 {
			t.Errorf("%d objects left of a listener that was refused", len(bus.objects))
		}
	})
	if err := c.Send(testContext(t), "ubus.object.add", nil); !errors.Is(err, StatusPermissionDenied) {
		t.Errorf("error %v, want %v", err, StatusPermissionDenied)
	}
	if err := c.Send(testContext(t), "sqmd", Table{"x": struct{}{}}); !errors.Is(err, errUnknown) {
		t.Errorf("error %v, want %v", err, errUnknown)
	}
}

// TestListenerMayCall calls from a listener, whose answer the same connection brings.
func TestListenerMayCall(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("echo", echo)
	c := bus.dial()
	called := make(chan error, 1)
	err := c.Listen(testContext(t), "go", func(ctx context.Context, e Event) {
		_, err := c.Call(ctx, "echo", "x", e.Data)
		called <- err
	})
	if err != nil {
		t.Fatal(err)
	}
	bus.emit("go", Table{})
	if err := receive(t, called); err != nil {
		t.Error(err)
	}
}

// TestTooManyEvents sends events while the listener stands still.
func TestTooManyEvents(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("echo", echo)
	c := bus.dial()
	entered, release := make(chan Event), make(chan struct{})
	err := c.Listen(testContext(t), "*", func(_ context.Context, e Event) {
		entered <- e
		<-release
	})
	if err != nil {
		t.Fatal(err)
	}
	bus.emit("first", Table{})
	receive(t, entered)
	for range maxEvents + 10 {
		bus.emit("next", Table{})
	}
	// The answer comes behind the events on the same connection.
	if _, err := c.Call(testContext(t), "echo", "x", nil); err != nil {
		t.Fatal(err)
	}
	close(release)
	for i := range maxEvents {
		if diff := cmp.Diff(Event{Name: "next", Data: Table{}}, receive(t, entered)); diff != "" {
			t.Fatalf("event %d: %s", i, diff)
		}
	}
	if diff := cmp.Diff(Event{Missed: true}, receive(t, entered)); diff != "" {
		t.Error(diff)
	}
	bus.emit("last", Table{})
	if diff := cmp.Diff(Event{Name: "last", Data: Table{}}, receive(t, entered)); diff != "" {
		t.Error(diff)
	}
}

// TestMalformedEvent is missed, not silently lost.
func TestMalformedEvent(t *testing.T) {
	q := newEventQueue()
	q.put(&listener{}, &attrs{attrData: {1, 2, 3}})
	receive(t, q.ready)
	if waiting, missed := q.take(); len(waiting) != 0 || !missed {
		t.Errorf("%d events, missed %v", len(waiting), missed)
	}
	if waiting, missed := q.take(); len(waiting) != 0 || missed {
		t.Errorf("taken twice: %d events, missed %v", len(waiting), missed)
	}
}
