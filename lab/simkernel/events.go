// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"sqmd/tc"
	"sqmd/watch"
)

// Ports of the sockets that changes of traffic control come from, as
// [watch.TC.Port] has them.
const (
	OurPort   = 1 // the methods of shaping.Kernel
	TheirPort = 2 // outside hands
)

// Subscribe begins anew with notifications, as a process does that starts: what
// waited is forgotten, all links appear, and [watch.Resynced] comes last.
func (k *Kernel) Subscribe() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = watch.Table{}
	k.resync(false)
}

// Events takes the notifications that came since the last call, as [watch.Run]
// would emit them.
func (k *Kernel) Events() []watch.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	taken := k.events
	k.events = nil
	for _, e := range taken {
		k.told.Apply(e)
	}
	return taken
}

// Resync loses the notifications that wait, as a queue that overflows does. In
// their place come the differences of links and [watch.Resynced].
func (k *Kernel) Resync() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.resync(true)
}

func (k *Kernel) resync(lost bool) {
	k.events, k.known = nil, watch.Table{}
	for _, l := range k.told.Links() {
		k.known.Apply(watch.Event{Kind: watch.LinkAppeared, Link: l})
	}
	for _, l := range k.told.Links() {
		if k.byIndex(l.Index) == nil {
			k.linkGone(l.Index)
		}
	}
	for _, d := range k.devices {
		k.linkSeen(d)
	}
	k.tell(watch.Event{Kind: watch.Resynced, Lost: lost})
}

func (k *Kernel) tell(e watch.Event) {
	k.known.Apply(e)
	k.events = append(k.events, e)
}

// linkSeen tells what is new about a link since it was last told of.
func (k *Kernel) linkSeen(d *device) {
	now := d.watched()
	before, known := k.known.ByIndex(now.Index)
	switch {
	case !known:
		k.tell(watch.Event{Kind: watch.LinkAppeared, Link: now})
	case now != before:
		k.tell(watch.Event{Kind: watch.LinkChanged, Link: now, Before: before})
	}
}

func (k *Kernel) linkGone(index int) {
	if l, known := k.known.ByIndex(index); known {
		k.tell(watch.Event{Kind: watch.LinkGone, Link: l, Before: l})
	}
}

// watched is the device as a watcher sees it.
func (d *device) watched() watch.Link {
	l := d.link
	l.Master, l.Carrier, l.OperState, l.CarrierUps, l.CarrierDowns = d.master, d.carrier && l.Up, "down", d.ups, d.downs
	if l.Carrier {
		l.OperState = "up"
	}
	return l
}

func (c *change) tell(t watch.TC) {
	t.Port = OurPort
	if c.foreign {
		t.Port = TheirPort
	}
	c.k.tell(watch.Event{Kind: watch.TCChanged, Ifindex: c.dev.link.Index, TC: t})
}

func (c *change) qdiscChanged(q *qdisc, gone bool) {
	c.tell(watch.TC{Object: "qdisc", Gone: gone, Handle: q.Handle, Parent: q.Parent, Kind: q.Kind})
}

func (c *change) classChanged(of *class, gone bool) {
	c.tell(watch.TC{Object: "class", Gone: gone, Handle: of.Handle, Parent: of.Parent, Kind: of.Kind})
}

func (c *change) filterChanged(parent tc.Handle, h *head, handle uint32, gone bool) {
	c.tell(watch.TC{Object: "filter", Gone: gone, Handle: tc.Handle(handle), Parent: parent, Kind: h.kind})
}
