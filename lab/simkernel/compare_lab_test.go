// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package simkernel

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/uci"
)

// pair is the simulated kernel and a real one in a namespace of its own, both
// with eth1 and its other end wan0.
type pair struct {
	t    *testing.T
	sim  *Kernel
	real *shaping.Live
	// engines work on the one and on the other.
	engines [2]*shaping.Engine
	ears    *ears
}

func newPair(t *testing.T) *pair {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and the namespace with it
	_, err := netns.New()
	must(t, err)
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "wan0", TxQLen: 1000, MTU: 1500}, PeerName: "eth1"}))
	sim := New()
	sim.Lack("cake_mq") // as the lab's kernel
	for _, name := range []string{"eth1", "wan0"} {
		_, err := sim.AddLink(name, "veth", 1500)
		must(t, err)
	}
	for _, name := range []string{"lo", "eth1", "wan0"} {
		link, err := netlink.LinkByName(name)
		must(t, err)
		must(t, netlink.LinkSetUp(link))
		must(t, sim.SetLinkUp(name, true))
	}
	real, err := shaping.OpenKernel()
	must(t, err)
	t.Cleanup(real.Close)
	p := &pair{t: t, sim: sim, real: real}
	p.engines[0] = &shaping.Engine{Kernel: sim, Records: shaping.Records{Dir: t.TempDir()}}
	p.engines[1] = &shaping.Engine{Kernel: real, Records: shaping.Records{Dir: t.TempDir()}}
	p.compare("at first")
	return p
}

// compare holds that both kernels show the same.
func (p *pair) compare(after string) {
	p.t.Helper()
	sim, err := objects(p.sim)
	must(p.t, err)
	real, err := objects(p.real)
	must(p.t, err)
	if diff := cmp.Diff(places(real), places(sim)); diff != "" {
		p.t.Fatalf("%s (-real +simulated):\n%s", after, diff)
	}
	for i := range sim {
		s, r := sim[i], real[i]
		if s.options != nil && r.options == nil || !satisfied(s.options, r.options) || !satisfied(r.options, s.options) || !s.stab.Satisfied(r.stab) {
			p.t.Fatalf("%s:\nreal      %s\nsimulated %s", after, r.text, s.text)
		}
	}
}

// satisfied compares options, with redirects told by the names in the text of
// places, since indexes differ.
func satisfied(want, have tc.Options) bool {
	if len(actionsOf(want)) > 0 {
		want, have = deepCopy(want), deepCopy(have)
		for _, list := range []tc.Actions{actionsOf(want), actionsOf(have)} {
			for _, a := range list {
				if m, ok := a.Options.(*tc.Mirred); ok && m.Ifindex != 0 {
					m.Ifindex = 1
				}
			}
		}
	}
	return tc.Satisfied(want, have)
}

// chosen matches handles that the kernel chose: it counts them for all devices
// of the system.
var chosen = regexp.MustCompile(` 8[0-9bd-f][0-9a-f]{2}:`)

func places(all []object) []string {
	list := make([]string, len(all))
	for i, o := range all {
		list[i] = chosen.ReplaceAllString(o.place, " auto:")
	}
	return list
}

// do carries out one line on both kernels, and compares the answers and what is
// there afterwards.
func (p *pair) do(line string) {
	p.t.Helper()
	answers := [2]error{}
	for i, k := range []shaping.Kernel{p.sim, p.real} {
		links, err := k.Links()
		must(p.t, err)
		names := linkNames{}
		for _, l := range links {
			names[l.Index] = l.Name
		}
		answers[i] = p.step(k, line, names)
	}
	if sim, real := errno(answers[0]), errno(answers[1]); sim != real {
		p.t.Errorf("%s: simulated %v, real %v", line, answers[0], answers[1])
	}
	p.compare(line)
}

// step is one line: a request as in a script, or what the other methods do.
func (p *pair) step(k shaping.Kernel, line string, names linkNames) error {
	w := strings.Fields(line)
	switch w[0] {
	case "create":
		_, err := k.CreateIFB(w[1], len(w)-1)
		return err
	case "mark":
		return k.SetAlias(names.Index(w[1]), w[2])
	case "up":
		return k.SetUp(names.Index(w[1]))
	case "remove":
		return k.DeleteLink(names.Index(w[1]))
	}
	if isHandStep(w[0]) && k == shaping.Kernel(p.sim) {
		return simHand(p.sim, w)
	} else if isHandStep(w[0]) {
		return realHand(w)
	}
	r, err := request(line, names)
	if err != nil {
		return err
	}
	results, err := k.Do(r)
	return errors.Join(append(results, err)...)
}

func errno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	var n syscall.Errno
	if !errors.As(err, &n) {
		panic(fmt.Sprintf("an error that is not the kernel's: %v", err))
	}
	return n
}

// Each list begins on fresh kernels.
func TestLikeTheKernel(t *testing.T) {
	for name, lines := range kernelScripts {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			p.listen()
			for _, line := range lines {
				p.do(line)
				p.compareHeard(line)
			}
		})
	}
}

// Steps of all lists in random order.
func TestRandomStepsLikeTheKernel(t *testing.T) {
	var pool []string
	for _, name := range slices.Sorted(maps.Keys(kernelScripts)) {
		pool = append(pool, kernelScripts[name]...)
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			p := newPair(t)
			p.listen()
			for range 250 {
				line := pool[random.IntN(len(pool))]
				p.do(line)
				p.compareHeard(line)
			}
		})
	}
}

// The engine does the same to both.
func TestRecipesLikeTheKernel(t *testing.T) {
	texts := recipes(t)
	for name := range texts {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			p.do("qdisc add eth1 ingress ffff: clsact")
			p.do("filter add eth1 hook 3 ip u32 match u32 0x00060000 0x00ff0000 at 8 action pass")
			steps := []string{name, "piece-of-cake", name, "simple", name, "tbf-pie", name, ""}
			for i, to := range steps {
				p.apply(texts[to], fmt.Sprintf("step %d, %q", i, to))
			}
			p.do("qdisc delete eth1 ingress ffff:")
			p.apply(texts[name], "without a hook")
			for _, line := range []string{"remove ifb4eth1", "qdisc delete eth1 root 0", "qdisc delete eth1 ingress ffff:", "qdisc replace eth1 root 7: fq_codel", "filter delete eth1 hook 0", "mark wan0 foreign"} {
				p.do(line)
				p.apply(texts[name], "mended after "+line)
			}
			p.apply("", "stop")
		})
	}
}

// apply brings both to a configuration; "" is none.
func (p *pair) apply(text, what string) {
	p.t.Helper()
	var lines [2][]string
	for i, e := range p.engines {
		units, _, err := e.Units(uci.ParseSQM("sqm", []byte(text)), "")
		must(p.t, err)
		for _, r := range e.Apply(units...) {
			for _, o := range r.Ops {
				lines[i] = append(lines[i], o.String())
			}
			lines[i] = append(lines[i], fmt.Sprintf("refused %v, %v", r.Plan.Refused(), r.Err))
		}
	}
	if diff := cmp.Diff(lines[1], lines[0]); diff != "" {
		p.t.Fatalf("%s: operations (-real +simulated):\n%s", what, diff)
	}
	p.compare(what)
}
