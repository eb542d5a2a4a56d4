// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"sqmd/tc"
)

// shape is what the kernel does with the WAN's traffic: the rates of cake in kbit/s, 0 where a direction is not shaped.
type shape struct{ up, down int }

// kernel asks for shapes, in the namespace it was opened in.
type kernel struct {
	tc    *tc.Conn
	links *netlink.Handle
}

func openKernel(t *testing.T) *kernel {
	t.Helper()
	c, err := tc.Dial()
	if err != nil {
		t.Fatal(err)
	}
	links, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); links.Close() })
	return &kernel{c, links}
}

// shape reads the present one. Download counts as shaped if a filter on ingress sends everything to the IFB, and that
// is up and has cake.
func (k *kernel) shape() (s shape, err error) {
	wan, err := k.links.LinkByName(device)
	if err != nil {
		return s, nil // without a device there is no traffic
	}
	all, err := k.tc.Qdiscs()
	if err != nil {
		return s, err
	}
	s.up = cakeRate(all, wan.Attrs().Index)
	ifb, err := k.links.LinkByName("ifb4" + device)
	if err != nil || ifb.Attrs().OperState == netlink.OperDown {
		return s, nil
	}
	filters, err := k.tc.Filters(wan.Attrs().Index, tc.IngressHook)
	if err != nil {
		return s, nil // there is no hook
	}
	for _, f := range filters {
		if target, ok := redirect(f); ok && target == ifb.Attrs().Index {
			s.down = cakeRate(all, ifb.Attrs().Index)
		}
	}
	return s, nil
}

// cakeRate is the rate of the cake at a device's root.
func cakeRate(all []tc.Qdisc, ifindex int) int {
	for _, q := range all {
		if cake, ok := q.Options.(*tc.Cake); ok && q.Ifindex == ifindex && q.Parent == tc.Root && cake.Rate != nil {
			return int(*cake.Rate / 1000)
		}
	}
	return 0
}

// redirect is the device that a filter sends packets out of.
func redirect(f tc.Filter) (ifindex int, ok bool) {
	switch o := f.Options.(type) {
	case *tc.Matchall:
		return o.Actions.RedirectsTo()
	case *tc.U32:
		return o.Actions.RedirectsTo()
	}
	return 0, false
}

// shape is the present one.
func (r *router) shape() shape {
	r.t.Helper()
	s, err := openKernel(r.t).shape()
	r.must(err)
	return s
}

// awaitShape waits until both directions are shaped to these rates.
func (r *router) awaitShape(up, down int) {
	r.t.Helper()
	k := openKernel(r.t)
	want, last := shape{up, down}, shape{}
	for end := time.Now().Add(patience); last != want; time.Sleep(50 * time.Millisecond) {
		var err error
		last, err = k.shape()
		r.must(err)
		if time.Now().After(end) {
			r.t.Fatalf("shaped to %+v, want %+v", last, want)
		}
	}
}

// watcher looks at the shape whenever the kernel tells of a change, and now and then.
type watcher struct {
	kernel *kernel
	events *nl.NetlinkSocket
	stop   chan struct{}
	done   sync.WaitGroup

	// Written by run, read after its end.
	gap     time.Duration // the longest from the last look at which both directions were shaped to the next such look
	looks   int
	slowest time.Duration // the longest between two looks
	seen    []shape       // what there was, one after the other
	err     error
}

// quietLook is how long a watcher waits for a change before it looks anyway.
const quietLook = 100 * time.Millisecond

// watch begins to look, in the namespace of the calling thread.
func (r *router) watch() *watcher {
	r.t.Helper()
	events, err := nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_TC, unix.RTNLGRP_LINK)
	r.must(err)
	quiet := unix.NsecToTimeval(int64(quietLook))
	r.must(events.SetReceiveTimeout(&quiet))
	w := &watcher{kernel: openKernel(r.t), events: events, stop: make(chan struct{})}
	w.done.Add(1)
	go w.run()
	return w
}

func (w *watcher) run() {
	defer w.done.Done()
	defer w.events.Close()
	good, last := time.Now(), time.Now()
	bad := false
	for stopped := false; !stopped; {
		select {
		case <-w.stop:
			stopped = true // after one more look
		default:
			_, _, _ = w.events.Receive() // events, that there was none, or that some were lost: look
		}
		s, err := w.kernel.shape()
		now := time.Now()
		w.looks++
		w.slowest, last = max(w.slowest, now.Sub(last)), now
		if err != nil {
			w.err = err
			return
		}
		shaped := s.up > 0 && s.down > 0
		if bad = bad || !shaped; bad {
			w.gap = max(w.gap, now.Sub(good))
		}
		if shaped {
			good, bad = now, false
		}
		if len(w.seen) == 0 || w.seen[len(w.seen)-1] != s {
			w.seen = append(w.seen, s)
		}
	}
}

// unwatch stops looking. It is a failure if the line was unshaped for longer than allowed.
func (r *router) unwatch(w *watcher, what string, allowed time.Duration) {
	r.t.Helper()
	close(w.stop)
	w.done.Wait()
	r.must(w.err)
	r.t.Logf("%s: longest gap %v, %d looks, the slowest after %v; seen %v", what, w.gap, w.looks, w.slowest, w.seen)
	if w.gap > allowed {
		r.t.Errorf("%s: the line was unshaped for up to %v", what, w.gap)
	}
}
