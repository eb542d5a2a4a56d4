// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"sqmd/tc"
	"sqmd/uci"
)

// Handles of the htb and tbf trees, those of sqm-scripts.
var (
	rootHandle = tc.MakeHandle(1, 0)
	topClass   = tc.MakeHandle(1, 1)
)

// class is one htb class with its leaf, as a recipe describes it. Rates are
// kbit/s, sizes bytes.
type class struct {
	minor      uint16
	leaf       uint16 // major of the leaf qdisc
	rate, ceil int64
	burst      int64
	prio       int
	leafQ      int // quantum of a fq_codel leaf; 0 for the kernel's
}

// simplest is one class under one limit.
func (s side) simplest(mtu int64) (*Tree, *uci.Finding) {
	return s.htb(mtu, 0x10, []class{{minor: 0x10, leaf: 0x110, rate: s.kbit, ceil: s.kbit, burst: burst(s.kbit, mtu)}}, nil)
}

// simple is three classes by DSCP; in the download only where the marks of the
// outside are believed.
func (s side) simple(mtu int64, wash bool) (*Tree, *uci.Finding) {
	if !s.tiered() {
		tree, finding := s.simplest(mtu)
		if finding == nil && wash {
			tree.Filters = s.washAll(tc.MakeHandle(1, 0x10))
		}
		return tree, finding
	}
	quanta, reserved := [...]int{300, 300, 300}, int64(128)
	if s.direction == Download {
		quanta, reserved = [...]int{500, 1500, 300}, 32
	}
	full := burst(s.kbit, mtu)
	share := max(s.kbit/6, 1)
	most := max(s.kbit-16, s.kbit/2, share)
	first := class{minor: 0x11, leaf: 0x110, ceil: max(s.kbit/3, 1), burst: s.directBurst(), prio: 1, leafQ: quanta[0]}
	first.rate = min(reserved, first.ceil)
	classes := []class{
		first,
		{minor: 0x12, leaf: 0x120, rate: share, ceil: most, burst: full, prio: 2, leafQ: quanta[1]},
		{minor: 0x13, leaf: 0x130, rate: share, ceil: most, burst: full, prio: 3, leafQ: quanta[2]},
	}
	return s.htb(mtu, 0x12, classes, s.tierFilters(wash))
}

// directBurst is the burst of a class that is given none: tc(8) takes the MTU of
// the link layer's table.
func (s side) directBurst() int64 {
	if s.accounting() == inClasses {
		return int64(s.TableMTU)
	}
	return directBurst
}

func (s side) htb(mtu int64, defaultMinor uint32, classes []class, filters []tc.Filter) (*Tree, *uci.Finding) {
	t := &Tree{
		Root:    tc.Qdisc{Parent: tc.Root, Handle: rootHandle, Kind: "htb", Options: &tc.HTB{Default: defaultMinor}, Stab: s.sizeTable()},
		Filters: filters,
	}
	quantum := burst(s.kbit, mtu)
	t.Classes = append(t.Classes, s.htbClass(topClass, rootHandle, class{rate: s.kbit, ceil: s.kbit, burst: quantum}, quantum))
	for _, c := range classes {
		id := tc.MakeHandle(1, c.minor)
		t.Classes = append(t.Classes, s.htbClass(id, topClass, c, quantum))
		options, finding := s.options(s.Qdisc, s.leaf(c.leafQ, mtu))
		if finding != nil {
			return nil, finding
		}
		t.Leaves = append(t.Leaves, tc.Qdisc{Parent: id, Handle: tc.MakeHandle(c.leaf, 0), Kind: s.Qdisc, Options: options})
	}
	return t, nil
}

func (s side) htbClass(id, parent tc.Handle, c class, quantum int64) tc.Class {
	o := &tc.HTBClass{
		Rate: uint64(c.rate) * 1000, Ceil: uint64(c.ceil) * 1000,
		Burst: uint32(c.burst), Cburst: uint32(c.burst), Quantum: uint32(quantum), Prio: uint32(c.prio),
		LinkLayer: tc.LinkEthernet,
	}
	if s.accounting() == inClasses {
		o.LinkLayer, o.Overhead, o.MPU = s.linkLayer(), uint16(s.counted()), uint16(s.MPU)
	}
	return tc.Class{Handle: id, Parent: parent, Kind: "htb", Options: o}
}

// accounting is where a classful shaper learns the size of packets on the link.
type accounting int

const (
	nowhere   accounting = iota
	inTable              // a size table at the root
	inClasses            // overhead of the shaper itself
)

// accounting: a size table for htb, unless the configuration names htb's own.
// tbf takes GSO packets apart after the size table was used, so that only its
// own overhead counts for all packets. Neither shaper can take bytes away
// itself, a size table can.
func (s side) accounting() accounting {
	switch {
	case s.LinkLayer == uci.LinkNone:
		return nowhere
	case s.counted() < 0:
		return inTable
	case s.Mechanism == uci.MechanismHTB, s.Recipe == uci.SimplestTBF:
		return inClasses
	}
	return inTable
}

// counted is the overhead on top of what the kernel counts. A preset's overhead
// is on top of the IP packet, and the kernel already counts the link header.
func (s side) counted() int {
	if s.OverheadOnIP {
		return s.Overhead - s.header
	}
	return s.Overhead
}

func (s side) linkLayer() uint8 {
	if s.LinkLayer == uci.LinkATM {
		return tc.LinkATM
	}
	return tc.LinkEthernet
}

func (s side) sizeTable() *tc.SizeTable {
	if s.accounting() != inTable {
		return nil
	}
	return &tc.SizeTable{LinkLayer: s.linkLayer(), Overhead: int32(s.counted()),
		MPU: uint32(s.MPU), MTU: uint32(s.TableMTU), TSize: uint32(s.TableSize)}
}
