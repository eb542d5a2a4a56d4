// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package simkernel

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"sqmd/watch"
)

// ears hear what the real kernel notifies. All that a step causes waits on the
// socket when the step is over, so that a mark set behind it ends what it caused.
type ears struct {
	source watch.Source
	marks  int
	names  linkNames // of all links there ever were
}

func (p *pair) listen() {
	p.settle()
	source, err := watch.Netlink()
	must(p.t, err)
	p.t.Cleanup(func() { source.Close() })
	p.ears = &ears{source: source, names: linkNames{}}
	links, err := source.Links()
	must(p.t, err)
	for _, l := range links {
		p.ears.names[l.Index] = l.Name
	}
	p.heard()
	p.sim.Events()
}

// settle waits until the real kernel has found out that the cable is plugged in:
// it looks at carriers when it has time, up to a second later.
func (p *pair) settle() {
	p.t.Helper()
	for _, name := range []string{"eth1", "wan0"} {
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			link, err := netlink.LinkByName(name)
			must(p.t, err)
			if link.Attrs().OperState == netlink.OperUp {
				break
			}
			if time.Now().After(end) {
				p.t.Fatalf("%s does not come up", name)
			}
		}
	}
}

// heard is what the real kernel told since the last call, as lines.
func (p *pair) heard() []string {
	p.ears.marks++
	mark := fmt.Sprint("mark ", p.ears.marks)
	lo, err := netlink.LinkByName("lo")
	must(p.t, err)
	must(p.t, netlink.LinkSetAlias(lo, mark))
	must(p.t, netlink.LinkSetAlias(lo, ""))
	var lines []string
	for {
		messages, err := p.ears.source.Receive()
		must(p.t, err)
		for _, m := range messages {
			switch {
			case m.Kind == watch.LinkChanged && m.Link.Alias == mark:
				return unique(lines)
			case m.Kind == watch.LinkChanged && m.Link.Name != "lo":
				p.ears.names[m.Link.Index] = m.Link.Name
				lines = append(lines, "link changed: "+m.Link.Name)
			case m.Kind == watch.LinkGone:
				lines = append(lines, "link gone: "+p.ears.names[m.Link.Index])
			case m.Kind == watch.TCChanged:
				lines = append(lines, tcLine(p.ears.names[m.Ifindex], m.TC)...)
			}
		}
	}
}

// told is the same of the simulated kernel.
func (p *pair) told() []string {
	var lines []string
	names := linkNames{}
	links, err := p.sim.Links()
	must(p.t, err)
	for _, l := range links {
		names[l.Index] = l.Name
	}
	for _, e := range p.sim.Events() {
		switch e.Kind {
		case watch.LinkAppeared, watch.LinkChanged:
			lines = append(lines, "link changed: "+e.Link.Name)
		case watch.LinkGone:
			lines = append(lines, "link gone: "+e.Before.Name)
		case watch.TCChanged:
			lines = append(lines, tcLine(names[e.Ifindex], e.TC)...)
		}
	}
	return unique(lines)
}

// tcLine leaves out default qdiscs, of which a kernel tells or not.
func tcLine(dev string, t watch.TC) []string {
	if t.Object == "qdisc" && t.Handle == 0 {
		return nil
	}
	handle := t.Handle.String()
	if t.Object == "filter" && t.Kind == "u32" {
		handle = fmt.Sprintf("%x", t.Handle&u32NodeMask)
	}
	return []string{chosen.ReplaceAllString(fmt.Sprintf("%s on %s: %s %s parent %s gone %v", t.Object, dev, t.Kind, " "+handle, t.Parent, t.Gone), " auto:")}
}

// unique: how often the same is told does not matter.
func unique(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

func (p *pair) compareHeard(after string) {
	p.t.Helper()
	if diff := cmp.Diff(p.heard(), p.told()); diff != "" {
		p.t.Errorf("%s: notifications (-real +simulated):\n%s", after, diff)
	}
}
