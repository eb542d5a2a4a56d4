// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"strings"
	"testing"

	"sqmd/ifb"
	"sqmd/tc"
)

// script carries out tc(8)-like lines as an outside hand:
// "qdisc|class|filter add|replace|change|delete DEV PARENT HANDLE WORDS...".
func script(t *testing.T, k *Kernel, lines ...string) {
	t.Helper()
	for _, line := range lines {
		must(t, run(k, line))
	}
}

func run(k *Kernel, line string) error {
	links, _ := k.Links()
	names := linkNames{}
	for _, l := range links {
		names[l.Index] = l.Name
	}
	r, err := request(line, names)
	if err != nil {
		return err
	}
	return k.Tc(r)
}

func TestJudge(t *testing.T) {
	const redirected = "filter add eth1 hook 10 matchall action mirred egress redirect dev ifb4eth1"
	hook := "qdisc add eth1 ingress ffff: ingress"
	for _, c := range []struct {
		name      string
		lines     []string
		down      bool // the IFB
		up, in    uint64
		blackhole bool
	}{
		{name: "nothing"},
		{name: "cake", lines: []string{"qdisc add eth1 root 1: cake bandwidth 10mbit"}, up: 10e6},
		{name: "cake without a limit", lines: []string{"qdisc add eth1 root 1: cake unlimited"}},
		{name: "fq_codel", lines: []string{"qdisc add eth1 root 1: fq_codel"}},
		{name: "tbf", lines: []string{"qdisc add eth1 root 1: tbf rate 3mbit burst 5kb latency 300ms"}, up: 3e6},
		{name: "htb", lines: []string{"qdisc add eth1 root 1: htb default 10", "class add eth1 1: 1:1 htb rate 5mbit", "class add eth1 1:1 1:10 htb rate 1mbit ceil 4mbit"}, up: 5e6},
		{name: "htb without its default class", lines: []string{"qdisc add eth1 root 1: htb default 10", "class add eth1 1: 1:1 htb rate 5mbit"}},
		{name: "htb without a default", lines: []string{"qdisc add eth1 root 1: htb", "class add eth1 1: 1:1 htb rate 5mbit"}},
		{name: "redirect", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook, redirected}, in: 20e6},
		{name: "redirect under clsact", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", "qdisc add eth1 ingress ffff: clsact", redirected}, in: 20e6},
		{name: "redirect to an unshaped device", lines: []string{hook, redirected}},
		{name: "redirect to a device that is down", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook, redirected}, down: true, blackhole: true},
		{name: "redirect behind a filter that lets all pass", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook,
			"filter add eth1 hook 3 matchall action pass", redirected}},
		{name: "redirect behind a filter for some packets", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook,
			"filter add eth1 hook 3 u32 match u32 0x00060000 0x00ff0000 at 8 action pass", redirected}, in: 20e6},
		{name: "redirect of some packets", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook,
			"filter add eth1 hook 3 u32 match u32 0x00060000 0x00ff0000 at 8 action mirred egress redirect dev ifb4eth1"}},
		{name: "hook removed", lines: []string{"qdisc add ifb4eth1 root 1: cake bandwidth 20mbit", hook, redirected, "qdisc delete eth1 ingress ffff:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, _ := router(t)
			index, err := k.CreateIFB("ifb4eth1", 1)
			must(t, err)
			if !c.down {
				must(t, k.SetUp(index))
			}
			script(t, k, c.lines...)
			if up, in := k.Shapes("eth1"); up != c.up || in != c.in {
				t.Errorf("shapes %d up and %d down, want %d and %d", up, in, c.up, c.in)
			}
			if got := k.Blackhole("eth1"); got != c.blackhole {
				t.Errorf("blackhole %v", got)
			}
		})
	}
}

// A redirect outlives its IFB and then loses every packet.
func TestRedirectToNowhere(t *testing.T) {
	k, e := router(t)
	apply(t, e, recipes(t)["piece-of-cake"])
	must(t, k.DeleteIFB("eth1"))
	if _, down := k.Shapes("eth1"); down != 0 || !k.Blackhole("eth1") {
		t.Errorf("shapes %d down, blackhole %v", down, k.Blackhole("eth1"))
	}
	eth1, _ := k.Links()
	filters, err := k.Filters(eth1[1].Index, tc.IngressHook)
	if err != nil || len(filters) != 1 {
		t.Fatalf("filters %v, %v", filters, err)
	}
	if to, ok := filters[0].Options.(*tc.Matchall).Actions.RedirectsTo(); to != 0 || !ok {
		t.Errorf("the redirect leads to %d", to)
	}
	if n := apply(t, e, recipes(t)["piece-of-cake"]); n == 0 || k.Blackhole("eth1") {
		t.Errorf("not mended by %d operations", n)
	}
}

