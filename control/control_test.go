// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// running is a server in a test.
type running struct {
	*Server
	stop func()     // ends its context
	done chan error // what Serve returned
}

// serve starts a server on a new socket; adjust may change it before. The test
// fails if it leaves a goroutine behind.
func serve(t *testing.T, h Handler, adjust ...func(*Server)) running {
	t.Helper()
	before := runtime.NumGoroutine()
	s := mustListen(t, filepath.Join(t.TempDir(), "run", "sqmd.sock"))
	for _, f := range adjust {
		f(s)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := running{s, cancel, make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		if err := receive(t, r.done); err != nil {
			t.Errorf("serve: %v", err)
		}
		settle(t, before)
	})
	return r
}

func mustListen(t *testing.T, path string) *Server {
	t.Helper()
	s, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// settle waits until there are no more goroutines than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing happened for 10 s")
		panic("unreachable")
	}
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// echo answers the arguments, and knows a few other methods.
func echo(_ context.Context, method string, args json.RawMessage) (any, error) {
	switch method {
	case "echo":
		return args, nil
	case "nothing":
		return nil, nil
	case "huge":
		return strings.Repeat("x", maxReply), nil
	case "large":
		return strings.Repeat("x", maxReply-len(`{"reply":""}`)), nil
	case "broken":
		return func() {}, nil
	}
	return nil, errors.New("unknown method \"" + method + "\"\nsecond line")
}

// plain is a connection on which a test writes what it likes.
type plain struct {
	*net.UnixConn
	t  *testing.T
	in *bufio.Reader
}

func (r running) plain(t *testing.T) plain {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: r.path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	return plain{conn, t, bufio.NewReader(conn)}
}

func (p plain) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p, text); err != nil {
		p.t.Fatal(err)
	}
}

func (p plain) line() string {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%v after %.100q", err, line)
	}
	return strings.TrimSuffix(line, "\n")
}

// closed tells whether the server ends the connection without another word.
func (p plain) closed() bool {
	p.t.Helper()
	rest, err := io.ReadAll(p.in)
	if len(rest) > 0 {
		p.t.Errorf("got %.100q", rest)
	}
	return err == nil || !errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "reset")
}
