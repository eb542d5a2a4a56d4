// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"sqmd/tc"
	"sqmd/uci"
)

// tbfLatency is how long a packet may wait in tbf, in microseconds; the leaf's
// AQM acts long before.
const tbfLatency = 300000

// tbf is the tree of simplest_tbf: a token bucket with one leaf.
func (s side) tbf(mtu int64) (*Tree, *uci.Finding) {
	size := burst(s.kbit, mtu)
	o := &tc.TBF{
		Rate: uint64(s.kbit) * 1000, Burst: uint32(size),
		Limit:     uint32(min(s.kbit*1000/8*tbfLatency/1000000+size, 1<<32-1)),
		LinkLayer: tc.LinkEthernet,
	}
	if s.accounting() == inClasses {
		o.LinkLayer, o.Overhead, o.MPU = s.linkLayer(), uint16(s.counted()), uint16(s.MPU)
	}
	leaf, finding := s.options(s.Qdisc, s.leaf(0, mtu))
	if finding != nil {
		return nil, finding
	}
	return &Tree{
		Root:   tc.Qdisc{Parent: tc.Root, Handle: rootHandle, Kind: "tbf", Options: o, Stab: s.sizeTable()},
		Leaves: []tc.Qdisc{{Parent: rootHandle, Handle: tc.MakeHandle(0x110, 0), Kind: s.Qdisc, Options: leaf}},
	}, nil
}
