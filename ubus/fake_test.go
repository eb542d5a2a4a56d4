// SPDX-License-Identifier: GPL-2.0-or-later

package ubus

import (
	"bufio"
	"context"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

func testTiming() timing {
	return timing{
		hello: patience, frame: patience, write: patience, request: patience,
		retryFirst: time.Millisecond, retryLast: 4 * time.Millisecond,
	}
}

// fakeBus plays ubusd on a real socket. Its own objects are functions.
type fakeBus struct {
	t    *testing.T
	path string
	all  sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	clients  map[uint32]*fakeClient
	objects  map[uint32]*fakeObject
	lastID   uint32
	refused  map[string]Status // paths and event patterns that may not be used
}

type fakeClient struct {
	id uint32
	net.Conn
}

type fakeObject struct {
	path      string
	signature []byte
	owner     *fakeClient // nil for an object of fakeBus
	called    func(fakeCall)
	patterns  []string
	hidden    bool // from all clients, by an ACL
}

// fakeCall is a call of an object of fakeBus, to be answered now or later.
type fakeCall struct {
	client *fakeClient
	m      message
	object uint32
	method string
	args   Table
}

func newFakeBus(t *testing.T) *fakeBus {
	b := &fakeBus{
		t:       t,
		path:    filepath.Join(t.TempDir(), "ubus.sock"),
		objects: map[uint32]*fakeObject{},
		refused: map[string]Status{},
		lastID:  1024,
	}
	b.start()
	t.Cleanup(b.stop)
	return b
}

func (b *fakeBus) start() {
	b.t.Helper()
	listener, err := net.Listen("unix", b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.listener, b.clients = listener, map[uint32]*fakeClient{}
	b.mu.Unlock()
	b.all.Add(1)
	go b.accept(listener)
}

// stop ends ubusd; the objects of clients are gone with them.
func (b *fakeBus) stop() {
	b.mu.Lock()
	b.listener.Close()
	for _, c := range b.clients {
		c.Close()
	}
	b.mu.Unlock()
	b.all.Wait()
}

func (b *fakeBus) accept(listener net.Listener) {
	defer b.all.Done()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		b.mu.Lock()
		b.lastID++
		c := &fakeClient{id: b.lastID, Conn: conn}
		b.clients[c.id] = c
		b.send(c, message{kind: kindHello, peer: c.id})
		b.mu.Unlock()
		b.all.Add(1)
		go b.serve(c)
	}
}

func (b *fakeBus) serve(c *fakeClient) {
	defer b.all.Done()
	r := bufio.NewReader(c)
	for {
		m, err := readMessage(r)
		b.mu.Lock()
		if err != nil {
			c.Close()
			delete(b.clients, c.id)
			for id, o := range b.objects {
				if o.owner == c {
					delete(b.objects, id)
				}
			}
			b.mu.Unlock()
			return
		}
		b.handle(c, m)
		b.mu.Unlock()
	}
}

// handle answers one message, with mu held.
func (b *fakeBus) handle(c *fakeClient, m message) {
	a, err := parseAttrs(m.body)
	if err != nil {
		b.t.Errorf("client sent %+v: %v", m, err)
		return
	}
	switch m.kind {
	case kindLookup:
		b.lookup(c, m, &a)
	case kindAddObject:
		b.add(c, m, &a)
	case kindRemoveObject:
		id, _ := a.uint32(attrObject)
		delete(b.objects, id)
		b.status(c, m, nil)
	case kindInvoke:
		b.invoke(c, m, &a)
	case kindData, kindStatus:
		object, _ := a.uint32(attrObject)
		if caller := b.clients[m.peer]; caller != nil && b.objects[object] != nil {
			m.peer = object
			b.send(caller, m)
		}
	default:
		b.status(c, m, StatusInvalidCommand)
	}
}

func (b *fakeBus) send(c *fakeClient, m message) {
	frame, err := m.frame()
	if err != nil {
		b.t.Errorf("fake ubusd: %v", err)
		return
	}
	_, _ = c.Write(frame) // the client may be gone
}

func (b *fakeBus) status(c *fakeClient, m message, err error) {
	m.kind, m.body = kindStatus, appendUint32Attr(nil, attrStatus, codeOf(err))
	b.send(c, m)
}

func (b *fakeBus) lookup(c *fakeClient, m message, a *attrs) {
	pattern := a.text(attrPath)
	prefix, many := strings.CutSuffix(pattern, "*")
	var err error = StatusNotFound
	for id, o := range b.objects {
		if o.path == "" || !(pattern == "" || o.path == pattern || many && strings.HasPrefix(o.path, prefix)) {
			continue
		}
		err = nil
		if o.hidden {
			continue
		}
		body := appendUint32Attr(appendStringAttr(nil, attrPath, o.path), attrObject, id)
		body, start := openAttr(body, attrSignature<<attrIDShift)
		body = closeAttr(append(body, o.signature...), start)
		b.send(c, message{kind: kindData, seq: m.seq, peer: m.peer, body: body})
	}
	b.status(c, m, err)
}

func (b *fakeBus) add(c *fakeClient, m message, a *attrs) {
	path := a.text(attrPath)
	if b.refused[path] != 0 || path != "" && b.find(path) != nil {
		b.status(c, m, StatusInvalidArgument)
		return
	}
	b.lastID++
	b.objects[b.lastID] = &fakeObject{path: path, signature: a[attrSignature], owner: c}
	b.send(c, message{kind: kindData, seq: m.seq, peer: m.peer, body: appendUint32Attr(nil, attrObject, b.lastID)})
	b.status(c, m, nil)
}

func (b *fakeBus) find(path string) *fakeObject {
	for _, o := range b.objects {
		if o.path == path {
			return o
		}
	}
	return nil
}

func (b *fakeBus) invoke(c *fakeClient, m message, a *attrs) {
	id, _ := a.uint32(attrObject)
	args, err := decodeTable(a[attrData])
	if err != nil {
		b.status(c, m, StatusInvalidArgument)
		return
	}
	o := b.objects[id]
	switch {
	case id == eventObject:
		b.status(c, m, b.event(c, a.text(attrMethod), args))
	case o == nil:
		b.status(c, m, StatusNotFound)
	case o.owner != nil:
		body := appendStringAttr(appendUint32Attr(nil, attrObject, id), attrMethod, a.text(attrMethod))
		body = appendStringAttr(appendStringAttr(body, attrUser, "root"), attrGroup, "wheel")
		body, _ = appendTableAttr(body, attrData, args)
		b.send(o.owner, message{kind: kindInvoke, seq: m.seq, peer: c.id, body: body})
	default:
		o.called(fakeCall{c, m, id, a.text(attrMethod), args})
	}
}

// answer ends a call, with mu held.
func (b *fakeBus) answer(call fakeCall, reply Table, err error) {
	if reply != nil {
		body, _ := appendTableAttr(appendUint32Attr(nil, attrObject, call.object), attrData, reply)
		b.send(call.client, message{kind: kindData, seq: call.m.seq, peer: call.m.peer, body: body})
	}
	b.status(call.client, call.m, err)
}

// event is the object of ubusd for events.
func (b *fakeBus) event(c *fakeClient, method string, args Table) error {
	switch method {
	case "register":
		id, _ := args.Int("object")
		o := b.objects[uint32(id)]
		pattern, _ := args["pattern"].(string)
		if o == nil || o.owner != c || b.refused[pattern] != 0 {
			return StatusPermissionDenied
		}
		o.patterns = append(o.patterns, pattern)
	case "send":
		name, _ := args["id"].(string)
		data, ok := args["data"].(Table)
		if !ok {
			return StatusInvalidArgument
		}
		if strings.HasPrefix(name, "ubus.") {
			return StatusPermissionDenied
		}
		b.publish(c, name, data)
	default:
		return StatusInvalidCommand
	}
	return nil
}

// publish sends an event to all listeners but those of from, with mu held.
func (b *fakeBus) publish(from *fakeClient, name string, data Table) {
	for id, o := range b.objects {
		for _, pattern := range o.patterns {
			prefix, many := strings.CutSuffix(pattern, "*")
			if o.owner != from && (name == pattern || many && strings.HasPrefix(name, prefix)) {
				body := appendStringAttr(appendUint32Attr(nil, attrObject, id), attrMethod, name)
				body, _ = appendTableAttr(body, attrData, data)
				b.send(o.owner, message{kind: kindInvoke, body: body})
			}
		}
	}
}

// with runs f with mu held.
func (b *fakeBus) with(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// offer adds an object of fakeBus itself; called runs with mu held.
func (b *fakeBus) offer(path string, called func(fakeCall)) {
	b.with(func() {
		b.lastID++
		b.objects[b.lastID] = &fakeObject{path: path, called: called}
	})
}

// offerMethods adds an object whose methods all answer at once.
func (b *fakeBus) offerMethods(path string, answer func(method string, args Table) (Table, error)) {
	b.offer(path, func(call fakeCall) {
		reply, err := answer(call.method, call.args)
		b.answer(call, reply, err)
	})
}

// emit sends an event as another process would.
func (b *fakeBus) emit(name string, data Table) {
	b.with(func() { b.publish(nil, name, data) })
}

// dial connects a client that ends with the test.
func (b *fakeBus) dial() *Client {
	b.t.Helper()
	return dialPath(b.t, b.path)
}

func dialPath(t *testing.T, path string) *Client {
	t.Helper()
	c, err := dial(context.Background(), []string{path}, testTiming())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// testContext ends when a test has waited too long.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// receive waits for a value.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	panic("not reached")
}
