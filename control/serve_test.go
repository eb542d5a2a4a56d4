// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnswers(t *testing.T) {
	r := serve(t, echo)
	conn := r.plain(t)
	for _, test := range []struct{ name, question, want string }{
		{"object", `{"method":"echo","args":{"device":"eth1"}}`, `{"reply":{"device":"eth1"}}`},
		{"no args", `{"method":"echo"}`, `{"reply":{}}`},
		{"null args", `{"method":"echo","args":null}`, `{"reply":{}}`},
		{"carriage return", "{\"method\":\"echo\"}\r", `{"reply":{}}`},
		{"nil reply", `{"method":"nothing"}`, `{"reply":null}`},
		{"unknown method", `{"method":"fly"}`, `{"error":"unknown method \"fly\"\nsecond line"}`},
		{"reply without JSON", `{"method":"broken"}`, `{"error":"encode the reply: json: unsupported type: func()"}`},
		{"longest reply", `{"method":"large"}`, `{"reply":"` + strings.Repeat("x", maxReply-12) + `"}`},
		{"reply too long", `{"method":"huge"}`, `{"error":"reply of 4194316 bytes is longer than 4194304"}`},
		{"args are a list", `{"method":"echo","args":[1]}`, `{"error":"args is not an object"}`},
		{"args are text", `{"method":"echo","args":"{}"}`, `{"error":"args is not an object"}`},
		{"no method", `{"args":{}}`, `{"error":"request names no method"}`},
		{"empty line", ``, `{"error":"request is not understood: unexpected end of JSON input"}`},
		{"two requests on a line", `{"method":"echo"}{"method":"echo"}`, `{"error":"request is not understood: invalid character '{' after top-level value"}`},
		{"method is a number", `{"method":1}`, `{"error":"request is not understood: json: cannot unmarshal number into Go struct field request.method of type string"}`},
		{"bytes", "\x00\xff\x7f", `{"error":"request is not understood: invalid character '\\x00' looking for beginning of value"}`},
		{"longest request", padded(maxRequest), `{"reply":{}}`},
	} {
		conn.write(test.question + "\n")
		if diff := cmp.Diff(test.want, conn.line()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// padded is a request of n bytes.
func padded(n int) string {
	request := `{"method":"echo"}`
	return request + strings.Repeat(" ", n-len(request))
}

func TestSeveralRequestsAtOnce(t *testing.T) {
	conn := serve(t, echo).plain(t)
	conn.write(`{"method":"echo","args":{"n":1}}` + "\n" + `{"method":"echo","args":{"n":2}}` + "\n" + `{"meth`)
	got := []string{conn.line(), conn.line()}
	conn.write(`od":"echo"}` + "\n")
	got = append(got, conn.line())
	if diff := cmp.Diff([]string{`{"reply":{"n":1}}`, `{"reply":{"n":2}}`, `{"reply":{}}`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestOversizeRequest(t *testing.T) {
	conn := serve(t, echo).plain(t)
	conn.write(padded(maxRequest+1) + "\n")
	if got := conn.line(); got != `{"error":"request is longer than 65536 bytes"}` {
		t.Errorf("got %s", got)
	}
	if !conn.closed() {
		t.Error("the connection stays open")
	}
}

func TestHalfARequest(t *testing.T) {
	r := serve(t, func(context.Context, string, json.RawMessage) (any, error) {
		t.Error("half a request was handled")
		return nil, nil
	})
	conn := r.plain(t)
	conn.write(`{"method":"reload"}`) // no newline
	conn.CloseWrite()
	if !conn.closed() {
		t.Error("the connection stays open")
	}
}

func TestIdleConnectionIsClosed(t *testing.T) {
	r := serve(t, echo, func(s *Server) { s.idle = 50 * time.Millisecond })
	silent, dawdler := r.plain(t), r.plain(t)
	dawdler.write(`{"method`)
	if !silent.closed() || !dawdler.closed() {
		t.Error("a connection stays open")
	}
}

func TestHandlerMayTakeLongerThanIdleTime(t *testing.T) {
	r := serve(t, func(context.Context, string, json.RawMessage) (any, error) {
		time.Sleep(100 * time.Millisecond)
		return "late", nil
	}, func(s *Server) { s.idle = 30 * time.Millisecond })
	conn := r.plain(t)
	conn.write(`{"method":"doctor"}` + "\n")
	if got := conn.line(); got != `{"reply":"late"}` {
		t.Errorf("got %s", got)
	}
}

// TestSlowReader asks for more than the socket holds and does not read.
func TestSlowReader(t *testing.T) {
	r := serve(t, echo, func(s *Server) { s.write = 100 * time.Millisecond })
	conn := r.plain(t)
	conn.write(`{"method":"large"}` + "\n")
	for err := error(nil); err == nil; _, err = conn.Write([]byte("\n")) {
		time.Sleep(10 * time.Millisecond)
	}
	if line, err := conn.in.ReadString('\n'); err == nil {
		t.Errorf("got all of a line of %d bytes", len(line))
	}
	if err := Call(testContext(t), r.path, "echo", nil, nil); err != nil {
		t.Errorf("another client: %v", err)
	}
}

func TestTooManyConnections(t *testing.T) {
	r := serve(t, echo)
	var conns []plain
	for range maxConnections {
		conn := r.plain(t)
		conn.write(`{"method":"echo"}` + "\n")
		conn.line()
		conns = append(conns, conn)
	}
	for range 3 {
		refused := r.plain(t)
		if got := refused.line(); got != `{"error":"more than 8 connections, try again"}` {
			t.Errorf("got %s", got)
		}
		if !refused.closed() {
			t.Error("the connection stays open")
		}
		if err := Call(testContext(t), r.path, "echo", nil, nil); err == nil || err.Error() != "more than 8 connections, try again" {
			t.Errorf("client: %v", err)
		}
	}
	conns[3].Close()
	for range 500 {
		if Call(testContext(t), r.path, "echo", nil, nil) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the place of a closed connection is not given away")
}

func TestManyClients(t *testing.T) {
	r := serve(t, echo)
	results := make(chan error)
	for range maxConnections {
		go func() {
			for n := range 100 {
				var got struct{ N int }
				if err := Call(testContext(t), r.path, "echo", map[string]int{"n": n}, &got); err != nil && !strings.Contains(err.Error(), "try again") {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	for range maxConnections {
		if err := receive(t, results); err != nil {
			t.Error(err)
		}
	}
}

// TestEndWhileHandling ends the server while a request is handled: the handler's
// context ends, Serve waits for it, and the client learns.
func TestEndWhileHandling(t *testing.T) {
	handling, release := make(chan struct{}), make(chan struct{})
	r := serve(t, func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		close(handling)
		<-ctx.Done()
		<-release
		return nil, ctx.Err()
	})
	silent := r.plain(t)
	answered := make(chan error, 1)
	go func() { answered <- Call(testContext(t), r.path, "wait", nil, nil) }()
	receive(t, handling)
	r.stop()
	if err := receive(t, answered); err == nil {
		t.Error("the client got a reply")
	}
	if !silent.closed() {
		t.Error("an idle connection stays open")
	}
	select {
	case <-r.done:
		t.Error("Serve returned before its handler")
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	r.done <- receive(t, r.done) // for the cleanup
	if _, err := os.Lstat(r.path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}
