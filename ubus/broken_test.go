// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rawBus listens and gives the first connection to the first script, and so on;
// the last script gets all further ones. A connection ends with its script.
func rawBus(t *testing.T, scripts ...func(net.Conn)) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ubus.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Add(1)
	go func() {
		defer all.Done()
		for i := 0; ; i++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Add(1)
			go func(script func(net.Conn)) {
				defer all.Done()
				defer conn.Close()
				script(conn)
			}(scripts[min(i, len(scripts)-1)])
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	return path
}

func frameOf(t testing.TB, m message) []byte {
	t.Helper()
	frame, err := m.frame()
	if err != nil {
		t.Error(err)
	}
	return frame
}

func write(conn net.Conn, parts ...[]byte) {
	for _, part := range parts {
		if _, err := conn.Write(part); err != nil {
			return // the client has given up
		}
	}
}

// drain reads until the client closes the connection.
func drain(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// brokenFrames are what makes a stream unusable.
func brokenFrames(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"nothing":          nil,
		"version 1":        unhex(t, "01010001 00000000 00000004"),
		"length 3":         unhex(t, "00010001 00000000 00000003"),
		"length 16 MiB":    unhex(t, "00010001 00000000 00ffffff"),
		"half a head":      unhex(t, "0001000100"),
		"half a body":      unhex(t, "00010001 00000000 0000000c 0100"),
		"text of a shell":  []byte("sh: ubusd: not found\n"),
		"head and no body": unhex(t, "00010001 00000000 00100000"),
	}
}

func TestBrokenGreeting(t *testing.T) {
	cases := brokenFrames(t)
	cases["status"] = golden(t, "status-ok")
	for name, bytes := range cases {
		t.Run(name, func(t *testing.T) {
			path := rawBus(t, func(conn net.Conn) { write(conn, bytes) })
			c, err := dial(testContext(t), []string{path}, testTiming())
			if err == nil {
				c.Close()
				t.Fatal("no error")
			}
		})
	}
}

