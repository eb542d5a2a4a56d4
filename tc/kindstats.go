// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// CodelStats are codel's own statistics (struct tc_codel_xstats). Times are
// microseconds.
type CodelStats struct {
	MaxPacket        uint32 // bytes
	Count, LastCount uint32 // drops since dropping began, and the time before
	DelayUs          uint32 // of the last packet
	DropNextUs       int32  // until the next drop; only while dropping
	DropOverlimit    uint32
	Marks            uint32 // ECN marks in place of drops
	Dropping         bool
	CEMarks          uint32 // above CEThreshold
}

func decodeCodelStats(v value) *CodelStats {
	s := &CodelStats{}
	var next, dropping uint32
	v.fill(&s.MaxPacket, &s.Count, &s.LastCount, &s.DelayUs, &next, &s.DropOverlimit, &s.Marks, &dropping, &s.CEMarks)
	s.DropNextUs, s.Dropping = int32(next), dropping != 0
	return s
}

// FqCodelStats are fq_codel's own statistics (struct tc_fq_codel_qd_stats).
type FqCodelStats struct {
	MaxPacket     uint32 // bytes
	DropOverlimit uint32 // drops because Limit packets waited
	Marks         uint32 // ECN marks in place of drops
	NewFlowCount  uint32 // packets that began a new flow
	// NewFlows and OldFlows are how many flows wait now.
	NewFlows, OldFlows uint32
	CEMarks            uint32 // above CEThreshold
	MemoryUsed         uint32 // bytes
	DropOvermemory     uint32 // drops because MemoryLimit bytes were used
}

// FqCodelFlowStats are those of one flow, which fq_codel shows as a class
// (struct tc_fq_codel_cl_stats). Times are microseconds.
type FqCodelFlowStats struct {
	Deficit          int32  // bytes the flow may still send in this round
	DelayUs          uint32 // of the last packet
	Count, LastCount uint32 // drops since dropping began, and the time before
	Dropping         bool
	DropNextUs       int32 // until the next drop; only while dropping
}

// Types of struct tc_fq_codel_xstats.
const (
	fqCodelStatsQdisc = 0
	fqCodelStatsClass = 1
)

func decodeFqCodelStats(v value) (*FqCodelStats, *FqCodelFlowStats) {
	body := v.from(4)
	switch v.u32() {
	case fqCodelStatsQdisc:
		s := &FqCodelStats{}
		body.fill(&s.MaxPacket, &s.DropOverlimit, &s.Marks, &s.NewFlowCount, &s.NewFlows, &s.OldFlows,
			&s.CEMarks, &s.MemoryUsed, &s.DropOvermemory)
		return s, nil
	case fqCodelStatsClass:
		s := &FqCodelFlowStats{}
		var deficit, dropping, next uint32
		body.fill(&deficit, &s.DelayUs, &s.Count, &s.LastCount, &dropping, &next)
		s.Deficit, s.Dropping, s.DropNextUs = int32(deficit), dropping != 0, int32(next)
		return nil, s
	}
	return nil, nil
}

// PieStats are pie's own statistics (struct tc_pie_xstats).
type PieStats struct {
	DropProb  uint64 // in units of 1/2^64
	DelayUs   uint32 // microseconds
	DQRate    uint32 // departure rate, byte/s; only with DQRateEstimator
	PacketsIn uint32
	Drops     uint32 // by the AQM
	Overlimit uint32 // drops because Limit packets waited
	MaxQueue  uint32 // packets
	Marks     uint32 // ECN marks in place of drops
}

func decodePieStats(v value) *PieStats {
	s := &PieStats{DropProb: v.u64()}
	var estimating uint32
	v.from(8).fill(&s.DelayUs, &s.DQRate, &estimating, &s.PacketsIn, &s.Drops, &s.Overlimit, &s.MaxQueue, &s.Marks)
	return s
}

// FqPieStats are fq_pie's own statistics (struct tc_fq_pie_xstats).
type FqPieStats struct {
	PacketsIn      uint32
	Drops          uint32 // by the AQM
	DropOverlimit  uint32 // drops because Limit packets waited
	DropOvermemory uint32 // drops because MemoryLimit bytes were used
	Marks          uint32 // ECN marks in place of drops
	NewFlowCount   uint32 // packets that began a new flow
	// NewFlows and OldFlows are how many flows wait now.
	NewFlows, OldFlows uint32
	MemoryUsed         uint32 // bytes
}

func decodeFqPieStats(v value) *FqPieStats {
	s := &FqPieStats{}
	v.fill(&s.PacketsIn, &s.Drops, &s.DropOverlimit, &s.DropOvermemory, &s.Marks, &s.NewFlowCount,
		&s.NewFlows, &s.OldFlows, &s.MemoryUsed)
	return s
}

// HTBClassStats are those of an htb class (struct tc_htb_xstats).
type HTBClassStats struct {
	// Lends is packets sent at the class's own rate, Borrows those sent with
	// bandwidth of its parents.
	Lends, Borrows uint32
	// Tokens and CTokens are what is left of Burst and Cburst, in units of 64 ns;
	// negative while the class has to wait.
	Tokens, CTokens int32
}

func decodeHTBClassStats(v value) *HTBClassStats {
	s := &HTBClassStats{}
	var giants, tokens, ctokens uint32
	v.fill(&s.Lends, &s.Borrows, &giants, &tokens, &ctokens)
	s.Tokens, s.CTokens = int32(tokens), int32(ctokens)
	return s
}

// REDStats are red's own statistics (struct tc_red_xstats), in packets.
type REDStats struct {
	Early uint32 // dropped by the AQM
	PDrop uint32 // dropped because Limit bytes waited
	Other uint32
	Marks uint32 // ECN marks in place of drops
}

func decodeREDStats(v value) *REDStats {
	s := &REDStats{}
	v.fill(&s.Early, &s.PDrop, &s.Other, &s.Marks)
	return s
}

// SFQStats are of sfq's RED mode (struct tc_sfqred_stats), in packets: below Max
// by chance, above it by force, and at the head of the queue.
type SFQStats struct {
	ProbDrop, ForcedDrop         uint32
	ProbMark, ForcedMark         uint32
	ProbMarkHead, ForcedMarkHead uint32
}

// decodeSFQStats reads what the kernel shows among the options.
func decodeSFQStats(options value) *SFQStats {
	s := &SFQStats{}
	options.from(sfqStatsAt).fill(&s.ProbDrop, &s.ForcedDrop, &s.ProbMark, &s.ForcedMark, &s.ProbMarkHead, &s.ForcedMarkHead)
	return s
}

// SFQFlowStats are those of one flow, which sfq shows as a class.
type SFQFlowStats struct {
	Allot int32 // bytes the flow may still send in this round
}
