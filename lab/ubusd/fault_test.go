// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"sqmd/ubus"
)

// TestFaults has calls fail in every way, and the next one succeed.
func TestFaults(t *testing.T) {
	s, path := startAnywhere(t)
	must(t, s.Offer("echo", Method{Name: "echo", Answer: echo}))
	for _, f := range []struct {
		kind  Kind
		fault Fault
		want  error
	}{
		{Invoke, Drop, ubus.ErrDisconnected},
		{Lookup, Garbage, ubus.ErrDisconnected},
		{Invoke, Oversize, ubus.ErrDisconnected},
		{Invoke, Hang, context.DeadlineExceeded},
	} {
		c := dial(t, path)
		s.Misbehave(f.kind, f.fault)
		ctx := testContext(t)
		if f.fault == Hang {
			brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			ctx = brief
		}
		if _, err := c.Call(ctx, "echo", "echo", nil); !errors.Is(err, f.want) {
			t.Errorf("%+v: error %v, want %v", f, err, f.want)
		}
		s.Misbehave(f.kind, 0)
		eventually(t, "a call succeeds", func() bool {
			_, err := c.Call(testContext(t), "echo", "echo", nil)
			return err == nil
		})
	}
}

func TestNoGreeting(t *testing.T) {
	s, path := startAnywhere(t)
	for _, f := range []Fault{Drop, Garbage, Oversize, Hang} {
		s.Misbehave(Hello, f)
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		if c, err := ubus.Dial(ctx, path); err == nil {
			c.Close()
			t.Errorf("fault %d: connected", f)
		}
		cancel()
	}
	s.Misbehave(Hello, 0)
	dial(t, path)
}

func TestInject(t *testing.T) {
	s, path := startAnywhere(t)
	events := listen(t, dial(t, path), "*")
	s.Inject([]byte("no frame at all"))
	if e := receive(t, events); !e.Missed {
		t.Errorf("heard %+v, want a new connection", e)
	}
}

// rawDial connects without a client.
func rawDial(t *testing.T, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", path)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	f, err := readFrame(conn)
	if err != nil || f.kind != Hello || f.peer == 0 {
		t.Fatalf("greeting: %+v, %v", f, err)
	}
	return conn
}

// TestRequestsNoClientMakes sends what package ubus never does.
func TestRequestsNoClientMakes(t *testing.T) {
	s, path := startAnywhere(t)
	must(t, s.Offer("echo", Method{Name: "echo", Answer: echo}))
	echoID := blobUint32(attrObject, s.find("echo").id)
	conn := rawDial(t, path)
	invoke := func(id uint32, method string, data []byte) []byte {
		body := append(blobUint32(attrObject, id), blobText(attrMethod, method)...)
		return append(body, blob(attrData, data)...)
	}
	fields := func(table map[string]any) []byte {
		b, err := fieldsOf(table, 1)
		must(t, err)
		return b
	}
	for _, r := range []struct {
		name string
		frame
		want Status
	}{
		{"kind of tomorrow", frame{kind: 99}, InvalidCommand},
		{"call of nothing", frame{kind: Invoke}, InvalidArgument},
		{"call without method", frame{kind: Invoke, body: echoID}, InvalidArgument},
		{"call of an object that is not", frame{kind: Invoke, body: invoke(2000, "echo", nil)}, NotFound},
		{"arguments that are none", frame{kind: Invoke, body: invoke(s.find("echo").id, "echo", []byte{1})}, InvalidArgument},
		{"event method of tomorrow", frame{kind: Invoke, body: invoke(eventObject, "forget", nil)}, InvalidCommand},
		{"events with broken arguments", frame{kind: Invoke, body: invoke(eventObject, "send", []byte{1})}, InvalidArgument},
		{"events without pattern", frame{kind: Invoke, body: invoke(eventObject, "register", nil)}, InvalidArgument},
		{"events to nobody", frame{kind: Invoke, body: invoke(eventObject, "register", fields(map[string]any{"pattern": "*"}))}, NotFound},
		{"events to another's object", frame{kind: Invoke, body: invoke(eventObject, "register",
			fields(map[string]any{"pattern": "*", "object": int32(s.find("echo").id)}))}, PermissionDenied},
		{"event without data", frame{kind: Invoke, body: invoke(eventObject, "send", fields(map[string]any{"id": "x"}))}, InvalidArgument},
		{"remove nothing", frame{kind: RemoveObject}, NotFound},
		{"remove another's object", frame{kind: RemoveObject, body: echoID}, PermissionDenied},
		{"pattern as a name", frame{kind: AddObject, body: blobText(attrPath, "x*")}, InvalidArgument},
	} {
		r.seq, r.peer = 7, 9
		_, err := conn.Write(r.bytes())
		must(t, err)
		got, err := readFrame(conn)
		must(t, err)
		a, err := splitAttributes(got.body)
		must(t, err)
		if status, ok := a.number(attrStatus); !ok || Status(status) != r.want || got.kind != StatusOf || got.seq != 7 || got.peer != 9 {
			t.Errorf("%s: %+v, want status %d", r.name, got, r.want)
		}
	}
}

// TestUnaskedAnswers sends answers to nobody's calls, and a ping that shows that they went unanswered themselves.
func TestUnaskedAnswers(t *testing.T) {
	_, path := startAnywhere(t)
	conn := rawDial(t, path)
	for _, f := range []frame{
		{kind: StatusOf, seq: 1}, {kind: Data, seq: 2, peer: 1, body: blobUint32(attrObject, 5)}, {kind: Ping, seq: 3},
	} {
		_, err := conn.Write(f.bytes())
		must(t, err)
	}
	for _, want := range []Kind{Data, StatusOf} {
		got, err := readFrame(conn)
		if err != nil || got.kind != want || got.seq != 3 {
			t.Errorf("answer %+v, %v; want kind %d to the ping", got, err, want)
		}
	}
}

// TestClientsThatAreCutOff sends what ends a connection.
func TestClientsThatAreCutOff(t *testing.T) {
	s, path := startAnywhere(t)
	for name, raw := range map[string][]byte{
		"version 1":            {1, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4},
		"length below head":    {0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3},
		"length above 1 MiB":   {0, 4, 0, 1, 0, 0, 0, 0, 0, 0x10, 0, 1},
		"attribute cut off":    {0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 9},
		"attribute below head": {0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 3},
	} {
		conn := rawDial(t, path)
		_, err := conn.Write(raw)
		must(t, err)
		if f, err := readFrame(conn); err == nil {
			t.Errorf("%s: answered %+v", name, f)
		}
	}
	eventually(t, "all are gone", func() bool { return s.Clients() == 0 })
}

// TestClientThatDoesNotRead is cut off before the server holds much for it.
func TestClientThatDoesNotRead(t *testing.T) {
	s, path := startAnywhere(t)
	rawDial(t, path)
	eventually(t, "it is there", func() bool { return s.Clients() == 1 })
	chunk := make([]byte, maxBody)
	for range 3 * maxQueued / maxBody { // what the writer has taken out of the queue does not count
		s.Inject(chunk)
	}
	eventually(t, "it is gone", func() bool { return s.Clients() == 0 })
}

func TestClientsAreBounded(t *testing.T) {
	s, path := startAnywhere(t)
	for range maxClients {
		rawDial(t, path)
	}
	conn, err := net.Dial("unix", path)
	must(t, err)
	defer conn.Close()
	if f, err := readFrame(conn); err == nil {
		t.Errorf("one too many is greeted: %+v", f)
	}
	if s.Clients() != maxClients {
		t.Errorf("%d clients", s.Clients())
	}
}
