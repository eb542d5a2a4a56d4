// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import "sqmd/tc"

// newStats is the statistics of a new qdisc or class, with the part that belongs
// to its kind.
func newStats(kind string, o tc.Options) *tc.Stats {
	s := &tc.Stats{}
	switch kind {
	case "cake", "cake_mq":
		s.Cake = &tc.CakeStats{Tins: make([]tc.CakeTin, tins(o))}
	case "codel":
		s.Codel = &tc.CodelStats{}
	case "fq_codel":
		s.FqCodel = &tc.FqCodelStats{}
	case "fq_pie":
		s.FqPie = &tc.FqPieStats{}
	case "pie":
		s.Pie = &tc.PieStats{}
	case "red":
		s.RED = &tc.REDStats{}
	case "sfq":
		s.SFQ = &tc.SFQStats{}
	case "htb class":
		s.HTBClass = &tc.HTBClassStats{}
	}
	return s
}

// tins is how many tins a cake has.
func tins(o tc.Options) int {
	c, ok := o.(*tc.Cake)
	if !ok || c.Diffserv == nil {
		return 3
	}
	switch *c.Diffserv {
	case tc.BestEffort:
		return 1
	case tc.Diffserv4:
		return 4
	case tc.Diffserv8, tc.Precedence:
		return 8
	}
	return 3
}

// Traffic is what went through a device's root qdisc in some time.
type Traffic struct {
	Bytes, Packets uint64
	Drops          uint32
	Backlog, Qlen  uint32 // what waits at the end, bytes and packets
}

// Advance adds traffic to the counters of a device's root qdisc; of cake also to
// its first tin, of htb and tbf also to the default class and all that is above
// and under it. It reports false when there is no root qdisc but the default.
func (k *Kernel) Advance(dev string, t Traffic) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.byName(dev)
	if d == nil || d.root == nil {
		return false
	}
	t.addTo(d.root.Stats)
	if c := d.root.Stats.Cake; c != nil {
		t.addToTin(c, tins(d.root.Options))
	}
	leaf := d.root.leaf
	if c := d.root.defaultClass(); c != nil {
		leaf = c.leaf
		for ; c != nil; c = c.parent {
			t.addTo(c.Stats)
		}
	}
	if leaf != nil {
		t.addTo(leaf.Stats)
	}
	return true
}

func (t Traffic) addTo(s *tc.Stats) {
	s.Bytes += t.Bytes
	s.Packets += t.Packets
	s.Drops += t.Drops
	s.Backlog, s.Qlen = t.Backlog, t.Qlen
}

// addToTin: a change of the diffserv mode can have changed how many tins there
// are.
func (t Traffic) addToTin(c *tc.CakeStats, tins int) {
	for len(c.Tins) < tins {
		c.Tins = append(c.Tins, tc.CakeTin{})
	}
	c.Tins = c.Tins[:tins]
	tin := &c.Tins[0]
	tin.SentBytes += t.Bytes
	tin.SentPackets += uint32(t.Packets)
	tin.Drops += t.Drops
	tin.BacklogBytes, tin.BacklogPackets = t.Backlog, t.Qlen
}
