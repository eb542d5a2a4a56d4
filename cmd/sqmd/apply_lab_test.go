// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSecondApplyWritesNothing(t *testing.T) {
	for name, config := range recipes {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			if r := b.mustApply(config); r.changes == 0 {
				t.Fatal("the first apply wrote nothing")
			}
			if r := b.mustApply(config); r.changes != 0 {
				t.Errorf("the second apply wrote %d messages:\n%s", r.changes, r.stdout)
			}
			if r := b.sqmd(0, "status", "-c", b.config(config)); r.code != 0 {
				t.Errorf("status: exit %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

func TestStopLeavesNothing(t *testing.T) {
	for name, config := range recipes {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			before := b.snapshot()
			b.mustApply(config)
			if r := b.sqmd(0, "stop"); r.code != 0 || r.stderr != "" {
				t.Fatalf("stop: exit %d, %s", r.code, r.stderr)
			}
			if diff := cmp.Diff(before, b.snapshot()); diff != "" {
				t.Errorf("stop left something (-before +after):\n%s", diff)
			}
			if r := b.sqmd(0, "stop"); r.code != 0 || r.changes != 0 {
				t.Errorf("stop of nothing: exit %d, %d changes, %s", r.code, r.changes, r.stderr)
			}
		})
	}
}

// A person who pastes what plan prints gets the same kernel state.
func TestPastedPlanIsTheSame(t *testing.T) {
	for name, config := range recipes {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			plan := b.sqmd(0, "plan", "-c", b.config(config))
			if plan.code != 0 || plan.changes != 0 {
				t.Fatalf("plan: exit %d, %d changes, %s", plan.code, plan.changes, plan.stderr)
			}
			b.mustApply(config)
			applied := b.snapshot()
			b.sqmd(0, "stop")
			b.sh(plan.stdout)
			if diff := cmp.Diff(applied, b.snapshot()); diff != "" {
				t.Errorf("pasted plan differs (-applied +pasted):\n%s\n%s", diff, plan.stdout)
			}
			if r := b.mustApply(config); r.changes != 0 {
				t.Errorf("after pasting, apply still wrote %d messages:\n%s", r.changes, r.stdout)
			}
		})
	}
}

// Changing from one recipe to another gives what a fresh start gives.
func TestFromRecipeToRecipe(t *testing.T) {
	b := newBox(t)
	fresh := map[string]string{}
	names := slices.Sorted(maps.Keys(recipes))
	for _, name := range names {
		b.mustApply(recipes[name])
		fresh[name] = b.snapshot()
		b.sqmd(0, "stop")
	}
	for i, from := range names {
		// Near and far in the list: each recipe is left and reached three times.
		for _, step := range []int{1, 3, 6} {
			to := names[(i+step)%len(names)]
			b.mustApply(recipes[from])
			b.mustApply(recipes[to])
			if diff := cmp.Diff(fresh[to], b.snapshot()); diff != "" {
				t.Errorf("from %s to %s (-fresh +changed):\n%s", from, to, diff)
			}
		}
	}
}

// A failure of any single operation leaves the kernel as it was.
func TestFailureLeavesTheStateBefore(t *testing.T) {
	cases := []struct{ name, before, after string }{
		{"fresh cake", "", "piece_of_cake"}, {"fresh simple", "", "simple"}, {"fresh one tier", "", "simple one tier"}, {"fresh tbf", "", "simplest_tbf"},
		{"cake to other cake", "piece_of_cake", "layer_cake"}, {"cake to simple", "piece_of_cake", "simple"}, {"simple to cake", "simple", "piece_of_cake"},
		{"simple to one tier", "simple", "simple one tier"}, {"one tier to tbf", "simple one tier", "simplest_tbf"}, {"codel to pie", "simplest", "pie"},
		{"download off", "piece_of_cake", "piece_of_cake up"}, {"stop cake", "piece_of_cake", "stop"}, {"stop simple", "simple", "stop"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t)
			b.sh("tc qdisc add dev eth1 clsact; tc filter add dev eth1 ingress pref 7 protocol ip flower ip_proto udp dst_port 9 action pass")
			if c.before != "" {
				b.mustApply(recipes[c.before])
			}
			args := []string{"apply", "-c", b.config(recipes[c.after])}
			if c.after == "stop" {
				args = []string{"stop"}
			}
			before := b.snapshot()
			for spoil := 1; ; spoil++ {
				r := b.sqmd(spoil, args...)
				if r.changes < spoil {
					if spoil == 1 || r.code != 0 {
						t.Errorf("undisturbed: exit %d after %d changes, %s", r.code, r.changes, r.stderr)
					}
					return
				}
				b.judgeFailure(r, before, fmt.Sprintf("%s with change %d spoilt", c.name, spoil))
				if t.Failed() {
					return // the next failure needs the state before
				}
			}
		})
	}
}

