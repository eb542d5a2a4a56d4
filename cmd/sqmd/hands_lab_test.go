// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What other hands do to a shaped device, and what the next apply or stop makes
// of it.

// A filter of someone else that leads to our IFB is not our redirect.
func TestForeignFilterToOurIFBIsNoRedirect(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["piece_of_cake"])
	b.sh("tc filter add dev eth1 ingress pref 5 protocol ip flower ip_proto udp action mirred egress redirect dev ifb4eth1")
	before := b.snapshot()
	if r := b.mustApply(recipes["piece_of_cake"]); r.changes != 0 {
		t.Errorf("%d changes: %s", r.changes, r.stdout)
	}
	if diff := cmp.Diff(before, b.snapshot()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// With the IFB gone, its redirect loses every arriving packet: stop and apply
// both mend that.
func TestRedirectToNowhereIsMended(t *testing.T) {
	for _, hook := range []string{"true", "tc qdisc add dev eth1 clsact"} {
		b := newBox(t)
		b.sh(hook)
		before := b.snapshot()
		b.mustApply(recipes["piece_of_cake"])
		good := b.snapshot()
		b.sh("ip link del ifb4eth1")
		b.mustApply(recipes["piece_of_cake"])
		if diff := cmp.Diff(good, b.snapshot()); diff != "" {
			t.Errorf("%s, apply (-before +after):\n%s", hook, diff)
		}
		b.sh("ip link del ifb4eth1")
		if r := b.sqmd(0, "stop"); r.code != 0 {
			t.Errorf("stop: exit %d, %s", r.code, r.stderr)
		}
		if diff := cmp.Diff(before, b.snapshot()); diff != "" {
			t.Errorf("%s, stop (-before +after):\n%s", hook, diff)
		}
	}
}

// A foreign redirect to a device that is gone would keep packets from ours.
func TestForeignRedirectToNowhereIsAConflict(t *testing.T) {
	b := newBox(t)
	b.sh(`ip link add ifb9 type ifb; tc qdisc add dev eth1 ingress
tc filter add dev eth1 parent ffff: protocol all pref 10 u32 match u32 0 0 action mirred egress redirect dev ifb9; ip link del ifb9`)
	r := b.sqmd(0, "apply", "-c", b.config(recipes["piece_of_cake"]))
	if r.code != 1 || r.changes != 0 || !strings.Contains(r.stderr, "device that is gone") {
		t.Errorf("exit %d, %d changes, %s", r.code, r.changes, r.stderr)
	}
}

// A renamed device keeps its shaping under the new name.
func TestRenamedDevice(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["simple"])
	b.sh("ip link set eth1 down; ip link set eth1 name wan1; ip link set wan1 up")
	renamed := strings.ReplaceAll(recipes["simple"], "'eth1'", "'wan1'")
	b.mustApply(renamed)
	if r := b.sqmd(0, "status", "-c", b.config(renamed)); r.code != 0 {
		t.Errorf("status: exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
	if r := b.sqmd(0, "stop"); r.code != 0 {
		t.Errorf("stop: exit %d, %s", r.code, r.stderr)
	}
	if got := b.snapshot(); strings.Contains(got, "ifb") || strings.Contains(got, "htb") || strings.Contains(got, "ingress") {
		t.Errorf("something is left:\n%s", got)
	}
}

// Without cake_mq in the kernel plain cake is used, and that is found out once.
func TestMissingMQIsFoundOutOnce(t *testing.T) {
	b := newBox(t)
	b.sh("ip link del eth1; ip link add eth1 numtxqueues 4 numrxqueues 4 type dummy; ip link set eth1 up")
	config := recipes["piece_of_cake"] + "\toption use_mq '1'\n"
	if r := b.mustApply(config); !strings.Contains(r.stderr, "no cake_mq") {
		t.Errorf("not a word about it: %s", r.stderr)
	}
	if r := b.mustApply(config); r.changes != 0 || strings.Count(r.stderr, "cake_mq") > 2 {
		t.Errorf("second apply: %d changes, %s", r.changes, r.stderr)
	}
	if r := b.sqmd(0, "status", "-c", b.config(config)); r.code != 0 {
		t.Errorf("status: exit %d, %s", r.code, r.stdout)
	}
}

// Classes and filters that someone adds under our htb stay.
func TestForeignClassUnderOurHTB(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["simple"])
	b.sh(`tc class add dev eth1 parent 1:1 classid 1:20 htb rate 1mbit
tc filter add dev eth1 parent 1: protocol ip pref 200 u32 match ip protocol 47 0xff flowid 1:20`)
	before := b.snapshot()
	if r := b.mustApply(recipes["simple"]); r.changes != 0 {
		t.Errorf("%d changes: %s", r.changes, r.stdout)
	}
	if diff := cmp.Diff(before, b.snapshot()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// A filter on our cake is someone else's: its recipes have none.
func TestForeignFilterOnOurCake(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["piece_of_cake"])
	b.sh("tc filter add dev eth1 parent 8cae: protocol ip pref 9 matchall action skbedit priority 8cae:1")
	if r := b.mustApply(recipes["piece_of_cake"]); r.changes != 0 {
		t.Errorf("%d changes: %s", r.changes, r.stdout)
	}
}

// An argument that names nothing is told, and an empty one never means all.
func TestDeviceArgument(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["piece_of_cake"])
	path := b.config(recipes["piece_of_cake"])
	for _, c := range []struct {
		args []string
		code int
		told string
	}{
		{[]string{"apply", ""}, 2, "without a name"}, {[]string{"stop", ""}, 2, "without a name"},
		{[]string{"status", "nosuch"}, 1, "nosuch"}, {[]string{"plan", "nosuch"}, 1, "nosuch"}, {[]string{"apply", "nosuch"}, 1, "nosuch"},
		{[]string{"stop", "nosuch"}, 0, "nothing of sqmd is on nosuch"}, {[]string{"apply", "eth1"}, 0, ""}, {[]string{"stop", "eth1"}, 0, ""},
	} {
		r := b.sqmd(0, append([]string{"-c", path}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.told) {
			t.Errorf("%q: exit %d, %q; want %d and %q", c.args, r.code, r.stderr, c.code, c.told)
		}
	}
}

// A configuration that lost a section, or the device of one, unshapes nothing.
func TestLostSectionUnshapesNothing(t *testing.T) {
	b := newBox(t)
	b.mustApply(recipes["piece_of_cake"])
	good := b.snapshot()
	for name, text := range map[string]string{
		"misspelt config": strings.Replace(recipes["piece_of_cake"], "config queue", "confg queue", 1),
		"blank in device": strings.Replace(recipes["piece_of_cake"], "'eth1'", "'eth 1'", 1),
		"unknown network": strings.Replace(recipes["piece_of_cake"], "'eth1'", "'@wan'", 1),
	} {
		r := b.sqmd(0, "apply", "-c", b.config(text))
		if r.code != 1 || r.stderr == "" {
			t.Errorf("%s: exit %d, %q", name, r.code, r.stderr)
		}
		if diff := cmp.Diff(good, b.snapshot()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
		if r := b.sqmd(0, "status", "-c", b.config(text)); r.code != 1 {
			t.Errorf("%s: status exit %d", name, r.code)
		}
	}
}
