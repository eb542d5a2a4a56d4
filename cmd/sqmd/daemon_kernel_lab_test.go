// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"fmt"
	"os/exec"
	"time"

	"sqmd/tc"
)

// pollEvery is how often the kernel is looked at while something is waited for.
const pollEvery = 5 * time.Millisecond

// shape is what the kernel shows of a device: in kbit/s the limit of the cake at
// its root, and of the one at the root of an IFB that is up and that its arriving
// packets are redirected to; -1 where there is none.
type shape struct{ up, down int }

// shape looks at the kernel with nothing but dumps. A device that comes or goes
// meanwhile is not shaped.
func (r *router) shape(device string) shape {
	r.t.Helper()
	s := shape{-1, -1}
	links, err := r.kernel.Links()
	r.must(err)
	qdiscs, err := r.kernel.Qdiscs()
	r.must(err)
	limits := map[int]int{}
	for _, q := range qdiscs {
		if cake, ok := q.Options.(*tc.Cake); ok && q.Parent == tc.Root && cake.Rate != nil {
			limits[q.Ifindex] = int(*cake.Rate / 1000)
		}
	}
	up := map[int]bool{}
	for _, l := range links {
		up[l.Index] = l.Up
	}
	for _, l := range links {
		if l.Name != device {
			continue
		}
		if limit, ok := limits[l.Index]; ok {
			s.up = limit
		}
		filters, err := r.kernel.Filters(l.Index, tc.IngressHook)
		if err != nil {
			break // no hook
		}
		for _, f := range filters {
			to, ok := redirection(f)
			if limit, limited := limits[to]; ok && limited && up[to] {
				s.down = limit
			}
		}
	}
	return s
}

// redirection is the device that a filter sends all packets to.
func redirection(f tc.Filter) (ifindex int, ok bool) {
	if o, all := f.Options.(*tc.Matchall); all {
		return o.Actions.RedirectsTo()
	}
	return 0, false
}

// untilShaped waits until the kernel shows the limits, -1 for a direction that is
// not shaped, and says how long that took.
func (r *router) untilShaped(device string, up, down int) time.Duration {
	r.t.Helper()
	return r.eventually(fmt.Sprintf("%s is shaped at %d and %d kbit/s", device, up, down), func() bool {
		return r.shape(device) == shape{up, down}
	})
}

// expectShaped judges a device by packets, by the kernel, and by what the daemon
// and the command report.
func (r *router) expectShaped(device string, up, down int) {
	r.t.Helper()
	r.expectPackets(up, down)
	if s := r.shape(device); s != (shape{up, down}) {
		r.t.Errorf("the kernel shows %+v on %s, want %d and %d kbit/s", s, device, up, down)
	}
	r.expectState(device, "shaped")
	r.expectVerb(0, "status")
}

// outage runs a shell script and says for how long the kernel showed less than
// both limits on eth1, 0 if it was so short that no look fell into it.
func (r *router) outage(script string) time.Duration {
	r.t.Helper()
	c := exec.Command("sh", "-ec", script)
	start := time.Now()
	r.must(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var lost, back time.Time
	for running := true; running || !lost.IsZero() && back.IsZero(); time.Sleep(pollEvery) {
		select {
		case err := <-ended:
			if err != nil {
				r.t.Fatalf("%s: %v", script, err)
			}
			running = false
		default:
		}
		good := r.shape("eth1") == shape{upKbit, downKbit}
		switch {
		case !good && lost.IsZero():
			lost = time.Now()
		case good && !lost.IsZero() && back.IsZero():
			back = time.Now()
		}
		if time.Since(start) > patience {
			r.t.Fatalf("%s: not mended after %v; log:\n%s", script, patience, r.log())
		}
	}
	return back.Sub(lost)
}

// within holds what something took against its bound.
func (r *router) within(what string, took, bound time.Duration) {
	r.t.Helper()
	r.t.Logf("%s: %v", what, took)
	if took > bound {
		r.t.Errorf("%s: %v, at most %v", what, took, bound)
	}
}
