// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRestart stops ubusd and starts it again, twice.
func TestRestart(t *testing.T) {
	bus := newFakeBus(t)
	server := offerTestObject(t, bus)
	events := listen(t, server, "network.interface")
	for range 2 {
		bus.stop()
		bus.start()
		if diff := cmp.Diff(Event{Missed: true}, receive(t, events)); diff != "" {
			t.Fatal(diff)
		}
		c := bus.dial()
		got, err := c.Call(testContext(t), "sqmd", "echo", echoArgsOf())
		if diff := cmp.Diff(echoArgsOf(), got); err != nil || diff != "" {
			t.Error(err, diff)
		}
		bus.emit("network.interface", Table{"action": "ifup"})
		if diff := cmp.Diff(Event{Name: "network.interface", Data: Table{"action": "ifup"}}, receive(t, events)); diff != "" {
			t.Error(diff)
		}
	}
	bus.with(func() {
		if len(bus.objects) != 2 {
			t.Errorf("%d objects, want the object and the listener", len(bus.objects))
		}
	})
}

// TestNoBusForAWhile asks while there is no ubusd.
func TestNoBusForAWhile(t *testing.T) {
	bus := newFakeBus(t)
	c := bus.dial()
	events := listen(t, c, "*")
	current, err := c.current()
	if err != nil {
		t.Fatal(err)
	}
	bus.stop()
	receive(t, current.done)
	ctx := testContext(t)
	_, call := c.Call(ctx, "sqmd", "status", nil)
	_, lookup := c.Lookup(ctx, "sqmd")
	for name, err := range map[string]error{
		"call":   call,
		"lookup": lookup,
		"send":   c.Send(ctx, "sqmd", nil),
		"listen": c.Listen(ctx, "other", func(context.Context, Event) {}),
		"object": c.AddObject(ctx, Object{Path: "other"}),
	} {
		// Not ErrNoBus, which would mean that this is not OpenWrt.
		if !errors.Is(err, ErrDisconnected) || errors.Is(err, ErrNoBus) {
			t.Errorf("%s: error %v, want %v", name, err, ErrDisconnected)
		}
	}
	bus.start()
	receive(t, events)
	bus.with(func() {
		if len(bus.objects) != 1 {
			t.Errorf("%d objects, want only what had been registered without error", len(bus.objects))
		}
	})
}

// TestRefusedAfterRestart lets ubusd refuse one registration at first: the
// client must not stay with a part of them.
func TestRefusedAfterRestart(t *testing.T) {
	for _, name := range []string{"sqmd", "network.interface"} {
		t.Run(name, func(t *testing.T) {
			bus := newFakeBus(t)
			server := offerTestObject(t, bus)
			events := listen(t, server, "network.interface")
			bus.stop()
			bus.with(func() { bus.refused[name] = StatusPermissionDenied })
			bus.start()
			refused := func() bool {
				_, err := server.current()
				return err != nil && strings.Contains(err.Error(), "register ")
			}
			for ctx := testContext(t); !refused(); {
				if err := pause(ctx, testTiming().retryFirst); err != nil {
					t.Fatal("never refused")
				}
			}
			if len(events) > 0 {
				t.Errorf("heard %+v while refused", <-events)
			}
			bus.with(func() { delete(bus.refused, name) })
			receive(t, events)
			if _, err := bus.dial().Call(testContext(t), "sqmd", "nothing", nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRegistrationGivenUp ends the context of a registration to which ubusd does
// not answer: the client must not stay with an object that may be registered.
func TestRegistrationGivenUp(t *testing.T) {
	asked, again := make(chan struct{}, 1), make(chan struct{}, 1)
	path := rawBus(t, func(conn net.Conn) {
		write(conn, golden(t, "hello"))
		if _, err := readMessage(conn); err != nil {
			t.Error(err)
		}
		asked <- struct{}{}
		drain(conn)
	}, func(conn net.Conn) {
		write(conn, golden(t, "hello"))
		again <- struct{}{}
		drain(conn)
	})
	c := dialPath(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- c.AddObject(ctx, Object{Path: "sqmd"}) }()
	receive(t, asked)
	// Another registration waits its turn, and may give up waiting.
	ended, end := context.WithCancel(context.Background())
	end()
	if err := c.AddObject(ended, Object{Path: "other"}); !errors.Is(err, context.Canceled) {
		t.Errorf("second registration: %v, want %v", err, context.Canceled)
	}
	cancel()
	if err := receive(t, failed); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	receive(t, again)
	c.Close()
}

// TestEndWhileDisconnected ends the context between two attempts to connect.
func TestEndWhileDisconnected(t *testing.T) {
	bus := newFakeBus(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	slow := testTiming()
	slow.retryFirst = 1000 * patience
	c, err := dial(ctx, []string{bus.path}, slow)
	if err != nil {
		t.Fatal(err)
	}
	current, err := c.current()
	if err != nil {
		t.Fatal(err)
	}
	bus.stop()
	receive(t, current.done)
	cancel()
	c.all.Wait()
}
