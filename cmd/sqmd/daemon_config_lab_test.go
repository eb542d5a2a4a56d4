// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A configuration with a mistake leaves the one before in force; so does one that
// is gone. Each is told once.
func TestDaemonConfigurationBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(r *router)
		told  string
	}{
		{"malformed rate", func(r *router) {
			r.configure(strings.Replace(wanQueue(), "'1000'", "'fast'", 1))
		}, "option 'upload'"},
		{"line cut off", func(r *router) { r.configure(wanQueue() + "config queue 'more") }, "sqm:"},
		{"removed", func(r *router) { r.must(os.Remove(filepath.Join(r.dir, "etc/config/sqm"))) }, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRouter(t, wanQueue())
			tap := r.tap()
			r.before = r.snapshot()
			r.started()
			good := r.snapshot()
			tap()
			c.spoil(r)
			r.eventually("the mistake is reported", func() bool { return strings.Contains(strings.Join(r.report().Findings, "\n"), c.told) })
			time.Sleep(2 * settled)
			if n := tap(); n != 0 {
				t.Errorf("%d requests for a change", n)
			}
			if diff := cmp.Diff(good, r.snapshot()); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
			if lines := r.logged(c.told); len(lines) != 1 || !strings.HasPrefix(lines[0], "error:") {
				t.Errorf("logged: %q", lines)
			}
			if done := r.expectVerb(1, "status"); !strings.Contains(done.stdout+done.stderr, c.told) {
				t.Errorf("status does not tell of %q: %s%s", c.told, done.stdout, done.stderr)
			}
			r.expectPackets(upKbit, downKbit)

			r.configure(queueOn("wan", "eth1", 800, downKbit))
			r.untilShaped("eth1", 800, downKbit)
			r.expectShaped("eth1", 800, downKbit)
			if report := r.report(); len(report.Findings) > 0 || !report.Shaped {
				t.Errorf("after the mistake was mended: %+v", report)
			}
		})
	}
}

// Two sections shape one device, a direction each. Two for one direction are a
// mistake, which leaves the device as it is.
func TestDaemonTwoSections(t *testing.T) {
	upload, download := queueOn("up", "eth1", upKbit, 0), queueOn("down", "eth1", 0, downKbit)
	r := newRouter(t, upload+download)
	r.started()
	r.expectShaped("eth1", upKbit, downKbit)
	r.configure(upload + download + queueOn("again", "eth1", 700, 0))
	r.eventually("the mistake is reported", func() bool {
		return strings.Contains(strings.Join(r.report().Findings, "\n"), "queue 'up' in line 1 already shapes the upload")
	})
	r.expectVerb(1, "status")
	time.Sleep(settled)
	if lines := r.logged("already shapes"); len(lines) != 1 {
		t.Errorf("logged: %q", lines)
	}
	if s := r.shape("eth1"); s != (shape{upKbit, downKbit}) {
		t.Errorf("the kernel shows %+v", s)
	}
	r.expectPackets(upKbit, downKbit)
	r.configure(upload + download)
	r.eventually("all is well", func() bool { return r.report().Shaped })
	r.expectShaped("eth1", upKbit, downKbit)
}

// A clock that is set by an hour, and back, disturbs neither shaping nor timing.
func TestDaemonClockStepped(t *testing.T) {
	r := newRouter(t, wanQueue())
	tap := r.tap()
	r.before = r.snapshot()
	r.started()
	ahead := time.Duration(0)
	defer func() { r.step(-ahead) }() // not to spoil other tests
	for i, step := range []time.Duration{time.Hour, -time.Hour} {
		uptime := r.report().Daemon.UptimeS
		tap()
		r.step(step)
		ahead += step
		r.eventually("the step is counted", func() bool { return r.report().Daemon.ClockSteps == uint64(i+1) })
		if n := tap(); n != 0 {
			t.Errorf("%d requests for a change", n)
		}
		r.expectShaped("eth1", upKbit, downKbit)
		r.within("outage", r.outage("tc qdisc del dev eth1 root"), repairTime)
		if d := r.direction("eth1", "upload"); d.LastChangeAgoS > 30 {
			t.Errorf("the last change is %d s ago", d.LastChangeAgoS)
		}
		if now := r.report().Daemon.UptimeS; now < uptime || now > uptime+60 {
			t.Errorf("up for %d s, before the step for %d s", now, uptime)
		}
	}
	if lines := r.logged("the clock was set"); len(lines) == 0 || len(lines) > 2 {
		t.Errorf("logged: %q", lines)
	}
}

// step sets the clock.
func (r *router) step(by time.Duration) {
	r.t.Helper()
	then := unix.NsecToTimeval(time.Now().Add(by).UnixNano())
	r.must(unix.Settimeofday(&then))
}
