// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/ifb"
	"sqmd/tc"
	"sqmd/uci"
)

var update = flag.Bool("update", false, "write the plans in testdata anew")

// router is a system with one Ethernet device and nothing of ours on it.
func router(device string) State {
	link := ifb.Link{Index: 2, Name: device, Kind: "device", MTU: 1500, Header: 14, TxQueues: 1, Up: true}
	return State{Links: map[string]ifb.Link{device: link}, Devices: map[string]*Device{device: {Link: link}}}
}

func everything(string) bool { return true }

// unitOf is the only unit of a configuration.
func unitOf(t *testing.T, text string) Unit {
	t.Helper()
	units, findings, _ := Group(uci.ParseSQM("sqm", []byte(text)).Queues, everything, nil)
	if len(units) != 1 || len(findings) != 0 {
		t.Fatalf("%d units, findings %v", len(units), findings)
	}
	return units[0]
}

// Each testdata/NAME.sqm gives the commands in NAME.plan.
func TestPlans(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.sqm")
	if len(paths) == 0 {
		t.Fatal("no configuration in testdata")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			u := unitOf(t, string(text))
			state := router(u.Device)
			p := NewPlan(u, state, Knowledge{})
			var lines []string
			for _, f := range p.Findings {
				lines = append(lines, "# "+f.Problem)
			}
			got := strings.Join(append(lines, Commands(Diff(p.Targets, state), state.Links)...), "\n") + "\n"
			golden := strings.TrimSuffix(path, ".sqm") + ".plan"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// carriedOut is the state after the plan, as an exact kernel would have it.
func carriedOut(p Plan, before State) State {
	after := State{Links: map[string]ifb.Link{}, Devices: map[string]*Device{}}
	for name, l := range before.Links {
		after.Links[name] = l
		after.Devices[name] = &Device{Link: l}
	}
	for _, t := range p.Targets {
		if t.IFB == Set {
			l := ifb.Link{Index: len(after.Links) + 10, Name: t.Device, Kind: "ifb", Alias: ifb.Alias(t.Owner), TxQueues: t.Queues, Up: true}
			after.Links[t.Device], after.Devices[t.Device] = l, &Device{Link: l}
		}
		d := after.Devices[t.Device]
		if t.Root == Set {
			d.Root = t.Tree
		}
		if t.Redirect == Set {
			d.Hook = hookQdisc()
			d.Ingress = []tc.Filter{ifb.Redirect(d.Link.Index, ifb.Pref, after.Links[t.To].Index)}
		}
	}
	return after
}

// What is as planned needs no operation, and setting it free leaves nothing.
func TestNothingToDoAndBack(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.sqm")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		u := unitOf(t, string(text))
		before := router(u.Device)
		p := NewPlan(u, before, Knowledge{})
		if p.Refused() {
			continue
		}
		after := carriedOut(p, before)
		known := Knowledge{Record: recordOf(p, before.Links[u.Device], before.Devices[u.Device], Record{})}
		again := NewPlan(u, after, known)
		if left := Diff(again.Targets, after); len(left) > 0 {
			t.Errorf("%s: still to do: %v", path, left)
		}
		free := NewPlan(Unit{Device: u.Device}, after, known)
		var got []string
		for _, o := range Diff(free.Targets, after) {
			got = append(got, o.String())
		}
		// The redirect goes before the IFB: the other way round every packet would be lost.
		all := strings.Join(got, "; ")
		if u.Download != nil && !(strings.Index(all, "delete redirect") < strings.Index(all, "remove device") && strings.Contains(all, "delete qdisc ingress")) {
			t.Errorf("%s: not freed in order: %s", path, all)
		}
		if u.Upload != nil && !strings.Contains(all, "on "+u.Device) {
			t.Errorf("%s: root stays: %s", path, all)
		}
	}
}

// Nothing that is not ours is removed.
func TestForeignIsKept(t *testing.T) {
	state := router("eth1")
	d := state.Devices["eth1"]
	d.Root = &Tree{Root: tc.Qdisc{Parent: tc.Root, Handle: tc.MakeHandle(1, 0), Kind: "htb"}}
	d.Hook = &tc.Qdisc{Parent: tc.IngressParent, Handle: tc.IngressHandle, Kind: "clsact"}
	d.Ingress = []tc.Filter{ifb.Redirect(2, 10, 99)}
	p := NewPlan(Unit{Device: "eth1"}, state, Knowledge{})
	if ops := Diff(p.Targets, state); len(ops) > 0 {
		t.Errorf("foreign state would be changed: %v", ops)
	}
}

func TestRecordCountsOnlyForWhatItSpeaksOf(t *testing.T) {
	d := &Device{Link: ifb.Link{Index: 7}, Root: &Tree{Root: tc.Qdisc{Kind: "htb", Handle: tc.MakeHandle(1, 0)}}, Hook: hookQdisc()}
	good := Record{Ifindex: 7, RootKind: "htb", RootHandle: tc.MakeHandle(1, 0), Hook: true}
	for _, c := range []struct {
		name   string
		record Record
		want   Ownership
	}{
		{"same", good, Ownership{Root: true, Hook: true, Known: true}},
		{"none", Record{}, Ownership{}},
		{"another device of that name", Record{Ifindex: 8, RootKind: "htb", RootHandle: tc.MakeHandle(1, 0), Hook: true}, Ownership{}},
		{"another kind", Record{Ifindex: 7, RootKind: "tbf", RootHandle: tc.MakeHandle(1, 0)}, Ownership{Known: true}},
		{"another handle", Record{Ifindex: 7, RootKind: "htb", RootHandle: tc.MakeHandle(2, 0)}, Ownership{Known: true}},
	} {
		if got := owned(d, c.record); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	d.Root.Root = tc.Qdisc{Kind: "cake", Handle: cakeHandle}
	if !owned(d, Record{}).Root {
		t.Error("our cake is not known by its handle")
	}
}

func TestRecordsSurvive(t *testing.T) {
	r := Records{Dir: filepath.Join(t.TempDir(), "state")}
	if got, err := r.Load("eth1"); err != nil || got != (Record{}) {
		t.Errorf("without a record: %+v, %v", got, err)
	}
	want := Record{Ifindex: 3, RootKind: "htb", RootHandle: tc.MakeHandle(1, 0), Hook: true}
	if err := r.Save("eth0.2", want); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Load("eth0.2"); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if diff := cmp.Diff([]string{"eth0.2"}, r.Devices()); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(r.path("eth0.2"), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Load("eth0.2"); err != nil || got != (Record{}) {
		t.Errorf("from a broken record: %+v, %v", got, err)
	}
	if err := r.Forget("eth0.2"); err != nil || len(r.Devices()) != 0 {
		t.Errorf("not forgotten: %v, %v", r.Devices(), err)
	}
	if err := r.Forget("eth0.2"); err != nil {
		t.Errorf("forgetting twice: %v", err)
	}
}

// Where nothing may be changed, a redirect of ours that leads nowhere goes all the
// same: it would lose every packet.
func TestDeadRedirectNeverStays(t *testing.T) {
	q := unitOf(t, "config queue 'wan'\n\toption enabled 1\n\toption interface eth1\n\toption upload 10000\n\toption download 85000\n\toption qdisc cake\n\toption script piece_of_cake.qos\n")
	state := router("eth1")
	d := state.Devices["eth1"]
	d.Hook, d.Ingress = hookQdisc(), []tc.Filter{ifb.Redirect(d.Link.Index, ifb.Pref, 0)}
	known := Knowledge{Record: Record{Ifindex: d.Link.Index, Hook: true}}
	foreign := ifb.Link{Index: 77, Name: "ifb4eth1", Kind: "ifb", Up: true}
	for name, u := range map[string]Unit{"kept": {Device: "eth1", Keep: true}, "refused": q} {
		if name == "refused" {
			state.Links[foreign.Name] = foreign
		}
		p := NewPlan(u, state, known)
		ops := Diff(p.Targets, state)
		if len(ops) != 1 || ops[0].Verb != Delete || ops[0].Filter == nil {
			t.Errorf("%s: %v, want the redirect deleted", name, ops)
		}
		if p.Refused() != (name == "refused") {
			t.Errorf("%s: refused is %v", name, p.Refused())
		}
	}
}

// A class under the wrong parent cannot be moved; the tree is made anew.
func TestMisplacedClass(t *testing.T) {
	u := unitOf(t, "config queue 'wan'\n\toption enabled 1\n\toption interface eth1\n\toption upload 10000\n\toption download 0\n\toption qdisc fq_codel\n\toption script simplest.qos\n")
	before := router("eth1")
	p := NewPlan(u, before, Knowledge{})
	after := carriedOut(p, before)
	tree := *after.Devices["eth1"].Root
	tree.Classes = append([]tc.Class(nil), tree.Classes[1:]...)
	tree.Classes[0].Parent = tc.Root
	after.Devices["eth1"].Root = &tree
	ops := Diff(p.Targets, after)
	if len(ops) < 2 || ops[0].String() != "delete qdisc htb on eth1" || ops[1].String() != "replace qdisc htb on eth1" {
		t.Errorf("operations %v, want the root deleted and made anew", ops)
	}
}
