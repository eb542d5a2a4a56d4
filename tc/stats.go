// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Stats are the counters of one qdisc or class since it was created.
type Stats struct {
	Bytes   uint64
	Packets uint64
	// Qlen is the packets and Backlog the bytes waiting now.
	Qlen, Backlog uint32
	Drops         uint32
	Requeues      uint32
	Overlimits    uint32
	Cake          *CakeStats // for cake only
}

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
	Tins                                     []CakeTin // lowest priority first
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

const maxCakeTins = 8

// Attributes of TCA_STATS2 (linux/gen_stats.h).
const (
	statsBasic = 1
	statsQueue = 3
	statsApp   = 4
	statsPkt64 = 8
)

// decodeStats reads TCA_STATS2, falling back to xstats for the kind's own part.
func decodeStats(kind string, stats2, xstats *value) *Stats {
	if stats2 == nil {
		return nil
	}
	s := &Stats{}
	// A truncated tail loses the counters in it and nothing else.
	_ = stats2.nested().each(func(typ uint16, v value) {
		switch typ {
		case statsBasic:
			s.Bytes, s.Packets = v.u64(), uint64(v.u32At(8))
		case statsPkt64:
			s.Packets = v.u64()
		case statsQueue:
			s.Qlen, s.Backlog, s.Drops, s.Requeues, s.Overlimits = v.u32At(0), v.u32At(4), v.u32At(8), v.u32At(12), v.u32At(16)
		case statsApp:
			s.decodeApp(kind, v)
		}
	})
	return s
}

func (s *Stats) decodeApp(kind string, v value) {
	if kind == "cake" {
		s.Cake = decodeCakeStats(v.nested())
	}
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
