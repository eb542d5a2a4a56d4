// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hands is what another program, or a person, does to the shaping.
type hands struct {
	name   string
	before string // what is there before the daemon
	script string
	side   string // the direction that is then not as it should be
	told   string // what status says of it
}

// What other hands undo is back within 200 ms, and status says what was undone.
func TestDaemonRepairs(t *testing.T) {
	const theirHook = `tc qdisc add dev eth1 clsact
tc filter add dev eth1 ingress protocol ip pref 5 flower ip_proto tcp dst_port 4242 action skbedit priority 3
tc filter add dev eth1 egress protocol ip pref 6 flower ip_proto tcp dst_port 4243 action skbedit priority 3`
	for _, h := range []hands{
		{"root deleted", "", "tc qdisc del dev eth1 root", "upload", "root qdisc of eth1 was removed"},
		{"root replaced by fq_codel", "", "tc qdisc replace dev eth1 root fq_codel", "upload", "replaced by fq_codel"},
		{"root replaced by htb", "", "tc qdisc replace dev eth1 root handle 1: htb default 1", "upload", "replaced by htb 1:"},
		{"ingress deleted", "", "tc qdisc del dev eth1 ingress", "download", "ingress qdisc of eth1 was removed"},
		{"filters flushed", "", "tc filter del dev eth1 ingress", "download", "redirect of eth1 was removed"},
		{"IFB deleted", "", "ip link del ifb4eth1", "download", "IFB was deleted"},
		{"IFB set down", "", "ip link set ifb4eth1 down", "download", "ifb4eth1 was set down"},
		{"root of the IFB deleted", "", "tc qdisc del dev ifb4eth1 root", "download", "root qdisc of ifb4eth1 was removed"},
		{"IFB deleted under another's hook", theirHook, "ip link del ifb4eth1", "download", "IFB was deleted"},
		{"redirect deleted under another's hook", theirHook, "tc filter del dev eth1 ingress pref 10", "download", "redirect of eth1 was removed"},
		{"root deleted under another's hook", theirHook, "tc qdisc del dev eth1 root", "upload", "root qdisc of eth1 was removed"},
		{"all at once", "", "tc qdisc del dev eth1 ingress; ip link del ifb4eth1; tc qdisc del dev eth1 root", "upload", "root qdisc of eth1 was removed"},
	} {
		t.Run(h.name, func(t *testing.T) { testRepair(t, h) })
	}
}

func testRepair(t *testing.T, h hands) {
	r := newRouter(t, wanQueue())
	if h.before != "" {
		r.sh(h.before)
		r.before = r.snapshot()
	}
	r.started()
	good := r.snapshot()
	r.within("outage", r.outage(h.script), repairTime)
	r.eventually("the repair is counted", func() bool { return r.direction("eth1", h.side).Repairs == 1 })
	if said := r.direction("eth1", h.side).LastChange; !strings.Contains(said, h.told) || !strings.Contains(said, "put back") {
		t.Errorf("status says %q, want %q and that it was put back", said, h.told)
	}
	if lines := r.logged(h.told); len(lines) == 0 || !strings.Contains(lines[0], "wan (eth1) "+h.side) {
		t.Errorf("logged: %q", lines)
	}
	r.expectShaped("eth1", upKbit, downKbit)
	if diff := cmp.Diff(good, r.snapshot()); diff != "" {
		t.Errorf("the repair made something else (-before +after):\n%s", diff)
	}
}
