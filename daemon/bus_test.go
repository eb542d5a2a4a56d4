// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/ubusd"
	"sqmd/ubus"
)

// busTest is a running bus of the daemon without the daemon, and what it told.
type busTest struct {
	*testing.T
	*bus
	path    string // of ubusd's socket
	told    chan presence
	heard   chan answer
	cancel  context.CancelFunc
	stopped chan struct{}
}

// busTestPatience is how long a test waits for what must happen.
const busTestPatience = 20 * time.Second

// noRequest is an asker for tests in which nobody asks.
func noRequest(context.Context, string, []byte) (any, error) { return nil, errors.New("nobody asks") }

// startBus runs a bus; there need not be a ubusd yet.
func startBus(t *testing.T, path string, ask asker) *busTest {
	b := &busTest{T: t, path: path, told: make(chan presence, 1024), heard: make(chan answer, 1024), stopped: make(chan struct{})}
	b.bus = newBus(path, ask, b.heard, b.told)
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go func() {
		defer close(b.stopped)
		b.run(ctx)
	}()
	t.Cleanup(b.end)
	return b
}

// startUbusd starts a ubusd, and a bus of the daemon that is connected to it.
func startUbusd(t *testing.T, ask asker) (*ubusd.Server, *busTest) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ubus.sock")
	s := ubusdAt(t, path)
	b := startBus(t, path, ask)
	b.present(nil)
	return s, b
}

func ubusdAt(t *testing.T, path string) *ubusd.Server {
	t.Helper()
	s, err := ubusd.Start(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// end ends the bus, which must not take long.
func (b *busTest) end() {
	b.Helper()
	b.cancel()
	select {
	case <-b.stopped:
	case <-time.After(busTestPatience):
		b.Fatal("the bus does not end with its context")
	}
}

// present waits until the next presence is told.
func (b *busTest) present(want error) {
	b.Helper()
	select {
	case p := <-b.told:
		if !errors.Is(p.err, want) {
			b.Fatalf("told %v, want %v", p.err, want)
		}
	case <-time.After(busTestPatience):
		b.Fatalf("never told %v", want)
	}
}

// answered waits for an answer and passes over others, which may be older.
func (b *busTest) answered(network, device string, reason error) {
	b.Helper()
	late := time.After(busTestPatience)
	for {
		select {
		case a := <-b.heard:
			if a.network == network && a.device == device && errors.Is(a.err, reason) {
				return
			}
		case <-late:
			b.Fatalf("never answered that %s is %q, %v", network, device, reason)
		}
	}
}

func (b *busTest) do(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *busTest) eventually(what string, is func() bool) {
	b.Helper()
	for end := time.Now().Add(busTestPatience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("never: %s", what)
		}
	}
}

// caller is another process on the bus.
func (b *busTest) caller() *ubus.Client {
	b.Helper()
	c, err := ubus.Dial(context.Background(), b.path)
	b.do(err)
	b.Cleanup(c.Close)
	return c
}

// call calls the object sqmd as another process.
func (b *busTest) call(method string, arguments ubus.Table) (ubus.Table, error) {
	b.Helper()
	c := b.caller()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), busTestPatience)
	defer cancel()
	return c.Call(ctx, objectName, method, arguments)
}

func offered(s *ubusd.Server) bool { return slices.Contains(s.Objects(), objectName) }

