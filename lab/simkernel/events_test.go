// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/tc"
	"sqmd/watch"
)

// heardBy spells events for comparing.
func heardBy(events []watch.Event) []string {
	var lines []string
	for _, e := range events {
		switch e.Kind {
		case watch.LinkChanged:
			lines = append(lines, fmt.Sprintf("%s %s -> %s", e.Kind, e.Before.Name, e.Link.Name))
		case watch.LinkAppeared, watch.LinkGone:
			lines = append(lines, fmt.Sprintf("%s %s", e.Kind, e.Link.Name))
		case watch.AddressChanged:
			lines = append(lines, fmt.Sprintf("%s %d", e.Kind, e.Ifindex))
		case watch.TCChanged:
			lines = append(lines, fmt.Sprintf("%s %s %s gone %v port %d", e.TC.Object, e.TC.Kind, e.TC.Handle, e.TC.Gone, e.TC.Port))
		default:
			lines = append(lines, fmt.Sprintf("%s lost %v", e.Kind, e.Lost))
		}
	}
	return lines
}

func TestEvents(t *testing.T) {
	k := New()
	expect := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, heardBy(k.Events())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	k.Subscribe()
	expect("subscribe", "link appeared lo", "resynced lost false")
	index, err := k.AddLink("ppp0", "ppp", 1492)
	must(t, err)
	must(t, k.SetLinkUp("ppp0", true))
	must(t, k.SetLinkUp("ppp0", true))
	must(t, k.ChangeAddress("ppp0"))
	expect("a device comes", "link appeared ppp0", "link changed ppp0 -> ppp0", "address changed 2")
	must(t, k.ReplaceRoot("ppp0", "htb", tc.MakeHandle(1, 0)))
	must(t, k.ReplaceRoot("ppp0", "tbf", tc.MakeHandle(2, 0)))
	q, err := tc.QdiscRequest(tc.Replace, tc.Qdisc{Ifindex: index, Parent: tc.Root, Handle: tc.MakeHandle(0x8cae, 0), Kind: "cake"})
	must(t, err)
	if results, err := k.Do(q); err != nil || results[0] != nil {
		t.Fatal(results, err)
	}
	must(t, k.SetRate("ppp0", 8000000))
	expect("roots", "qdisc htb 1: gone false port 2", "qdisc htb 1: gone true port 2", "qdisc tbf 2: gone false port 2",
		"qdisc tbf 2: gone true port 1", "qdisc cake 8cae: gone false port 1", "qdisc cake 8cae: gone false port 2")
	must(t, k.Rename("ppp0", "wan"))
	must(t, k.SetMTU("wan", 1400))
	must(t, k.SetCarrier("wan", false))
	expect("link", "link changed ppp0 -> wan", "link changed wan -> wan", "link changed wan -> wan")
	must(t, k.DeleteLinkByName("wan"))
	_, err = k.AddLink("ppp0", "ppp", 1492)
	must(t, err)
	k.Resync()
	expect("lost", "link gone wan", "link appeared ppp0", "resynced lost true")
	k.Resync()
	expect("lost nothing", "resynced lost true")
}

// The kernel says nothing of an alias on a link that is down, and the next event
// has it.
func TestSilentAlias(t *testing.T) {
	k := New()
	index, err := k.CreateIFB("ifb4wan", 1)
	must(t, err)
	k.Events()
	must(t, k.SetAlias(index, "sqmd:wan"))
	if events := k.Events(); len(events) != 0 {
		t.Errorf("%v", events)
	}
	must(t, k.SetUp(index))
	events := k.Events()
	if len(events) != 1 || events[0].Link.Alias != "sqmd:wan" || events[0].Before.Alias != "" {
		t.Errorf("%+v", events)
	}
}

func TestFail(t *testing.T) {
	k, e := router(t)
	var ops []string
	k.Fail(func(op string) error {
		ops = append(ops, op)
		if op == "dump classes" {
			return syscall.ENOBUFS
		}
		return nil
	})
	apply(t, e, recipes(t)["piece-of-cake"])
	for _, want := range []string{"dump links", "dump qdiscs", "dump filters", "create ifb4eth1", "mark ifb4eth1", "set up ifb4eth1", "send",
		"replace qdisc cake on eth1", "add qdisc ingress on eth1", "add filter matchall on eth1", "receive"} {
		if !slices.Contains(ops, want) {
			t.Errorf("the hook was not asked about %q: %s", want, strings.Join(ops, "; "))
		}
	}
	if _, err := k.Classes(2); !errors.Is(err, syscall.ENOBUFS) {
		t.Errorf("the hook's error is not that of the dump: %v", err)
	}
	for _, op := range []string{"send", "receive"} {
		k, _ := router(t)
		k.Fail(func(asked string) error {
			if asked == op {
				return syscall.ENOBUFS
			}
			return nil
		})
		r, err := request("qdisc add eth1 root 1: cake bandwidth 1mbit", linkNames{2: "eth1"})
		must(t, err)
		if _, err := k.Do(r); !errors.Is(err, syscall.ENOBUFS) {
			t.Errorf("%s: %v", op, err)
		}
		if up, _ := k.Shapes("eth1"); (up != 0) != (op == "receive") {
			t.Errorf("%s: shapes %d up", op, up)
		}
	}
}

// What the kernel lacks is refused as the kernel does, and planned around.
func TestLack(t *testing.T) {
	k, e := router(t)
	k.Lack("cake_mq", "pedit")
	for _, name := range []string{"simple-wash", "piece-of-cake"} {
		apply(t, e, recipes(t)[name])
		if n := apply(t, e, recipes(t)[name]); n != 0 {
			t.Errorf("%s: %d operations are left", name, n)
		}
	}
	if err := k.ReplaceRoot("eth1", "cake_mq", 0); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("cake_mq: %v", err)
	}
}

func TestHandsOnNothing(t *testing.T) {
	k := New()
	_, same := k.AddLink("lo", "dummy", 1500)
	for name, c := range map[string]struct{ got, want error }{
		"same name": {same, syscall.EEXIST}, "delete": {k.DeleteLinkByName("eth1"), syscall.ENODEV}, "ifb": {k.DeleteIFB("eth1"), syscall.ENODEV},
		"rename": {k.Rename("eth1", "eth2"), syscall.ENODEV}, "root": {k.DeleteRoot("eth1"), syscall.ENODEV}, "no root": {k.DeleteRoot("lo"), syscall.ENOENT},
		"hook": {k.DeleteHook("lo"), syscall.ENOENT}, "flush": {k.FlushIngress("lo"), syscall.EINVAL}, "filter": {k.AddForeignFilter("lo", 5), syscall.EINVAL},
		"rate": {k.SetRate("lo", 1), syscall.ENOENT}, "hardware": {k.DeleteLink(1), syscall.EOPNOTSUPP},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if up, down := k.Shapes("eth1"); up != 0 || down != 0 || k.Blackhole("eth1") {
		t.Error("a device that is not there shapes")
	}
}