// A dump is a copy.
func TestDumpsAreCopies(t *testing.T) {
	k, e := router(t)
	apply(t, e, recipes(t)["simple-wash"])
	before := strings.Join(dumpAll(t, k), "\n")
	links, _ := k.Links()
	links[1].Name = "spoilt"
	qdiscs, _ := k.Qdiscs()
	for _, q := range qdiscs {
		switch o := q.Options.(type) {
		case *tc.HTB:
			o.Default, *o.DirectQlen = 77, 77
		case *tc.FqCodel:
			*o.Limit = 77
		}
		if q.Stats == nil {
			t.Fatalf("%s has no statistics", q.Kind)
		}
		q.Stats.Bytes = 77
	}
	for _, l := range links {
		classes, _ := k.Classes(l.Index)
		for _, c := range classes {
			c.Options.(*tc.HTBClass).Rate, c.Stats.Bytes = 77, 77
		}
		for _, parent := range []tc.Handle{tc.IngressHook, tc.MakeHandle(1, 0)} {
			filters, _ := k.Filters(l.Index, parent)
			for _, f := range filters {
				for _, a := range actionsOf(f.Options) {
					if m, ok := a.Options.(*tc.Mirred); ok {
						m.Ifindex = 77
					}
				}
				if u, ok := f.Options.(*tc.U32); ok {
					u.Keys[0].Value = 77
				}
			}
		}
	}
	if after := strings.Join(dumpAll(t, k), "\n"); after != before {
		t.Errorf("what was done to a dump changed the kernel:\n%s\n%s", before, after)
	}
	qdiscs, _ = k.Qdiscs()
	for _, q := range qdiscs {
		if q.Stats.Bytes != 0 {
			t.Errorf("what was done to statistics changed the kernel: %+v", q)
		}
	}
}

func TestForeignSeesEveryTouch(t *testing.T) {
	fresh := func() *Kernel {
		k, _ := router(t)
		must(t, k.AddHook("eth1", "clsact"))
		must(t, k.AddForeignFilter("eth1", 3))
		script(t, k, "qdisc add eth1 root 5: htb default 1", "class add eth1 5: 5:1 htb rate 1mbit", "filter add eth1 5: 1 matchall classid 5:1")
		return k
	}
	link := ifb.Link{Index: 2}
	names := linkNames{2: "eth1"}
	for _, line := range []string{
		"qdisc delete eth1 root 5:", "class change eth1 5: 5:1 htb rate 2mbit", "class add eth1 5: 5:2 htb rate 2mbit",
		"filter delete eth1 hook 3 ip u32", "filter delete eth1 5: 1 matchall", "qdisc replace eth1 root 6: cake", "qdisc delete eth1 ingress ffff:",
	} {
		k := fresh()
		before := strings.Join(k.Foreign(), "\n")
		r, err := request(line, names)
		must(t, err)
		results, err := k.Do(r)
		must(t, err)
		must(t, results[0])
		changed := strings.Join(k.Foreign(), "\n") != before
		if added := strings.HasPrefix(line, "class add"); changed == added {
			t.Errorf("%s: changed %v", line, changed)
		}
	}
	k := fresh()
	before := strings.Join(k.Foreign(), "\n")
	must(t, k.SetAlias(link.Index, "sqmd:eth1"))
	if strings.Join(k.Foreign(), "\n") == before {
		t.Error("an alias on a foreign link does not show")
	}
}

func TestAdvance(t *testing.T) {
	k, e := router(t)
	if k.Advance("eth1", Traffic{Bytes: 1}) {
		t.Error("a device without a root counts")
	}
	for _, name := range []string{"piece-of-cake", "simple", "tbf-pie"} {
		apply(t, e, recipes(t)[name])
		for range 2 {
			if !k.Advance("eth1", Traffic{Bytes: 3000, Packets: 2, Drops: 1, Backlog: 500, Qlen: 1}) {
				t.Fatal("no root")
			}
		}
		units, err := e.Owned("")
		must(t, err)
		status, err := e.Status(units...)
		must(t, err)
		d := status[0].Directions[0]
		if d.SentBytes != 6000 || d.SentPackets != 4 || d.Drops != 2 || d.BacklogBytes != 500 {
			t.Errorf("%s: %+v", name, d)
		}
		stop(t, e)
	}
}
