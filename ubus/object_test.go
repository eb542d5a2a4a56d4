// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testObject is offered by one client and called by another.
func testObject() Object {
	return Object{Path: "sqmd", Methods: []Method{
		{
			Name: "echo",
			Args: []Arg{
				{"s", TypeString}, {"b", TypeBool}, {"i", TypeInt32}, {"l", TypeInt64},
				{"d", TypeDouble}, {"t", TypeTable}, {"a", TypeArray},
			},
			Handle: func(_ context.Context, r Request) (Table, error) { return r.Args, nil },
		},
		{Name: "who", Handle: func(_ context.Context, r Request) (Table, error) {
			return Table{"method": r.Method, "user": r.User, "group": r.Group}, nil
		}},
		{Name: "nothing", Handle: func(context.Context, Request) (Table, error) { return nil, nil }},
		{Name: "denied", Handle: func(context.Context, Request) (Table, error) {
			return nil, fmt.Errorf("queue wan: %w", StatusPermissionDenied)
		}},
		{Name: "late", Handle: func(context.Context, Request) (Table, error) {
			return nil, fmt.Errorf("probe: %w", context.DeadlineExceeded)
		}},
		{Name: "failed", Handle: func(context.Context, Request) (Table, error) {
			return Table{"error": "half done", "done": 1}, errors.New("not shown")
		}},
		{Name: "unsendable", Handle: func(context.Context, Request) (Table, error) {
			return Table{"c": make(chan int)}, nil
		}},
		{Name: "unsendable error", Handle: func(context.Context, Request) (Table, error) {
			return nil, errors.New("a\x00b")
		}},
	}}
}

func offerTestObject(t *testing.T, bus *fakeBus) *Client {
	t.Helper()
	server := bus.dial()
	if err := server.AddObject(testContext(t), testObject()); err != nil {
		t.Fatal(err)
	}
	return server
}

func TestAnswerCalls(t *testing.T) {
	bus := newFakeBus(t)
	offerTestObject(t, bus)
	c := bus.dial()
	for _, call := range []struct {
		method     string
		args, want Table
	}{
		{"echo", echoArgsOf(), echoArgsOf()},
		{"echo", nil, Table{}},
		{"echo", Table{"ubus_rpc_session": "00ff", "s": nil}, Table{"ubus_rpc_session": "00ff", "s": nil}},
		{"echo", Table{"i": int64(1), "l": int32(1), "d": int16(1)}, Table{"i": int64(1), "l": int32(1), "d": int16(1)}},
		{"who", nil, Table{"method": "who", "user": "root", "group": "wheel"}},
		{"nothing", nil, nil},
	} {
		got, err := c.Call(testContext(t), "sqmd", call.method, call.args)
		if diff := cmp.Diff(call.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", call.method, err, diff)
		}
	}
}

func echoArgsOf() Table {
	return Table{
		"s": "x", "b": true, "i": int32(1), "l": int64(1), "d": 1.5,
		"t": Table{"a": []any{}}, "a": []any{Table{}},
	}
}

func TestAnswerErrors(t *testing.T) {
	bus := newFakeBus(t)
	offerTestObject(t, bus)
	c := bus.dial()
	for _, call := range []struct {
		method string
		args   Table
		want   string
	}{
		{"absent", nil, `method not found`},
		{"denied", nil, `permission denied: "queue wan: permission denied"`},
		{"late", nil, `timed out: "probe: context deadline exceeded"`},
		{"failed", nil, `unknown error: "half done"`},
		{"unsendable", nil, `unknown error: "field \"c\": chan int: go type has no counterpart on ubus"`},
		{"unsendable error", nil, `unknown error`},
		{"echo", Table{"s": 1}, `invalid argument: "argument \"s\" is integer, want string"`},
		{"echo", Table{"b": 1}, `invalid argument: "argument \"b\" is integer, want boolean"`},
		{"echo", Table{"i": "1"}, `invalid argument: "argument \"i\" is string, want integer"`},
		{"echo", Table{"i": 1.5}, `invalid argument: "argument \"i\" is double, want integer"`},
		{"echo", Table{"l": true}, `invalid argument: "argument \"l\" is boolean, want int64"`},
		{"echo", Table{"d": "1"}, `invalid argument: "argument \"d\" is string, want double"`},
		{"echo", Table{"t": []any{}}, `invalid argument: "argument \"t\" is array, want table"`},
		{"echo", Table{"a": Table{}}, `invalid argument: "argument \"a\" is table, want array"`},
	} {
		got, err := c.Call(testContext(t), "sqmd", call.method, call.args)
		want := "ubus call sqmd " + call.method + ": " + call.want
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, error %v\nwant %s", call.method, got, err, want)
		}
	}
}

