// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sqmd/shaping"
	"sqmd/tc"
)

// Whatever happens, and whatever fails: once it is over one apply shapes, a
// second one has nothing to do, and what is of others is as it was but for what
// the outside itself changed.
func TestRandomDays(t *testing.T) {
	texts := recipes(t)
	names := slices.Sorted(maps.Keys(texts))
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		k, e := router(t)
		trace := randomDay(t, random, k, e, func() string { return texts[names[random.IntN(len(names))]] })
		k.Fail(nil)
		_ = k.DeleteRoot("eth1") // a foreign root is in the way of nothing
		_ = k.DeleteHook("eth1")
		apply(t, e, texts["piece-of-cake"])
		if n := apply(t, e, texts["piece-of-cake"]); n != 0 {
			t.Fatalf("seed %d: %d operations are left after\n%s", seed, n, strings.Join(trace, "\n"))
		}
		up, down := k.Shapes("eth1")
		if up != 10e6 || down != 85e6 || k.Blackhole("eth1") {
			t.Fatalf("seed %d: shapes %d up and %d down, blackhole %v after\n%s", seed, up, down, k.Blackhole("eth1"), strings.Join(trace, "\n"))
		}
		stop(t, e)
		if links, _ := k.Links(); len(links) != 2 {
			t.Fatalf("seed %d: links that are left: %v", seed, links)
		}
	}
}

func randomDay(t *testing.T, random *rand.Rand, k *Kernel, e *shaping.Engine, recipe func() string) (trace []string) {
	t.Helper()
	k.Fail(func(op string) error {
		if random.IntN(40) == 0 {
			trace = append(trace, "fails: "+op)
			return syscall.ENOMEM
		}
		return nil
	})
	for range 1 + random.IntN(30) {
		what, err := randomHand(random, k)
		trace = append(trace, fmt.Sprintf("%s: %v", what, err))
		if random.IntN(2) == 0 {
			trace = append(trace, "apply")
			before := k.Foreign()
			config := recipe()
			units, _, err := e.Units(parsed(config), "")
			if err != nil {
				continue
			}
			e.Apply(units...)
			for _, line := range before {
				// sqmd replaces a root of others, and says so.
				if !strings.Contains(line, " root handle ") && !slices.Contains(k.Foreign(), line) {
					t.Fatalf("foreign state was touched: %s\n%s", line, strings.Join(trace, "\n"))
				}
			}
		}
	}
	return trace
}

func randomHand(random *rand.Rand, k *Kernel) (string, error) {
	hands := []struct {
		name string
		do   func() error
	}{
		{"delete root", func() error { return k.DeleteRoot("eth1") }},
		{"replace root", func() error {
			return k.ReplaceRoot("eth1", []string{"fq_codel", "htb", "tbf", "cake"}[random.IntN(4)], 0)
		}},
		{"take root's handle", func() error { return k.ReplaceRoot("eth1", "fq_codel", tc.MakeHandle(1, 0)) }},
		{"clsact", func() error { return k.AddHook("eth1", "clsact") }},
		{"delete hook", func() error { return k.DeleteHook("eth1") }},
		{"flush", func() error { return k.FlushIngress("eth1") }},
		{"filter", func() error { return k.AddForeignFilter("eth1", uint16(1+random.IntN(20))) }},
		{"delete ifb", func() error { return k.DeleteIFB("eth1") }},
		{"delete root of ifb", func() error { return k.DeleteRoot("ifb4eth1") }},
		{"ifb down", func() error { return k.SetLinkUp("ifb4eth1", false) }},
		{"rate", func() error { return k.SetRate("eth1", uint64(1+random.IntN(100))*100000) }},
		{"carrier", func() error { return k.SetCarrier("eth1", random.IntN(2) == 0) }},
		{"mtu", func() error { return k.SetMTU("eth1", 1300+random.IntN(300)) }},
		{"redial", func() error { return redial(k) }},
		{"traffic", func() error { k.Advance("eth1", Traffic{Bytes: 1500, Packets: 1}); return nil }},
	}
	hand := hands[random.IntN(len(hands))]
	return hand.name, hand.do()
}

// redial gives the device another index.
func redial(k *Kernel) error {
	if err := k.DeleteLinkByName("eth1"); err != nil {
		return err
	}
	if _, err := k.AddLink("eth1", "veth", 1500); err != nil {
		return err
	}
	return k.SetLinkUp("eth1", true)
}
