// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/ubus"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

func start(t *testing.T, path string) *Server {
	t.Helper()
	s, err := Start(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func startAnywhere(t *testing.T) (*Server, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ubus.sock")
	return start(t, path), path
}

func dial(t *testing.T, path string) *ubus.Client {
	t.Helper()
	c, err := ubus.Dial(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// every has a value of every type of the wire.
var every = ubus.Table{
	"text": "wan", "empty": "", "yes": true, "no": false, "none": nil,
	"short": int16(-2), "int": int32(math.MinInt32), "long": int64(5e9), "double": -0.5,
	"list": []any{int32(1), "two", nil, []any{}, ubus.Table{"three": int64(-3)}},
	"in":   ubus.Table{"side": ubus.Table{}},
}

func echo(_ context.Context, arguments map[string]any) (map[string]any, Status) { return arguments, OK }

func TestObjectOfTheServer(t *testing.T) {
	s, path := startAnywhere(t)
	must(t, s.Offer("system", Method{Name: "echo", Answer: echo, Arguments: []Argument{
		{"a", Array}, {"t", Table}, {"s", Text}, {"i", Integer}, {"b", Boolean},
	}}, Method{Name: "fail", Answer: func(context.Context, map[string]any) (map[string]any, Status) { return nil, 77 }},
		Method{Name: "odd", Answer: func(context.Context, map[string]any) (map[string]any, Status) {
			return map[string]any{"x": struct{}{}}, OK
		}},
		Method{Name: "vast", Answer: func(context.Context, map[string]any) (map[string]any, Status) {
			return map[string]any{"x": strings.Repeat("x", maxBody)}, OK
		}}))
	if err := s.Offer("system"); !errors.Is(err, errTaken) {
		t.Errorf("a second object of one name: %v, want %v", err, errTaken)
	}
	c := dial(t, path)
	objects, err := c.Lookup(testContext(t), "system")
	want := []ubus.Object{{Path: "system", Methods: []ubus.Method{{Name: "echo", Args: []ubus.Arg{
		{Name: "a", Type: ubus.TypeArray}, {Name: "t", Type: ubus.TypeTable}, {Name: "s", Type: ubus.TypeString},
		{Name: "i", Type: ubus.TypeInt32}, {Name: "b", Type: ubus.TypeBool},
	}}, {Name: "fail"}, {Name: "odd"}, {Name: "vast"}}}}
	if diff := cmp.Diff(want, objects); err != nil || diff != "" {
		t.Error(err, diff)
	}
	reply, err := c.Call(testContext(t), "system", "echo", every)
	if diff := cmp.Diff(every, reply); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for method, want := range map[string]ubus.Status{
		"fail": 77, "odd": ubus.StatusSystemError, "vast": ubus.StatusSystemError, "none": ubus.StatusMethodNotFound,
	} {
		if _, err := c.Call(testContext(t), "system", method, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", method, err, want)
		}
	}
	s.Withdraw("system")
	if _, err := c.Call(testContext(t), "system", "echo", nil); !errors.Is(err, ubus.StatusNotFound) {
		t.Errorf("withdrawn: %v", err)
	}
}

// TestObjectOfAClient calls from one client to another, through the server.
func TestObjectOfAClient(t *testing.T) {
	s, path := startAnywhere(t)
	owner, caller := dial(t, path), dial(t, path)
	requests := make(chan ubus.Request, 1)
	methods := []ubus.Method{{Name: "echo", Args: []ubus.Arg{{Name: "text", Type: ubus.TypeString}},
		Handle: func(_ context.Context, r ubus.Request) (ubus.Table, error) {
			requests <- r
			return r.Args, nil
		}}, {Name: "fail", Handle: func(context.Context, ubus.Request) (ubus.Table, error) { return nil, ubus.StatusNoData }}}
	must(t, owner.AddObject(testContext(t), ubus.Object{Path: "sqmd", Methods: methods}))
	if err := caller.AddObject(testContext(t), ubus.Object{Path: "sqmd"}); !errors.Is(err, ubus.StatusInvalidArgument) {
		t.Errorf("a name that is taken: %v", err)
	}
	reply, err := caller.Call(testContext(t), "sqmd", "echo", every)
	if diff := cmp.Diff(every, reply); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if r := receive(t, requests); r.User == "" || r.Group == "" {
		t.Errorf("caller is user %q of group %q", r.User, r.Group)
	}
	for method, want := range map[string]ubus.Status{"fail": ubus.StatusNoData, "none": ubus.StatusMethodNotFound} {
		if _, err := caller.Call(testContext(t), "sqmd", method, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", method, err, want)
		}
	}
	owner.Close()
	eventually(t, "the object goes with its client", func() bool { return len(s.Objects()) == 0 })
	must(t, caller.AddObject(testContext(t), ubus.Object{Path: "sqmd"}))
}

func TestLookupByPattern(t *testing.T) {
	s, path := startAnywhere(t)
	c := dial(t, path)
	if objects, err := c.Lookup(testContext(t), ""); err != nil || objects != nil {
		t.Errorf("an empty bus: %v, %v", objects, err)
	}
	must(t, s.Network("wan", "eth0"))
	must(t, s.Network("lan", ""))
	must(t, s.Offer("system"))
	for pattern, want := range map[string][]string{
		"":                    {"network.interface", "network.interface.lan", "network.interface.wan", "system"},
		"*":                   {"network.interface", "network.interface.lan", "network.interface.wan", "system"},
		"network.interface":   {"network.interface"},
		"network.interface.*": {"network.interface.lan", "network.interface.wan"},
		"s*":                  {"system"},
	} {
		objects, err := c.Lookup(testContext(t), pattern)
		var got []string
		for _, o := range objects {
			got = append(got, o.Path)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", pattern, err, diff)
		}
	}
	for _, pattern := range []string{"network", "x*"} {
		if _, err := c.Lookup(testContext(t), pattern); !errors.Is(err, ubus.StatusNotFound) {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}

func listen(t *testing.T, c *ubus.Client, pattern string) <-chan ubus.Event {
	t.Helper()
	events := make(chan ubus.Event, 64)
	must(t, c.Listen(testContext(t), pattern, func(_ context.Context, e ubus.Event) { events <- e }))
	return events
}

func TestEvents(t *testing.T) {
	s, path := startAnywhere(t)
	c, other := dial(t, path), dial(t, path)
	exact, prefix, own := listen(t, c, "dhcp"), listen(t, c, "dhcp*"), listen(t, other, "*")
	must(t, s.Send("dhcp", map[string]any{"n": int32(1), "t": map[string]any{}}))
	must(t, other.Send(testContext(t), "dhcp.ack", every))
	must(t, s.Send("dhcp.end", nil))
	first := ubus.Event{Name: "dhcp", Data: ubus.Table{"n": int32(1), "t": ubus.Table{}}}
	for _, l := range []struct {
		name  string
		heard <-chan ubus.Event
		want  []ubus.Event
	}{
		{"prefix", prefix, []ubus.Event{first, {Name: "dhcp.ack", Data: every}, {Name: "dhcp.end", Data: ubus.Table{}}}},
		{"exact", exact, []ubus.Event{first}},
		{"who sends", own, []ubus.Event{first, {Name: "dhcp.end", Data: ubus.Table{}}}},
	} {
		for _, want := range l.want {
			if diff := cmp.Diff(want, receive(t, l.heard)); diff != "" {
				t.Errorf("%s: %s", l.name, diff)
			}
		}
		if len(l.heard) > 0 {
			t.Errorf("%s also heard %+v", l.name, <-l.heard)
		}
	}
	if err := other.Send(testContext(t), "ubus.object.add", nil); !errors.Is(err, ubus.StatusPermissionDenied) {
		t.Errorf("an event of ubusd's own: %v", err)
	}
	if err := s.Send("x", map[string]any{"x": 1}); err == nil {
		t.Error("an int has no type on the bus, but was sent")
	}
}

func TestObjectsAreAnnounced(t *testing.T) {
	_, path := startAnywhere(t)
	c, other := dial(t, path), dial(t, path)
	events := listen(t, c, "ubus.object.*")
	must(t, other.AddObject(testContext(t), ubus.Object{Path: "sqmd"}))
	other.Close()
	for _, name := range []string{"ubus.object.add", "ubus.object.remove"} {
		e := receive(t, events)
		id, _ := e.Data.Int("id")
		if e.Name != name || e.Data["path"] != "sqmd" || id == 0 {
			t.Errorf("heard %+v, want %s of sqmd", e, name)
		}
	}
}

func TestNetworks(t *testing.T) {
	s, path := startAnywhere(t)
	c := dial(t, path)
	if _, err := c.ResolveDevice(testContext(t), "wan"); !errors.Is(err, ubus.ErrNoNetifd) {
		t.Errorf("without netifd: %v", err)
	}
	events := listen(t, c, "network.interface")
	must(t, s.Network("lan", "br-lan"))
	for _, step := range []struct {
		device, action string
		err            error
	}{
		{"", "", ubus.ErrNetworkDown}, {"eth0", "ifup", nil}, {"eth0", "", nil}, {"eth1", "ifupdate", nil},
		{"", "ifdown", ubus.ErrNetworkDown}, {"pppoe-wan", "ifup", nil},
	} {
		for len(events) > 0 {
			<-events
		}
		must(t, s.Network("wan", step.device))
		if device, err := c.ResolveDevice(testContext(t), "wan"); device != step.device || !errors.Is(err, step.err) {
			t.Errorf("%+v: resolved to %q, %v", step, device, err)
		}
		if step.action == "" {
			continue
		}
		want := ubus.Event{Name: "network.interface", Data: ubus.Table{"action": step.action, "interface": "wan"}}
		for e := receive(t, events); !cmp.Equal(want, e); e = receive(t, events) {
			if e.Data["interface"] == "wan" {
				t.Errorf("heard %+v, want %+v", e, want)
			}
		}
	}
	dump, err := c.Call(testContext(t), "network.interface", "dump", nil)
	want := ubus.Table{"interface": []any{
		ubus.Table{"interface": "lan", "up": true, "pending": false, "available": true, "autostart": true, "proto": "static", "device": "br-lan", "l3_device": "br-lan"},
		ubus.Table{"interface": "wan", "up": true, "pending": false, "available": true, "autostart": true, "proto": "static", "device": "pppoe-wan", "l3_device": "pppoe-wan"},
	}}
	if diff := cmp.Diff(want, dump); err != nil || diff != "" {
		t.Error(err, diff)
	}
	must(t, s.RemoveNetwork("wan"))
	if e := receive(t, events); e.Data["action"] != "ifdown" || e.Data["interface"] != "wan" {
		t.Errorf("heard %+v", e)
	}
	if _, err := c.ResolveDevice(testContext(t), "wan"); !errors.Is(err, ubus.ErrNoNetwork) {
		t.Errorf("removed: %v", err)
	}
}

// TestRestart ends one server and starts another; the client comes back to it.
func TestRestart(t *testing.T) {
	first, path := startAnywhere(t)
	owner := dial(t, path)
	events := listen(t, owner, "*")
	must(t, owner.AddObject(testContext(t), ubus.Object{Path: "sqmd", Methods: []ubus.Method{{Name: "status"}}}))
	must(t, first.Close())
	second := start(t, path)
	for !receive(t, events).Missed {
	}
	if diff := cmp.Diff([]string{"sqmd"}, second.Objects()); diff != "" {
		t.Error(diff)
	}
	second.DropClients()
	for !receive(t, events).Missed {
	}
	if diff := cmp.Diff([]string{"sqmd"}, second.Objects()); diff != "" {
		t.Error(diff)
	}
}

func TestStartErrors(t *testing.T) {
	_, path := startAnywhere(t)
	if s, err := Start(path); err == nil {
		s.Close()
		t.Error("two servers at one path")
	}
}

// TestCloseLeavesNothing closes a server with a client, an object and a call under way.
func TestCloseLeavesNothing(t *testing.T) {
	s, path := startAnywhere(t)
	entered := make(chan struct{})
	must(t, s.Offer("slow", Method{Name: "wait", Answer: func(ctx context.Context, _ map[string]any) (map[string]any, Status) {
		close(entered)
		<-ctx.Done()
		return nil, OK
	}}))
	c := dial(t, path)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Call(testContext(t), "slow", "wait", nil)
		failed <- err
	}()
	receive(t, entered)
	must(t, s.Close())
	if err := receive(t, failed); !errors.Is(err, ubus.ErrDisconnected) {
		t.Errorf("call: %v", err)
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if text := string(stacks); strings.Contains(text, "ubusd.(*Server)") {
		t.Errorf("left running:\n%s", text)
	}
}
