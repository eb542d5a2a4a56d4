// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"sqmd/tc"
)

// Shapes is the rates in bit/s that packets leaving and packets arriving on a
// device are really held to; 0 for no shaping. It is judged from what is in the
// kernel and knows nothing of who put it there or why.
func (k *Kernel) Shapes(dev string) (up, down uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byName(dev)
	if d == nil {
		return 0, 0
	}
	for _, r := range d.redirects() {
		to := k.byIndex(r.to)
		if r.everything && to != nil && to.link.Up {
			down = to.rootRate()
		}
	}
	return d.rootRate(), down
}

// Blackhole reports whether packets that arrive on a device are lost, because a
// redirect leads nowhere or to a device that is down.
func (k *Kernel) Blackhole(dev string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byName(dev)
	if d == nil {
		return false
	}
	for _, r := range d.redirects() {
		if to := k.byIndex(r.to); to == nil || !to.link.Up {
			return true
		}
	}
	return false
}

// rootRate is the rate that the root qdisc holds packets to, 0 for none.
func (d *device) rootRate() uint64 {
	if d.root == nil {
		return 0
	}
	switch o := d.root.Options.(type) {
	case *tc.Cake:
		if o.Rate != nil {
			return *o.Rate
		}
	case *tc.TBF:
		return o.Rate
	case *tc.HTB:
		// The classes of one tree share what the topmost one has. Without a
		// default class packets go past the shaper.
		c := d.root.defaultClass()
		if c == nil {
			return 0
		}
		for c.parent != nil {
			c = c.parent
		}
		return c.Options.(*tc.HTBClass).Ceil
	}
	return 0
}

// defaultClass is the leaf class of htb for packets that no filter sends
// elsewhere, nil for none.
func (q *qdisc) defaultClass() *class {
	o, ok := q.Options.(*tc.HTB)
	if !ok || o.Default == 0 {
		return nil
	}
	c := q.class(q.Handle | tc.Handle(uint16(o.Default)))
	if c == nil || c.children > 0 {
		return nil
	}
	return c
}

// redirect is a filter that takes arriving packets away to another device.
type redirect struct {
	to         int // ifindex, 0 for a device that is gone
	everything bool
}

// redirects is those that packets come to: a filter that has decided about every
// packet leaves none for those behind it.
func (d *device) redirects() []redirect {
	if d.hook == nil {
		return nil
	}
	var found []redirect
	for _, f := range d.hook.ingress.all() {
		if f.Chain != 0 {
			continue
		}
		every := f.Protocol == tc.ProtocolAll && matchesAll(f.Options)
		to, is := actionsOf(f.Options).RedirectsTo()
		if is {
			found = append(found, redirect{to, every})
		}
		if every && (is || decides(f.Options)) {
			break
		}
	}
	return found
}

// matchesAll reports whether no packet of the filter's protocol escapes it.
func matchesAll(o tc.Options) bool {
	switch o := o.(type) {
	case *tc.Matchall:
		return true
	case *tc.U32:
		for _, key := range o.Keys {
			if key.Mask != 0 {
				return false
			}
		}
		return o.Mark == nil && o.InDev == "" && o.Divisor == 0
	}
	return false
}

// decides reports whether the filter ends the search with a packet that it
// matches.
func decides(o tc.Options) bool {
	list := actionsOf(o)
	if len(list) == 0 {
		return true
	}
	g, ok := list[len(list)-1].Options.(*tc.Gact)
	return ok && (g.Control == nil || *g.Control != tc.ControlContinue && *g.Control != tc.ControlPipe)
}
