// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func echo(_ string, args Table) (Table, error) { return args, nil }

func TestCall(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("echo", echo)
	bus.offerMethods("mute", func(string, Table) (Table, error) { return nil, nil })
	c := bus.dial()
	got, err := c.Call(testContext(t), "echo", "echo", wanStatus)
	if diff := cmp.Diff(wanStatus, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	got, err = c.Call(testContext(t), "echo", "echo", nil)
	if diff := cmp.Diff(Table{}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if got, err = c.Call(testContext(t), "mute", "x", nil); err != nil || got != nil {
		t.Errorf("method without a reply: %v, %v", got, err)
	}
}

func TestCallErrors(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("fail", func(method string, args Table) (Table, error) {
		code, _ := args.Int("code")
		return nil, Status(code)
	})
	bus.offerMethods("explain", func(string, Table) (Table, error) {
		return Table{"error": "no queue wann"}, StatusNoData
	})
	bus.offerMethods("hidden", echo)
	bus.with(func() { bus.find("hidden").hidden = true })
	c := bus.dial()
	for code := Status(1); code < 16; code++ {
		_, err := c.Call(testContext(t), "fail", "x", Table{"code": int32(code)})
		if !errors.Is(err, code) {
			t.Errorf("error %v, want %v", err, code)
		}
	}
	for _, bad := range []struct {
		object string
		args   Table
		is     error
		text   string
	}{
		{"absent", nil, StatusNotFound, "ubus call absent x: not found"},
		{"hidden", nil, StatusPermissionDenied, "ubus call hidden x: permission denied"},
		{"fail", Table{"code": 6}, StatusPermissionDenied, "ubus call fail x: permission denied"},
		{"fail", Table{"code": 77}, Status(77), "ubus call fail x: ubus status 77"},
		{"explain", nil, StatusNoData, `ubus call explain x: no data: "no queue wann"`},
		{"network.*", nil, errPattern, "ubus call network.* x: " + errPattern.Error()},
		{"", nil, errPattern, "ubus call  x: " + errPattern.Error()},
		{"fail", Table{"x": make(chan int)}, errUnknown, `ubus call fail x: field "x": chan int: go type has no counterpart on ubus`},
		{"fail", Table{"x": strings.Repeat("x", maxBlob-20)}, errTooLarge, `ubus call fail x: field "x": ` + errTooLarge.Error()},
	} {
		got, err := c.Call(testContext(t), bad.object, "x", bad.args)
		if !errors.Is(err, bad.is) || err.Error() != bad.text || got != nil {
			t.Errorf("call %q: %v, error %v\nwant %s", bad.object, got, err, bad.text)
		}
	}
}

// TestAnswersInAnyOrder holds back all answers until every call is there, and
// then gives them in the reverse order.
func TestAnswersInAnyOrder(t *testing.T) {
	const calls = 50
	bus := newFakeBus(t)
	var held []fakeCall
	bus.offer("late", func(call fakeCall) {
		held = append(held, call)
		for i := len(held) - 1; len(held) == calls && i >= 0; i-- {
			bus.answer(held[i], held[i].args, nil)
		}
	})
	c := bus.dial()
	ctx := testContext(t)
	var all sync.WaitGroup
	for i := range calls {
		all.Add(1)
		go func() {
			defer all.Done()
			got, err := c.Call(ctx, "late", "x", Table{"i": i})
			if n, _ := got.Int("i"); err != nil || n != int64(i) {
				t.Errorf("call %d got %v, %v", i, got, err)
			}
		}()
	}
	all.Wait()
}

func TestForeignAnswersAreIgnored(t *testing.T) {
	bus := newFakeBus(t)
	bus.offer("liar", func(call fakeCall) {
		other := call
		other.m.peer++
		bus.answer(other, Table{"from": "another object"}, StatusNoData)
		other = call
		other.m.seq++
		bus.answer(other, Table{"from": "another call"}, StatusNoData)
		bus.answer(call, Table{"from": "here"}, nil)
	})
	c := bus.dial()
	got, err := c.Call(testContext(t), "liar", "x", nil)
	if diff := cmp.Diff(Table{"from": "here"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestCallGivenUp answers a call only when its caller has gone.
func TestCallGivenUp(t *testing.T) {
	bus := newFakeBus(t)
	held := make(chan fakeCall, 1)
	bus.offer("late", func(call fakeCall) { held <- call })
	bus.offerMethods("echo", echo)
	c := bus.dial()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "late", "x", nil)
		failed <- err
	}()
	call := receive(t, held)
	cancel()
	if err := receive(t, failed); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	bus.with(func() { bus.answer(call, Table{"late": true}, nil) })
	got, err := c.Call(testContext(t), "echo", "x", Table{"late": false})
	if diff := cmp.Diff(Table{"late": false}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestDefaultDeadline(t *testing.T) {
	bus := newFakeBus(t)
	bus.offer("silent", func(fakeCall) {})
	quick := testTiming()
	quick.request = 1
	c, err := dial(context.Background(), []string{bus.path}, quick)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Call(context.Background(), "silent", "x", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestLookup(t *testing.T) {
	bus := newFakeBus(t)
	bus.offerMethods("network.interface", echo)
	bus.offerMethods("network.interface.lan", echo)
	c := bus.dial()
	if err := c.AddObject(testContext(t), Object{Path: "network.interface.wan", Methods: wanMethods}); err != nil {
		t.Fatal(err)
	}
	byPath := cmpopts.SortSlices(func(a, b Object) bool { return a.Path < b.Path })
	for pattern, want := range map[string][]Object{
		"network.interface.wan": {{Path: "network.interface.wan", Methods: wanMethods}},
		"network.interface.*":   {{Path: "network.interface.lan"}, {Path: "network.interface.wan", Methods: wanMethods}},
		"": {{Path: "network.interface"}, {Path: "network.interface.lan"},
			{Path: "network.interface.wan", Methods: wanMethods}},
	} {
		got, err := c.Lookup(testContext(t), pattern)
		if diff := cmp.Diff(want, got, byPath); err != nil || diff != "" {
			t.Errorf("%q: %v %s", pattern, err, diff)
		}
	}
	if got, err := c.Lookup(testContext(t), "none*"); !errors.Is(err, StatusNotFound) {
		t.Errorf("nothing found: %v, %v", got, err)
	}
}

func TestLookupIsBounded(t *testing.T) {
	bus := newFakeBus(t)
	for i := range maxObjects + 1 {
		bus.offerMethods(fmt.Sprintf("object%d", i), echo)
	}
	c := bus.dial()
	if _, err := c.Lookup(testContext(t), "object*"); !errors.Is(err, errObjects) {
		t.Errorf("error %v, want %v", err, errObjects)
	}
	if got, err := c.Lookup(testContext(t), "object1*"); err != nil || len(got) == 0 {
		t.Errorf("lookup after one that was too large: %d objects, %v", len(got), err)
	}
}

func TestDialErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(dir, "stale")
	leaveSocket(t, stale)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	bus := newFakeBus(t)
	for _, c := range []struct {
		name string
		ctx  context.Context
		path string
		want error
	}{
		{"absent", testContext(t), filepath.Join(dir, "absent"), ErrNoBus},
		{"stale", testContext(t), stale, ErrNoBus},
		{"below a file", testContext(t), filepath.Join(file, "x"), syscall.ENOTDIR},
		{"long path", testContext(t), strings.Repeat("x", 200), syscall.EINVAL},
		{"ended context", ended, bus.path, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := Dial(c.ctx, c.path)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if err == nil {
				client.Close()
			}
		})
	}
}

// leaveSocket makes a socket file at which nobody listens.
func leaveSocket(t *testing.T, path string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Close(fd)); err != nil {
		t.Fatal(err)
	}
}

func TestDialSecondPath(t *testing.T) {
	bus := newFakeBus(t)
	c, err := dial(context.Background(), []string{bus.path + ".absent", bus.path}, testTiming())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestFullBacklog dials a socket that has as many connections waiting as it takes.
func TestFullBacklog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ubus.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	first, err := connect(testContext(t), path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*fullBacklogDelay)
	defer cancel()
	if second, err := connect(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second connection: %v, %v", second, err)
	}
}

func TestContextEndsEverything(t *testing.T) {
	bus := newFakeBus(t)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := dial(ctx, []string{bus.path}, testTiming())
	if err != nil {
		t.Fatal(err)
	}
	inHandler := make(chan struct{})
	err = c.AddObject(testContext(t), Object{Path: "sqmd", Methods: []Method{{
		Name: "wait",
		Handle: func(ctx context.Context, _ Request) (Table, error) {
			close(inHandler)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), "sqmd", "wait", nil)
		failed <- err
	}()
	receive(t, inHandler)
	cancel()
	if err := receive(t, failed); !errors.Is(err, ErrDisconnected) {
		t.Errorf("call: %v, want %v", err, ErrDisconnected)
	}
	c.all.Wait()
	if _, err := c.Call(context.Background(), "sqmd", "wait", nil); !errors.Is(err, ErrDisconnected) {
		t.Errorf("call after the end: %v, want %v", err, ErrDisconnected)
	}
	c.Close()
	c.Close()
}