func (b *box) judgeFailure(r result, before, what string) {
	b.t.Helper()
	if diff := cmp.Diff(before, b.snapshot()); diff != "" {
		b.t.Errorf("%s: %s(-before +after)\n%s", what, r.stderr, diff)
	}
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	if r.code != 1 || len(lines) != 1 {
		b.t.Errorf("%s: exit %d with %q, want 1 and one line", what, r.code, r.stderr)
	}
	direction := strings.Contains(r.stderr, "upload") || strings.Contains(r.stderr, "download")
	if !direction || !strings.Contains(r.stderr, "eth1") || !strings.Contains(r.stderr, spoiltMessage) {
		b.t.Errorf("%s: %q does not name queue, direction, operation and the kernel's message", what, r.stderr)
	}
}

// What others put on devices is untouched by apply and stop.
func TestForeignStateStays(t *testing.T) {
	for name, config := range recipes {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.sh(`
ip link add ifb0 type ifb; ip link set ifb0 up; tc qdisc add dev ifb0 root handle 5: fq_codel
ip link add eth2 type veth peer name lan0; ip link set eth2 up
tc qdisc add dev eth2 root handle 1: htb default 1; tc class add dev eth2 parent 1: classid 1:1 htb rate 5mbit
tc qdisc add dev eth2 clsact; tc filter add dev eth2 ingress matchall action mirred egress redirect dev ifb0
tc qdisc add dev eth1 clsact
tc filter add dev eth1 ingress pref 3 protocol ip flower ip_proto tcp dst_port 80 action pass
tc filter add dev eth1 egress pref 4 matchall action pass`)
			foreign := b.snapshot()
			b.mustApply(config)
			during := b.snapshot()
			for _, line := range strings.Split(foreign, "\n") {
				if !strings.Contains(line, "qdisc noqueue") && !strings.Contains(during, line) {
					t.Errorf("while shaping, this is gone: %s", line)
				}
			}
			b.sqmd(0, "stop")
			if diff := cmp.Diff(foreign, b.snapshot()); diff != "" {
				t.Errorf("(-before +after):\n%s", diff)
			}
		})
	}
}