func TestNoGreetingInTime(t *testing.T) {
	path := rawBus(t, drain)
	quick := testTiming()
	quick.hello = time.Millisecond
	if _, err := dial(testContext(t), []string{path}, quick); err == nil {
		t.Error("no error")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := dial(ctx, []string{path}, testTiming()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}

// TestBrokenAnswer breaks the stream instead of answering: the call fails and
// the client connects again.
func TestBrokenAnswer(t *testing.T) {
	hello := golden(t, "hello")
	for name, broken := range brokenFrames(t) {
		t.Run(name, func(t *testing.T) {
			again := make(chan struct{}, 1)
			path := rawBus(t, func(conn net.Conn) {
				write(conn, hello)
				if _, err := readMessage(conn); err != nil {
					t.Error(err)
				}
				write(conn, broken)
			}, func(conn net.Conn) {
				again <- struct{}{}
				write(conn, hello)
				drain(conn)
			})
			c := dialPath(t, path)
			if _, err := c.Call(testContext(t), "x", "y", nil); !errors.Is(err, ErrDisconnected) {
				t.Errorf("error %v, want %v", err, ErrDisconnected)
			}
			receive(t, again)
			c.Close()
		})
	}
}

// TestStalledFrame begins a message and never ends it.
func TestStalledFrame(t *testing.T) {
	hello := golden(t, "hello")
	path := rawBus(t, func(conn net.Conn) {
		write(conn, hello, golden(t, "reply")[:40])
		drain(conn)
	})
	quick := testTiming()
	quick.frame = time.Millisecond
	first, err := dialConn(testContext(t), []string{path}, quick)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		first.read(context.Background())
		close(ended)
	}()
	receive(t, ended)
	if !errors.Is(first.err, ErrDisconnected) {
		t.Errorf("error %v, want %v", first.err, ErrDisconnected)
	}
}

// TestFullSocket sends more than a ubusd takes that does not read.
func TestFullSocket(t *testing.T) {
	done := make(chan struct{})
	path := rawBus(t, func(conn net.Conn) {
		write(conn, golden(t, "hello"))
		<-done
	})
	defer close(done)
	quick := testTiming()
	quick.write = time.Millisecond
	c, err := dialConn(testContext(t), []string{path}, quick)
	if err != nil {
		t.Fatal(err)
	}
	defer c.fail(io.EOF)
	for err == nil {
		err = c.send(message{kind: kindData, body: make([]byte, maxBlob-attrHead)})
	}
	if !errors.Is(err, ErrDisconnected) {
		t.Errorf("error %v, want %v", err, ErrDisconnected)
	}
}

// TestAnswerInPieces sends every byte by itself.
func TestAnswerInPieces(t *testing.T) {
	path := rawBus(t, func(conn net.Conn) {
		dribble := func(frame []byte) {
			for i := range frame {
				write(conn, frame[i:i+1])
			}
		}
		dribble(golden(t, "hello"))
		if _, err := readMessage(conn); err != nil {
			t.Error(err)
		}
		dribble(golden(t, "lookup-reply"))
		dribble(golden(t, "status-ok"))
		drain(conn)
	})
	c := dialPath(t, path)
	got, err := c.Lookup(testContext(t), "network.interface.wan")
	want := []Object{{Path: "network.interface.wan", Methods: wanMethods}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	c.Close()
}

// TestStrayMessages are well-framed, and no reason to break off.
func TestStrayMessages(t *testing.T) {
	ok := appendUint32Attr(nil, attrStatus, 0)
	malformed := []byte{1, 0, 0, 9}
	path := rawBus(t, func(conn net.Conn) {
		write(conn, golden(t, "hello"))
		m, err := readMessage(conn)
		if err != nil {
			t.Error(err)
		}
		for _, stray := range []message{
			{kind: 9, seq: m.seq, body: ok},        // unsubscribe
			{kind: 10, seq: m.seq, body: ok},       // notify
			{kind: 99, seq: m.seq, body: ok},       // unknown
			{kind: kindHello, seq: m.seq, peer: 1}, // a second greeting
			{kind: kindStatus, seq: m.seq + 1},     // of no request
			{kind: kindData, seq: 7, body: malformed},
			{kind: kindInvoke, body: malformed},
		} {
			write(conn, frameOf(t, stray))
		}
		write(conn, golden(t, "lookup-reply"), golden(t, "status-ok"))
		drain(conn)
	})
	c := dialPath(t, path)
	if _, err := c.Lookup(testContext(t), "network.interface.wan"); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestInvokeOfUnknownObject(t *testing.T) {
	answers := make(chan message, 1)
	path := rawBus(t, func(conn net.Conn) {
		write(conn, golden(t, "hello"), golden(t, "invoked"))
		m, err := readMessage(conn)
		if err != nil {
			t.Error(err)
		}
		answers <- m
		drain(conn)
	})
	c := dialPath(t, path)
	got := receive(t, answers)
	body := appendUint32Attr(appendUint32Attr(nil, attrStatus, 4), attrObject, wanObject)
	want := message{kind: kindStatus, seq: 2, peer: 0x24516aec, body: body}
	if !bytes.Equal(frameOf(t, got), frameOf(t, want)) {
		t.Errorf("answer %+v, want %+v", got, want)
	}
	c.Close()
}

// TestMalformedAnswer is about messages that are framed well but hold nonsense:
// the call fails, the connection stays.
func TestMalformedAnswer(t *testing.T) {
	malformed := []byte{7, 0, 0, 9}
	object := appendUint32Attr(nil, attrObject, wanObject)
	badTable, start := openAttr(object[:len(object):len(object)], attrData<<attrIDShift)
	badTable = closeAttr(append(badTable, 0x85, 0, 0, 8, 0, 0, 0, 1), start)
	ok := appendUint32Attr(nil, attrStatus, 0)
	for name, answer := range map[string][]message{
		"status without a code":    {{kind: kindStatus, body: object}},
		"malformed status":         {{kind: kindStatus, body: malformed}},
		"malformed data":           {{kind: kindData, body: malformed}, {kind: kindStatus, body: ok}},
		"malformed table":          {{kind: kindData, body: badTable}, {kind: kindStatus, body: ok}},
		"code of the wrong length": {{kind: kindStatus, body: unhex(t, "01000006 00000000")}},
	} {
		t.Run(name, func(t *testing.T) {
			path := rawBus(t, func(conn net.Conn) {
				write(conn, golden(t, "hello"))
				for range 2 {
					lookup, err := readMessage(conn)
					if err != nil {
						t.Error(err)
					}
					reply := message{kind: kindData, seq: lookup.seq, body: object}
					status := message{kind: kindStatus, seq: lookup.seq, body: ok}
					write(conn, frameOf(t, reply), frameOf(t, status))
					call, err := readMessage(conn)
					if err != nil {
						t.Error(err)
					}
					for _, m := range answer {
						m.seq, m.peer = call.seq, call.peer
						write(conn, frameOf(t, m))
					}
				}
				drain(conn)
			})
			c := dialPath(t, path)
			for range 2 {
				if got, err := c.Call(testContext(t), "x", "y", nil); !errors.Is(err, errMalformed) {
					t.Errorf("read %v, error %v, want %v", got, err, errMalformed)
				}
			}
			c.Close()
		})
	}
}
