// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// CakeStats are cake's own statistics.
type CakeStats struct {
	// CapacityBits is the estimated arrival rate in bit/s.
	CapacityBits uint64
	// MemoryLimit and MemoryUsed (its peak) are bytes.
	MemoryLimit, MemoryUsed uint32
	// AvgNetOffset is the average offset of the network header, bytes.
	AvgNetOffset uint32
	// Smallest and largest packet, as is and with overhead, bytes; the minimums
	// are 0xffffffff until a packet was seen.
	MinNet, MaxNet, MinAdjusted, MaxAdjusted uint32
	// ActiveQueues is how many queues of cake_mq share the rate; 0 where the
	// kernel does not say.
	ActiveQueues uint32
	Tins         []CakeTin // lowest priority first
}

// CakeTin is one priority tin of cake. Delays are microseconds.
type CakeTin struct {
	SentPackets, Drops, Marks, AckDrops    uint32
	SentBytes                              uint64
	BacklogPackets, BacklogBytes           uint32
	ThresholdBits                          uint64 // bit/s
	TargetUs, IntervalUs                   uint32
	WayHits, WayMisses, WayCollisions      uint32
	PeakDelayUs, AvgDelayUs, SparseDelayUs uint32
	SparseFlows, BulkFlows, Unresponsive   uint32
	MaxPacket                              uint32 // bytes
	FlowQuantum                            uint32 // bytes
}

// maxCakeTins is CAKE_MAX_TINS.
const maxCakeTins = 8

// CakeFlowStats are those of one flow, which cake shows as a class. Times are
// microseconds.
type CakeFlowStats struct {
	Deficit     int32  // bytes the flow may still send in this round
	Dropping    bool   // the AQM drops or marks now
	CobaltCount uint32 // drops or marks in a row
	DropNextUs  int32  // until the next one; only while dropping
	DropProb    uint32 // of the BLUE part, in units of 1/2^32
	BlueTimerUs int32  // since DropProb moved last
}

func decodeCakeStats(d decoder) *CakeStats {
	s := &CakeStats{}
	_ = d.each(func(typ uint16, v value) {
		switch typ {
		case 2:
			s.CapacityBits = bitsFromBytes(v.u64())
		case 3:
			s.MemoryLimit = v.u32()
		case 4:
			s.MemoryUsed = v.u32()
		case 5:
			s.AvgNetOffset = v.u32()
		case 6:
			s.MinNet = v.u32()
		case 7:
			s.MaxNet = v.u32()
		case 8:
			s.MinAdjusted = v.u32()
		case 9:
			s.MaxAdjusted = v.u32()
		case 10:
			s.decodeTins(v.nested())
		case 17:
			s.ActiveQueues = v.u32()
		}
	})
	return s
}

func decodeCakeFlow(d decoder) *CakeFlowStats {
	s := &CakeFlowStats{}
	_ = d.each(func(typ uint16, v value) {
		switch typ {
		case 11:
			s.Deficit = int32(v.u32())
		case 12:
			s.CobaltCount = v.u32()
		case 13:
			s.Dropping = v.u32() != 0
		case 14:
			s.DropNextUs = int32(v.u32())
		case 15:
			s.DropProb = v.u32()
		case 16:
			s.BlueTimerUs = int32(v.u32())
		}
	})
	return s
}

func (s *CakeStats) decodeTins(d decoder) {
	_ = d.each(func(tin uint16, v value) {
		if tin == 0 || tin > maxCakeTins {
			return
		}
		for len(s.Tins) < int(tin) {
			s.Tins = append(s.Tins, CakeTin{})
		}
		s.Tins[tin-1].decode(v.nested())
	})
}

func (t *CakeTin) decode(d decoder) {
	fields := map[uint16]*uint32{
		2: &t.SentPackets, 4: &t.Drops, 6: &t.AckDrops, 8: &t.Marks, 10: &t.BacklogPackets, 11: &t.BacklogBytes,
		13: &t.TargetUs, 14: &t.IntervalUs, 15: &t.WayHits, 16: &t.WayMisses, 17: &t.WayCollisions,
		18: &t.PeakDelayUs, 19: &t.AvgDelayUs, 20: &t.SparseDelayUs,
		21: &t.SparseFlows, 22: &t.BulkFlows, 23: &t.Unresponsive, 24: &t.MaxPacket, 25: &t.FlowQuantum,
	}
	_ = d.each(func(typ uint16, v value) {
		switch typ {
		case 3:
			t.SentBytes = v.u64()
		case 12:
			t.ThresholdBits = bitsFromBytes(v.u64())
		default:
			if field, ok := fields[typ]; ok {
				*field = v.u32()
			}
		}
	})
}
