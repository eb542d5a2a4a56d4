// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sqmd/lab"
	"sqmd/lab/traffic"
	"sqmd/shaping"
	"sqmd/tc"
)

// road is a whole network whose router is the box.
type road struct {
	*box
	*lab.Network
}

func newRoad(t *testing.T) *road {
	t.Helper()
	network, err := lab.Topology{}.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
	return &road{&box{t: t, records: t.TempDir()}, network}
}

// apply shapes the router and fails the test if it cannot.
func (r *road) apply(config string) (done result) {
	r.t.Helper()
	r.must(r.Router.Do(func() error {
		done = r.sqmd(0, "apply", "-v", "-c", r.config(config))
		return nil
	}))
	if done.code != 0 {
		r.t.Fatalf("apply: exit %d, %s%s", done.code, done.stdout, done.stderr)
	}
	return done
}

// roots are the root qdiscs of the router's shapers.
func (r *road) roots() (upload, download tc.Qdisc) {
	r.t.Helper()
	r.must(r.Router.Do(func() error {
		k, err := shaping.OpenKernel()
		if err != nil {
			return err
		}
		defer k.Close()
		links, err := k.Links()
		if err != nil {
			return err
		}
		qdiscs, err := k.Qdiscs()
		if err != nil {
			return err
		}
		for _, l := range links {
			for _, q := range qdiscs {
				switch {
				case q.Ifindex != l.Index || q.Parent != tc.Root:
				case l.Name == "eth1":
					upload = q
				case l.Name == "ifb4eth1":
					download = q
				}
			}
		}
		return nil
	}))
	return upload, download
}

// load starts UDP both ways, in percent of the shapers' rates in kbit/s.
func (r *road) load(percent, down, up int) (stop func()) {
	r.t.Helper()
	const size = 1400
	var flows []*traffic.Flow
	for _, way := range []struct {
		path traffic.Path
		kbit int
	}{{traffic.Path{From: r.Servers[0], To: r.Clients[0]}, down}, {traffic.Path{From: r.Clients[0], To: r.Servers[0]}, up}} {
		f, err := traffic.Stream{Path: way.path, Size: size, Rate: way.kbit * percent * 10 / 8 / size}.Start()
		r.must(err)
		flows = append(flows, f)
	}
	return func() {
		for _, f := range flows {
			_, err := f.Stop(0)
			r.must(err)
		}
	}
}

// probe sends a thousand small packets a second both ways while f runs and
// reports how many were lost.
func (r *road) probe(f func()) (lost int) {
	r.t.Helper()
	var flows []*traffic.Flow
	for _, path := range []traffic.Path{{From: r.Servers[0], To: r.Clients[0]}, {From: r.Clients[0], To: r.Servers[0]}} {
		flow, err := traffic.Stream{Path: path, Rate: 1000, Size: 60}.Start()
		r.must(err)
		flows = append(flows, flow)
	}
	time.Sleep(time.Second)
	f()
	time.Sleep(time.Second)
	for _, flow := range flows {
		report, err := flow.Stop(500 * time.Millisecond)
		r.must(err)
		r.t.Log(report)
		lost += report.Lost
	}
	return lost
}

// Changing rates, tins or overhead under load loses no packet and keeps the
// qdisc with all that waits in it.
func TestChangeUnderLoadLosesNothing(t *testing.T) {
	r := newRoad(t)
	options := func(down, up int, more ...string) string {
		return queue(append([]string{fmt.Sprintf("download %d", down), fmt.Sprintf("upload %d", up), "qdisc cake", "script layer_cake.qos"}, more...)...)
	}
	r.apply(options(20000, 10000))
	up, down := r.roots()
	stop := r.load(80, 20000, 10000)
	defer stop()
	changes := func() {
		for _, config := range []string{
			options(22000, 11000), options(22000, 11000, "diffserv_egress diffserv4", "diffserv_ingress diffserv4"),
			options(22000, 11000, "linklayer ethernet", "overhead 22", "tcMPU 64"), options(20000, 10000),
		} {
			if done := r.apply(config); strings.Contains(done.stdout, "replace") || !strings.Contains(done.stdout, "change") {
				t.Errorf("not a change in place:\n%s", done.stdout)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	if lost := r.probe(changes); lost != 0 {
		t.Errorf("%d packets lost", lost)
	}
	upAfter, downAfter := r.roots()
	for _, q := range []struct{ before, after tc.Qdisc }{{up, upAfter}, {down, downAfter}} {
		if q.before.Handle != q.after.Handle || q.after.Stats.Packets <= q.before.Stats.Packets {
			t.Errorf("a new qdisc: %v with %d packets, before %v with %d", q.after.Handle, q.after.Stats.Packets, q.before.Handle, q.before.Stats.Packets)
		}
	}
}

// What waits in the qdisc survives a change.
func TestChangeKeepsTheBacklog(t *testing.T) {
	r := newRoad(t)
	config := func(up int) string {
		return queue("download 0", fmt.Sprintf("upload %d", up), "qdisc cake", "script piece_of_cake.qos", "eqdisc_opts rtt 10s")
	}
	r.apply(config(1000))
	stop := r.load(300, 1000, 1000)
	time.Sleep(time.Second)
	stop()
	before, _ := r.roots()
	r.apply(config(1100))
	after, _ := r.roots()
	// Half a second at the new rate can have left meanwhile.
	if before.Stats.Backlog == 0 || after.Stats.Backlog+1100*1000/8/2 < before.Stats.Backlog {
		t.Errorf("backlog %d bytes before the change and %d after", before.Stats.Backlog, after.Stats.Backlog)
	}
}

// From cake to htb under overload: htb itself counts the packets that pass it
// without a class, and no more is lost than waited in cake.
func TestFromCakeToHTBIsNeverUnshaped(t *testing.T) {
	r := newRoad(t)
	cake := queue("download 20000", "upload 10000", "qdisc cake", "script piece_of_cake.qos")
	htb := queue("download 20000", "upload 10000", "qdisc fq_codel", "script simplest.qos")
	r.apply(cake)
	stop := r.load(120, 20000, 10000)
	defer stop()
	var waiting uint32
	lost := r.probe(func() {
		up, down := r.roots()
		waiting = up.Stats.Qlen + down.Stats.Qlen
		r.apply(htb)
	})
	up, down := r.roots()
	for _, q := range []tc.Qdisc{up, down} {
		o, ok := q.Options.(*tc.HTB)
		if !ok {
			t.Fatalf("root is %s", q.Kind)
		}
		if o.DirectPackets > 1 {
			t.Errorf("%d packets passed unshaped", o.DirectPackets)
		}
	}
	if lost > int(waiting) {
		t.Errorf("%d probes lost, and only %d packets waited in cake", lost, waiting)
	}
}