// Another ingress shaper on the device is reported and left alone.
func TestForeignRedirectIsAConflict(t *testing.T) {
	b := newBox(t)
	b.sh(`ip link add ifb9 type ifb; ip link set ifb9 up; tc qdisc add dev eth1 ingress
tc filter add dev eth1 parent ffff: protocol all pref 10 u32 match u32 0 0 action mirred egress redirect dev ifb9`)
	before := b.snapshot()
	r := b.sqmd(0, "apply", "-c", b.config(recipes["piece_of_cake"]))
	if r.code != 1 || r.changes != 0 || !strings.Contains(r.stderr, "already redirects") {
		t.Errorf("exit %d, %d changes, %s", r.code, r.changes, r.stderr)
	}
	if diff := cmp.Diff(before, b.snapshot()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// An IFB of the expected name that another program made is not taken over.
func TestForeignIFBIsAConflict(t *testing.T) {
	b := newBox(t)
	b.sh("ip link add ifb4eth1 type ifb")
	before := b.snapshot()
	r := b.sqmd(0, "apply", "-c", b.config(recipes["piece_of_cake"]))
	if r.code != 1 || r.changes != 0 || !strings.Contains(r.stderr, "ifb4eth1 exists and was not made by sqmd") {
		t.Errorf("exit %d, %d changes, %s", r.code, r.changes, r.stderr)
	}
	if diff := cmp.Diff(before, b.snapshot()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// A change of numbers is made in place: same qdisc, and the plan says "change".
func TestNumbersAreChangedInPlace(t *testing.T) {
	base := []string{"download 20000", "upload 2000", "qdisc cake", "script layer_cake.qos", "linklayer ethernet", "overhead 22"}
	for name, changed := range map[string][]string{
		"rate":     {"download 30000", "upload 2500", "qdisc cake", "script layer_cake.qos", "linklayer ethernet", "overhead 22"},
		"diffserv": {"download 20000", "upload 2000", "qdisc cake", "script layer_cake.qos", "linklayer ethernet", "overhead 22", "diffserv_egress diffserv4"},
		"overhead": {"download 20000", "upload 2000", "qdisc cake", "script layer_cake.qos", "linklayer atm", "overhead 44"},
		"none":     {"download 20000", "upload 2000", "qdisc cake", "script layer_cake.qos", "linklayer none"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.mustApply(queue(base...))
			plan := b.sqmd(0, "plan", "-c", b.config(queue(changed...)))
			if strings.Contains(plan.stdout, "\ntc qdisc replace") || strings.Contains(plan.stdout, "\ntc qdisc add") || !strings.Contains(plan.stdout, "\ntc qdisc change") {
				t.Errorf("the plan is not a change in place:\n%s", plan.stdout)
			}
			b.mustApply(queue(changed...))
			got := b.snapshot()
			fresh := newBox(t)
			fresh.mustApply(queue(changed...))
			if diff := cmp.Diff(fresh.snapshot(), got); diff != "" {
				t.Errorf("(-fresh +changed):\n%s", diff)
			}
		})
	}
}

// A device that is missing fails its own queue and no other.
func TestQueuesAreIndependent(t *testing.T) {
	b := newBox(t)
	missing := strings.NewReplacer("'wan'", "'b'", "'eth1'", "'eth9'").Replace(recipes["simple"])
	broken := strings.NewReplacer("'wan'", "'c'", "'eth1'", "'wan0'", "'85000'", "'85M'").Replace(recipes["piece_of_cake"])
	r := b.sqmd(0, "apply", "-c", b.config(missing+recipes["piece_of_cake"]+broken))
	if r.code != 1 || !strings.Contains(r.stderr, "eth9 does not exist") || !strings.Contains(r.stderr, "85M") {
		t.Errorf("exit %d, %s", r.code, r.stderr)
	}
	if got := b.snapshot(); strings.Count(got, "qdisc cake") != 2 {
		t.Errorf("eth1 is not shaped:\n%s", got)
	}
}

// A queue whose configuration broke keeps its last good state; one that was
// removed or disabled is set free.
func TestBrokenKeepsAndDisabledFrees(t *testing.T) {
	b := newBox(t)
	empty := b.snapshot()
	b.mustApply(recipes["simple"])
	good := b.snapshot()
	for _, bad := range []string{
		strings.Replace(recipes["simple"], "'2000'", "'2 Mbit'", 1),
		strings.Replace(recipes["simple"], "'2000'", "''", 1),
		recipes["simple"] + "\toption iqdisc_opts 'quantum'\n",
		"config queue 'wan'\n\toption enabled '1\n",
	} {
		r := b.sqmd(0, "apply", "-c", b.config(bad))
		if r.changes != 0 || r.stderr == "" {
			t.Errorf("%d changes, %q with\n%s", r.changes, r.stderr, bad)
		}
		if diff := cmp.Diff(good, b.snapshot()); diff != "" {
			t.Errorf("(-before +after) with\n%s\n%s", bad, diff)
		}
	}
	b.mustApply(strings.Replace(recipes["simple"], "enabled '1'", "enabled '0'", 1))
	if diff := cmp.Diff(empty, b.snapshot()); diff != "" {
		t.Errorf("disabled, and something is left (-before +after):\n%s", diff)
	}
}

// Two sections can shape one direction of a device each.
func TestTwoSectionsForOneDevice(t *testing.T) {
	b := newBox(t)
	up := queue("download 0", "upload 2000", "qdisc fq_codel", "script simple.qos")
	down := strings.Replace(queue("download 20000", "upload 0", "qdisc cake", "script layer_cake.qos"), "'wan'", "'down'", 1)
	b.mustApply(up + down)
	got := b.snapshot()
	if !strings.Contains(got, "qdisc htb 1: root") || strings.Count(got, "qdisc cake") != 1 {
		t.Errorf("not htb up and cake down:\n%s", got)
	}
	if r := b.mustApply(up + down); r.changes != 0 {
		t.Errorf("second apply wrote %d messages: %s", r.changes, r.stdout)
	}
}