// TestCallsAreBounded fills all places with calls that wait.
func TestCallsAreBounded(t *testing.T) {
	bus := newFakeBus(t)
	server, c := bus.dial(), bus.dial()
	running, release := make(chan struct{}, maxCalls), make(chan struct{})
	err := server.AddObject(testContext(t), Object{Path: "slow", Methods: []Method{{
		Name: "wait",
		Handle: func(context.Context, Request) (Table, error) {
			running <- struct{}{}
			<-release
			return nil, nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := testContext(t)
	answers := make(chan error, maxCalls)
	for range maxCalls {
		go func() {
			_, err := c.Call(ctx, "slow", "wait", nil)
			answers <- err
		}()
	}
	for range maxCalls {
		receive(t, running)
	}
	_, err = c.Call(ctx, "slow", "wait", nil)
	if want := `ubus call slow wait: unknown error: "16 calls under way: try again later"`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	close(release)
	for range maxCalls {
		if err := receive(t, answers); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Call(ctx, "slow", "wait", nil); err != nil {
		t.Errorf("after the others: %v", err)
	}
}

func TestHandlerMayCall(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("echo", echo)
	c := bus.dial()
	err := c.AddObject(testContext(t), Object{Path: "sqmd", Methods: []Method{{
		Name: "relay",
		Handle: func(ctx context.Context, r Request) (Table, error) {
			return c.Call(ctx, "echo", "x", r.Args)
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Call(testContext(t), "sqmd", "relay", echoArgs)
	if diff := cmp.Diff(echoArgs, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestNoReply looks for the first message after a call that wants no reply.
func TestNoReply(t *testing.T) {
	first := make(chan message, 1)
	path := rawBus(t, func(conn net.Conn) {
		write(conn, golden(t, "hello"))
		m, err := readMessage(conn)
		if err != nil {
			t.Error(err)
		}
		first <- m
		drain(conn)
	})
	c := dialPath(t, path)
	current, err := c.current()
	if err != nil {
		t.Fatal(err)
	}
	current.reply(invocation{seq: 1, attrs: attrs{attrNoReply: {1}}}, Table{}, StatusNoData)
	current.reply(invocation{seq: 2, attrs: attrs{attrNoReply: {0}}}, nil, StatusNoData)
	if m := receive(t, first); m.seq != 2 {
		t.Errorf("first message answers call %d, want 2", m.seq)
	}
	c.Close()
}

func TestAddObjectErrors(t *testing.T) {
	bus := newFakeBus(t)
	offerTestObject(t, bus)
	c := bus.dial()
	for _, o := range []struct {
		path string
		want error
		text string
	}{
		{"", errPattern, `register ubus object "": ` + errPattern.Error()},
		{"sqm*", errPattern, `register ubus object "sqm*": ` + errPattern.Error()},
		{"sqmd", StatusInvalidArgument, `register ubus object sqmd: invalid argument: another process has that name, or /usr/share/acl.d forbids it`},
	} {
		err := c.AddObject(testContext(t), Object{Path: o.path})
		if !errors.Is(err, o.want) || err.Error() != o.text {
			t.Errorf("%q: error %v\nwant %s", o.path, err, o.text)
		}
	}
	if err := c.AddObject(testContext(t), Object{Path: "sqmd.other"}); err != nil {
		t.Error(err)
	}
}