func TestBusObject(t *testing.T) {
	type asked struct{ Method, Arguments string }
	var got asked
	_, b := startUbusd(t, func(_ context.Context, method string, arguments []byte) (any, error) {
		got = asked{method, string(arguments)}
		return map[string]int{"answer": 7}, nil
	})
	want := ubus.Object{Path: "sqmd"}
	for _, name := range methods {
		want.Methods = append(want.Methods, ubus.Method{Name: name, Args: argumentTypes[name]})
	}
	objects, err := b.caller().Lookup(context.Background(), "sqmd")
	if diff := cmp.Diff([]ubus.Object{want}, objects); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, m := range want.Methods {
		reply, err := b.call(m.Name, ubus.Table{"ubus_rpc_session": "0"})
		if diff := cmp.Diff(ubus.Table{"answer": int32(7)}, reply); err != nil || diff != "" {
			t.Error(m.Name, err, diff)
		}
		if diff := cmp.Diff(asked{m.Name, `{"ubus_rpc_session":"0"}`}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// All networks are told of, also when none is asked about, and again when one
// changes.
func TestBusListsNetworks(t *testing.T) {
	s, b := startUbusd(t, noRequest)
	b.do(s.Network("lan", "br-lan"))
	b.listed(ubus.Network{Name: "lan", Device: "br-lan"})
	b.do(s.Network("wan", "eth1"))
	b.listed(ubus.Network{Name: "lan", Device: "br-lan"}, ubus.Network{Name: "wan", Device: "eth1"})
	b.do(s.Network("wan", ""))
	b.listed(ubus.Network{Name: "lan", Device: "br-lan"}, ubus.Network{Name: "wan"})
}

// listed waits for a list and passes over other answers.
func (b *busTest) listed(want ...ubus.Network) {
	b.Helper()
	late := time.After(busTestPatience)
	for {
		select {
		case a := <-b.heard:
			if cmp.Equal(want, a.all) {
				return
			}
		case <-late:
			b.Fatalf("never listed %v", want)
		}
	}
}

func TestUbusdStartsLater(t *testing.T) {
	b := startBus(t, filepath.Join(t.TempDir(), "ubus.sock"), noRequest)
	b.resolve([]string{"wan"})
	b.answered("wan", "", ubus.ErrNoBus)
	if len(b.told) > 0 || b.connected() {
		t.Errorf("connected %v, told %v; a missing ubusd is no news", b.connected(), b.told)
	}
	s := ubusdAt(t, b.path)
	b.do(s.Network("wan", "eth0"))
	b.present(nil)
	b.answered("wan", "eth0", nil)
	if !b.connected() || !offered(s) {
		t.Errorf("connected %v, objects %q", b.connected(), s.Objects())
	}
}

func TestUbusdRestarts(t *testing.T) {
	s, b := startUbusd(t, noRequest)
	b.do(s.Network("wan", "eth0"))
	b.resolve([]string{"wan"})
	b.answered("wan", "eth0", nil)
	for _, device := range []string{"eth1", "eth2"} {
		b.do(s.Close())
		b.eventually("the loss is noticed", func() bool { return !b.connected() })
		b.resolve([]string{"wan"})
		b.answered("wan", "", ubus.ErrDisconnected)
		s = ubusdAt(t, b.path)
		b.do(s.Network("wan", device))
		b.present(nil)
		b.answered("wan", device, nil)
		if !b.connected() || !offered(s) {
			t.Errorf("connected %v, objects %q", b.connected(), s.Objects())
		}
	}
}

// TestNameIsTaken has another process offer sqmd, until that ends.
func TestNameIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ubus.sock")
	s := ubusdAt(t, path)
	taken := []ubusd.Method{{Name: "other"}}
	if err := s.Offer(objectName, taken...); err != nil {
		t.Fatal(err)
	}
	b := startBus(t, path, func(context.Context, string, []byte) (any, error) { return struct{}{}, nil })
	b.present(ubus.StatusInvalidArgument)
	b.present(nil)
	b.do(s.Network("wan", "eth0"))
	b.resolve([]string{"wan"})
	b.answered("wan", "eth0", nil)
	b.do(s.Network("wan", "eth1"))
	b.answered("wan", "eth1", nil)
	s.Withdraw(objectName)
	b.present(nil)
	if _, err := b.call(MethodStatus, nil); err != nil {
		t.Error(err)
	}
}

// TestNameIsTakenAfterRestart has another process be faster at a restart.
func TestNameIsTakenAfterRestart(t *testing.T) {
	s, b := startUbusd(t, func(context.Context, string, []byte) (any, error) { return struct{}{}, nil })
	s.Misbehave(ubusd.Hello, ubusd.Drop)
	s.DropClients()
	b.eventually("the object is gone", func() bool { return !offered(s) })
	b.do(s.Offer(objectName))
	s.Misbehave(ubusd.Hello, 0)
	b.resolve([]string{"wan"})
	b.answered("wan", "", ubus.ErrDisconnected)
	s.Withdraw(objectName)
	b.present(nil)
	if _, err := b.call(MethodStatus, nil); err != nil {
		t.Error(err)
	}
}

// TestNetworkEvents changes networks and asks nothing after the first time.
func TestNetworkEvents(t *testing.T) {
	s, b := startUbusd(t, noRequest)
	b.resolve([]string{"lan", "wan"})
	b.answered("lan", "", ubus.ErrNoNetifd)
	b.answered("wan", "", ubus.ErrNoNetifd)
	b.do(s.Network("lan", "br-lan"))
	b.answered("lan", "br-lan", nil)
	b.answered("wan", "", ubus.ErrNoNetwork)
	for _, step := range []struct {
		device string
		err    error
	}{{"eth0", nil}, {"", ubus.ErrNetworkDown}, {"pppoe-wan", nil}, {"pppoe-wan1", nil}} {
		b.do(s.Network("wan", step.device))
		b.answered("wan", step.device, step.err)
	}
	b.do(s.RemoveNetwork("wan"))
	b.answered("lan", "br-lan", nil)
	b.answered("wan", "", ubus.ErrNoNetwork)
	b.resolve(nil)
	b.eventually("questions end", func() bool { return len(b.wake) == 0 })
	b.do(s.Send("network.interface", map[string]any{"odd": []any{nil}}))
	if _, err := b.call("none", nil); !errors.Is(err, ubus.StatusMethodNotFound) {
		t.Errorf("after an odd event: %v", err)
	}
}

// TestBusArguments asks a daemon with a queue everything that is wrong.
func TestBusArguments(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(3 * time.Second)
	var one sync.Mutex
	_, b := startUbusd(t, func(_ context.Context, method string, arguments []byte) (any, error) {
		one.Lock()
		defer one.Unlock()
		return w.ask(method, string(arguments))
	})
	vast := strings.Repeat("x", 900<<10)
	upload := func(more ubus.Table) ubus.Table {
		a := ubus.Table{"device": "eth1", "direction": "upload"}
		for name, v := range more {
			a[name] = v
		}
		return a
	}
	for _, c := range []struct {
		method    string
		arguments ubus.Table
		want      error
		text      string // of the error
	}{
		{"status", nil, nil, ""},
		{"status", ubus.Table{"ubus_rpc_session": "0123"}, nil, ""},
		{"stats", nil, nil, ""},
		{"check", nil, nil, ""},
		{"reload", nil, nil, ""},
		{"plan", ubus.Table{"device": nil}, nil, ""},
		{"plan", ubus.Table{"device": "eth1"}, nil, ""},
		{"history", upload(nil), nil, ""},
		{"history", upload(ubus.Table{"since_s": int32(1), "step_s": int64(60), "limit": nil}), nil, ""},
		{"history", upload(ubus.Table{"since_s": int64(math.MaxInt64)}), nil, ""},

		{"", nil, ubus.StatusMethodNotFound, ""},
		{"Status", nil, ubus.StatusMethodNotFound, ""},
		{vast, nil, ubus.StatusMethodNotFound, ""},
		{"status", ubus.Table{"device": "eth1"}, ubus.StatusInvalidArgument, "status has no argument"},
		{"status", ubus.Table{"device": nil}, ubus.StatusInvalidArgument, "status has no argument"},
		{"status", ubus.Table{vast[:60000]: 1}, ubus.StatusInvalidArgument, "status has no argument"},
		{"status", ubus.Table{"ubus_rpc_session": int32(1)}, ubus.StatusInvalidArgument, "arguments of status"},
		{"plan", ubus.Table{"device": true}, ubus.StatusInvalidArgument, `argument "device" is boolean, want string`},
		{"plan", ubus.Table{"device": ubus.Table{}}, ubus.StatusInvalidArgument, `argument "device" is table, want string`},
		{"plan", ubus.Table{"device": "eth9"}, ubus.StatusNotFound, "no queue shapes that device"},
		{"plan", ubus.Table{"device": vast}, ubus.StatusInvalidArgument, "device is longer than 64 bytes"},
		{"plan", ubus.Table{"device": "eth1", "since_s": 1}, ubus.StatusInvalidArgument, `plan has no argument "since_s"`},
		{"history", nil, ubus.StatusNotFound, "no queue shapes that device"},
		{"history", ubus.Table{"device": "eth1"}, ubus.StatusInvalidArgument, "direction is upload or download"},
		{"history", upload(ubus.Table{"since_s": "1"}), ubus.StatusInvalidArgument, `argument "since_s" is string, want int64`},
		{"history", upload(ubus.Table{"step_s": 1.5}), ubus.StatusInvalidArgument, `argument "step_s" is double, want integer`},
		{"history", upload(ubus.Table{"step_s": 7}), ubus.StatusInvalidArgument, "no history with a step of 7 s"},
		{"history", upload(ubus.Table{"step_s": int64(1<<32 + 1)}), ubus.StatusInvalidArgument, ""},
		{"history", upload(ubus.Table{"limit": -1}), ubus.StatusInvalidArgument, "not negative"},
		{"history", upload(ubus.Table{"limit": int64(math.MaxInt64)}), ubus.StatusInvalidArgument, ""},
		{"history", upload(ubus.Table{"x": math.NaN()}), ubus.StatusInvalidArgument, "NaN"},
		{"history", upload(ubus.Table{"DEVICE": "eth9"}), ubus.StatusInvalidArgument, `history has no argument "DEVICE"`},
	} {
		reply, err := b.call(c.method, c.arguments)
		switch {
		case !errors.Is(err, c.want):
			t.Errorf("%.20s %.80v: error %.200v, want %v", c.method, c.arguments, err, c.want)
		case err == nil && len(reply) == 0:
			t.Errorf("%.20s %.80v: an empty reply", c.method, c.arguments)
		case err != nil && (!strings.Contains(strings.ReplaceAll(err.Error(), `\"`, `"`), c.text) || len(err.Error()) > 500 && c.method != vast):
			t.Errorf("%.20s %.80v: error %.500q (%d bytes), want one with %q", c.method, c.arguments, err, len(err.Error()), c.text)
		}
	}
}

// TestBusReplies has the loop answer what cannot be sent as it is.
func TestBusReplies(t *testing.T) {
	var value any
	var failure error
	_, b := startUbusd(t, func(context.Context, string, []byte) (any, error) { return value, failure })
	for name, c := range map[string]struct {
		value   any
		failure error
		want    error
		text    string
	}{
		"error with a code":    {nil, errMethod, ubus.StatusMethodNotFound, "known are status"},
		"error without a code": {nil, errors.New("kernel gone"), ubus.StatusUnknown, "kernel gone"},
		"no table":             {7, nil, ubus.StatusUnknown, "make a ubus table"},
		"nothing":              {nil, nil, ubus.StatusUnknown, "null is not an object"},
		"not in JSON":          {make(chan int), nil, ubus.StatusUnknown, "make a ubus table"},
		"above 1 MiB":          {map[string]string{"x": strings.Repeat("x", 1<<20)}, nil, ubus.StatusUnknown, "above 1 MiB"},
		"too many values":      {map[string][]int{"x": make([]int, 20000)}, nil, ubus.StatusUnknown, "more than 16384 values"},
	} {
		value, failure = c.value, c.failure
		if reply, err := b.call(MethodStatus, nil); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, error %v; want %v with %q", name, reply, err, c.want, c.text)
		}
	}
}

// TestGarbageFromUbusd sends what ends a connection; the bus makes a new one.
func TestGarbageFromUbusd(t *testing.T) {
	s, b := startUbusd(t, noRequest)
	b.do(s.Network("wan", "eth0"))
	b.resolve([]string{"wan"})
	for name, raw := range map[string][]byte{
		"text":              []byte("GET / HTTP/1.1\r\n\r\n"),
		"length below head": {0, 5, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3},
		"above 1 MiB":       {0, 5, 0, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 0xfc},
	} {
		t.Log(name)
		s.Inject(raw)
		b.present(nil)
		b.answered("wan", "eth0", nil)
		if !offered(s) {
			t.Error("the object is not back")
		}
	}
}

// TestQuestionsGoWrong has ubusd break down over a question, in every way.
func TestQuestionsGoWrong(t *testing.T) {
	s, b := startUbusd(t, noRequest)
	b.do(s.Network("wan", "eth0"))
	for _, f := range []ubusd.Fault{ubusd.Garbage, ubusd.Oversize, ubusd.Drop} {
		s.Misbehave(ubusd.Invoke, f)
		b.resolve([]string{"wan"})
		b.answered("wan", "", ubus.ErrDisconnected)
		s.Misbehave(ubusd.Invoke, 0)
		b.present(nil)
		b.answered("wan", "eth0", nil)
	}
}

// TestOddMessagesFromUbusd sends messages that are whole but mean nothing.
func TestOddMessagesFromUbusd(t *testing.T) {
	s, b := startUbusd(t, func(context.Context, string, []byte) (any, error) { return struct{}{}, nil })
	for name, raw := range map[string][]byte{
		"kind of tomorrow":        {0, 99, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4},
		"second greeting":         {0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 4},
		"answer to no question":   {0, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 4},
		"call of no object":       {0, 5, 0, 1, 0, 0, 0, 9, 0, 0, 0, 4},
		"call that is cut off":    {0, 5, 0, 1, 0, 0, 0, 9, 0, 0, 0, 8, 3, 0, 0, 9},
		"call of another object":  {0, 5, 0, 1, 0, 0, 0, 9, 0, 0, 0, 12, 3, 0, 0, 8, 0, 0, 0, 7},
		"attribute 100 of nobody": {0, 5, 0, 1, 0, 0, 0, 9, 0, 0, 0, 12, 100, 0, 0, 8, 0, 0, 0, 7},
	} {
		s.Inject(raw)
		if _, err := b.call(MethodStatus, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.told) > 0 {
		t.Errorf("connected anew %d times", len(b.told))
	}
}

// TestNetifdHangs has a question go unanswered. Neither the loop nor who calls
// the daemon waits for it, and the next network is asked about after a while.
func TestNetifdHangs(t *testing.T) {
	t.Parallel()
	s, b := startUbusd(t, func(context.Context, string, []byte) (any, error) { return struct{}{}, nil })
	entered := make(chan struct{}, 1)
	b.do(s.Offer("network.interface.wan", ubusd.Method{Name: "status",
		Answer: func(ctx context.Context, _ map[string]any) (map[string]any, ubusd.Status) {
			entered <- struct{}{}
			<-ctx.Done()
			return nil, ubusd.OK
		}}))
	b.do(s.Network("lan", "br-lan"))
	began := time.Now()
	b.resolve([]string{"wan"})
	<-entered
	for range 100 {
		b.resolve([]string{"lan", "wan"})
	}
	if _, err := b.call(MethodStatus, nil); err != nil {
		t.Error(err)
	}
	b.answered("wan", "", context.DeadlineExceeded)
	if waited := time.Since(began); waited < busPatience {
		t.Errorf("gave up after %v", waited)
	}
	b.answered("lan", "br-lan", nil)
}

// TestBusEndLeavesNothing ends the bus in every state that it may be in.
func TestBusEndLeavesNothing(t *testing.T) {
	hang := func(kind ubusd.Kind) func(*ubusd.Server) {
		return func(s *ubusd.Server) { s.Misbehave(kind, ubusd.Hang) }
	}
	for name, prepare := range map[string]func(*ubusd.Server){
		"no ubusd":             func(s *ubusd.Server) { s.Close() },
		"connected":            func(*ubusd.Server) {},
		"name taken":           func(s *ubusd.Server) { _ = s.Offer(objectName) },
		"greeting hangs":       hang(ubusd.Hello),
		"registration hangs":   hang(ubusd.AddObject),
		"listening hangs":      hang(ubusd.Invoke),
		"question hangs":       hang(ubusd.Lookup),
		"greeting is garbage":  func(s *ubusd.Server) { s.Misbehave(ubusd.Hello, ubusd.Garbage) },
		"greeting is a hangup": func(s *ubusd.Server) { s.Misbehave(ubusd.Hello, ubusd.Drop) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ubus.sock")
			s := ubusdAt(t, path)
			prepare(s)
			b := startBus(t, path, noRequest)
			b.resolve([]string{"wan"})
			time.Sleep(20 * time.Millisecond) // any moment is right, also one before all that
			b.endsAtOnce()
		})
	}
	t.Run("call under way", func(t *testing.T) {
		entered := make(chan struct{})
		_, b := startUbusd(t, func(ctx context.Context, _ string, _ []byte) (any, error) {
			close(entered)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		c := b.caller()
		ctx, cancel := context.WithCancel(context.Background())
		called := make(chan struct{})
		go func() {
			defer close(called)
			_, _ = c.Call(ctx, objectName, MethodStatus, nil) // nobody answers any more
		}()
		<-entered
		b.end()
		cancel()
		<-called
		c.Close()
		b.endsAtOnce()
	})
}

// endsAtOnce ends the bus, which waits for nobody, and looks for goroutines of it
// that are left.
func (b *busTest) endsAtOnce() {
	b.Helper()
	b.end()
	// One that has said it is done may still be on its way out.
	b.eventually("none of its goroutines is left", func() bool {
		return !strings.Contains(stacks(), "sqmd/ubus.(*") && !strings.Contains(stacks(), "daemon.(*bus)")
	})
}

// stacks are those of all goroutines.
func stacks() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}
