// SPDX-License-Identifier: GPL-2.0-or-later

package control

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestCall(t *testing.T) {
	r := serve(t, echo)
	type args struct {
		Device string `json:"device"`
	}
	var got args
	if err := Call(testContext(t), r.path, "echo", args{"eth1"}, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(args{"eth1"}, got); diff != "" {
		t.Error(diff)
	}
	var large string
	if err := Call(testContext(t), r.path, "large", nil, &large); err != nil || len(large) != maxReply-12 {
		t.Errorf("%d bytes, %v", len(large), err)
	}
}

func TestCallErrors(t *testing.T) {
	r := serve(t, echo)
	dir := filepath.Dir(r.path)
	stale(t, filepath.Join(dir, "stale"))
	for _, test := range []struct {
		name, path, method string
		args, reply        any
		want               string
	}{
		{"no socket", filepath.Join(dir, "none"), "echo", nil, nil, "connect to PATH: no daemon is running"},
		{"no directory", filepath.Join(dir, "none", "none"), "echo", nil, nil, "connect to PATH: no daemon is running"},
		{"stale", filepath.Join(dir, "stale"), "echo", nil, nil, "connect to PATH: no daemon is running"},
		{"refused", r.path, "fly", nil, nil, "unknown method \"fly\"\nsecond line"},
		{"args not an object", r.path, "echo", []int{1}, nil, "args is not an object"},
		{"args not JSON", r.path, "echo", func() {}, nil, "ask for echo: json: unsupported type: func()"},
		{"args too long", r.path, "echo", map[string]string{"x": strings.Repeat("x", maxRequest)}, nil, "ask for echo: request of 65569 bytes is longer than 65536"},
		{"other reply", r.path, "echo", nil, new(int), "reply is not what was expected: json: cannot unmarshal object into Go value of type int"},
	} {
		err := Call(testContext(t), test.path, test.method, test.args, test.reply)
		if err == nil || strings.ReplaceAll(err.Error(), test.path, "PATH") != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if errors.Is(err, ErrNoDaemon) != strings.Contains(test.want, "no daemon") {
			t.Errorf("%s: errors.Is(%v, ErrNoDaemon)", test.name, err)
		}
	}
}

// TestCallContext asks a server that accepts no one, and one that does not answer.
func TestCallContext(t *testing.T) {
	deaf := mustListen(t, filepath.Join(t.TempDir(), "s"))
	mute := serve(t, func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		return nil, nil
	})
	for _, path := range []string{deaf.path, mute.path} {
		ctx, cancel := context.WithCancel(context.Background())
		answered := make(chan error, 1)
		go func() { answered <- Call(ctx, path, "echo", nil, nil) }()
		cancel()
		if err := receive(t, answered); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFullQueueContext(t *testing.T) {
	s := mustListen(t, filepath.Join(t.TempDir(), "s"))
	for {
		fd, err := connect(s.path)
		if err != nil {
			break
		}
		defer syscall.Close(fd)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Call(ctx, s.path, "echo", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestClientOutlivesDaemon restarts the daemon under a client.
func TestClientOutlivesDaemon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	start := func() (stop func()) {
		s := mustListen(t, path)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx, echo) }()
		return func() { cancel(); receive(t, done) }
	}
	stop := start()
	c, err := Dial(testContext(t), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func() error { return c.Call(testContext(t), "echo", nil, nil) }
	for range 3 {
		if err := ask(); err != nil {
			t.Error(err)
		}
	}
	stop()
	if err := ask(); err == nil {
		t.Error("an answer from a daemon that is gone")
	}
	if err := ask(); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("got %v", err)
	}
	defer start()()
	if err := ask(); err != nil {
		t.Error(err)
	}
}

// TestQuietClient comes back after the server may have closed its connection.
func TestQuietClient(t *testing.T) {
	r := serve(t, echo)
	c, err := Dial(testContext(t), r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.conn.Close()
	c.used = c.used.Add(-idleTime)
	if err := c.Call(testContext(t), "echo", nil, nil); err != nil {
		t.Error(err)
	}
}

// TestHostileServer answers with what is no answer.
func TestHostileServer(t *testing.T) {
	for _, test := range []struct{ name, answer, want string }{
		{"nothing", "", "ask the daemon for status: the daemon hung up"},
		{"half", `{"reply":`, "ask the daemon for status: the daemon hung up"},
		{"garbage", "hello\n", "answer is not understood: invalid character 'h' looking for beginning of value"},
		{"neither", "{}\n", "answer has neither reply nor error"},
		{"too long", strings.Repeat("x", maxReply+1) + "\n", "ask the daemon for status: line is too long"},
	} {
		s := mustListen(t, filepath.Join(t.TempDir(), "s"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn, err := s.accept()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			conn.Read(make([]byte, 100))
			conn.WriteString(test.answer)
		}()
		err := Call(testContext(t), s.path, "status", nil, nil)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		receive(t, done)
	}
}

// TestNotRoot connects as a user who may not.
func TestNotRoot(t *testing.T) {
	r := serve(t, echo)
	if os.Geteuid() == 0 {
		demote(t)
	} else if err := os.Chmod(r.path, 0); err != nil {
		t.Fatal(err)
	}
	err := Call(testContext(t), r.path, "echo", nil, nil)
	if !errors.Is(err, syscall.EACCES) || !strings.HasSuffix(err.Error(), "run as root") {
		t.Errorf("got %v", err)
	}
}

// demote makes the thread of this test an ordinary user's as far as files are
// concerned, until the test ends.
func demote(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	set := func(uid int) {
		if previous, err := unix.SetfsuidRetUid(uid); err != nil {
			t.Fatal(previous, err)
		}
	}
	set(65534)
	t.Cleanup(func() { set(os.Geteuid()) })
}
