// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// settled is for how long nothing is to happen: longer than the daemon needs to
// notice anything by itself, bar its audit each half minute.
const settled = 1500 * time.Millisecond

// A daemon that dies and one that takes its place, in whatever way, change nothing
// in the kernel.
func TestDaemonRestartTouchesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int
	}{{"killed", syscall.SIGKILL, -1}, {"ended", syscall.SIGTERM, 0}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRouter(t, wanQueue())
			tap := r.tap()
			r.before = r.snapshot()
			r.started()
			good, sent := r.snapshot(), r.direction("eth1", "upload").SentBytes
			tap()
			if code := r.signal(c.signal); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			r.expectPackets(upKbit, downKbit)
			r.start()
			time.Sleep(settled)
			if n := tap(); n != 0 {
				t.Errorf("%d requests for a change", n)
			}
			if diff := cmp.Diff(good, r.snapshot()); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
			r.expectShaped("eth1", upKbit, downKbit)
			if after := r.direction("eth1", "upload").SentBytes; after < sent {
				t.Errorf("the counter went back from %d to %d bytes", sent, after)
			}
		})
	}
}

// One daemon is enough.
func TestDaemonRefusesASecond(t *testing.T) {
	r := newRouter(t, wanQueue())
	r.started()
	second := r.expectVerb(1, "run")
	if n := strings.Count(second.stderr, "\n"); n != 1 || !strings.Contains(second.stderr, "running") {
		t.Errorf("the second says %q", second.stderr)
	}
	r.expectShaped("eth1", upKbit, downKbit)
}

// What a person stops stays so until apply, also over a restart of the daemon.
func TestDaemonRespectsStop(t *testing.T) {
	r := newRouter(t, wanQueue())
	r.started()
	r.expectVerb(0, "stop")
	time.Sleep(settled)
	if diff := cmp.Diff(r.before, r.snapshot()); diff != "" {
		t.Errorf("stopped (-before +after):\n%s", diff)
	}
	r.expectState("eth1", "stopped")
	r.expectVerb(1, "status")
	r.expectVerb(0, "apply")
	r.untilShaped("eth1", upKbit, downKbit)
	r.eventually("status says shaped", func() bool { return r.direction("eth1", "upload").State == "shaped" })
	time.Sleep(settled)
	r.expectShaped("eth1", upKbit, downKbit)
}

// A rate that another program sets stays, over a reload and a restart, until the
// configuration asks for another.
func TestDaemonRespectsARate(t *testing.T) {
	const theirs = 700
	r := newRouter(t, wanQueue())
	r.started()
	r.sh("tc qdisc change dev eth1 root cake bandwidth 700kbit")
	expect := func(when string) {
		t.Helper()
		if s := r.shape("eth1"); s != (shape{theirs, downKbit}) {
			t.Errorf("%s the kernel shows %+v", when, s)
		}
		d := r.direction("eth1", "upload")
		if d.State != "shaped" || d.RateKbit != theirs || d.ConfiguredKbit != upKbit {
			t.Errorf("%s status says %s at %d kbit/s, configured %d", when, d.State, d.RateKbit, d.ConfiguredKbit)
		}
	}
	time.Sleep(3 * time.Second)
	expect("after 3 s")
	r.expectPackets(theirs, downKbit)
	r.must(r.process.Process.Signal(syscall.SIGHUP))
	time.Sleep(settled)
	expect("after a reload")
	r.signal(syscall.SIGTERM)
	r.start()
	time.Sleep(settled)
	expect("after a restart")
	r.configure(queueOn("wan", "eth1", 900, downKbit))
	r.untilShaped("eth1", 900, downKbit)
	r.expectShaped("eth1", 900, downKbit)
}

// A program that undoes the shaping again and again is left alone, and named as
// far as it can be.
func TestDaemonConflict(t *testing.T) {
	r := newRouter(t, wanQueue())
	r.started()
	for range 3 {
		r.sh("tc qdisc del dev eth1 root")
		r.untilShaped("eth1", upKbit, downKbit)
	}
	r.sh("tc qdisc replace dev eth1 root handle 77: pfifo")
	r.eventually("the conflict is reported", func() bool { return r.direction("eth1", "upload").State == "conflict" })
	time.Sleep(settled)
	if root := r.sh("tc qdisc show dev eth1 root"); !strings.Contains(root, "pfifo 77:") {
		t.Errorf("the root is fought over: %s", root)
	}
	done := r.expectVerb(1, "status")
	if !strings.Contains(done.stdout, "conflict") || !strings.Contains(done.stdout, "pfifo 77:") {
		t.Errorf("status says %s", done.stdout)
	}
	if d := r.direction("eth1", "download"); d.State != "shaped" {
		t.Errorf("download is %s", d.State)
	}
	if up, _ := r.arriving(); up < upKbit*80/100 {
		t.Errorf("%d kbit/s pass, offered are %d", up, 2*upKbit)
	}
	r.expectPackets(0, downKbit)
	if n := len(r.logged("error:")); n > 2 {
		t.Errorf("%d errors logged", n)
	}
	r.expectVerb(0, "apply")
	r.untilShaped("eth1", upKbit, downKbit)
	r.eventually("the conflict is over", func() bool { return r.direction("eth1", "upload").State == "shaped" })
}
