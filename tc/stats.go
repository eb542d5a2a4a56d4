// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Stats are the counters of one qdisc or class since it was created. Those that
// belong to a kind are nil for all others.
type Stats struct {
	Bytes   uint64
	Packets uint64
	// Qlen is the packets and Backlog the bytes waiting now.
	Qlen, Backlog uint32
	Drops         uint32
	Requeues      uint32
	Overlimits    uint32

	Cake        *CakeStats
	CakeFlow    *CakeFlowStats // of a class of cake
	Codel       *CodelStats
	FqCodel     *FqCodelStats
	FqCodelFlow *FqCodelFlowStats // of a class of fq_codel
	FqPie       *FqPieStats
	HTBClass    *HTBClassStats
	Pie         *PieStats
	RED         *REDStats
	SFQ         *SFQStats
	SFQFlow     *SFQFlowStats // of a class of sfq
}

// Attributes of TCA_STATS2 (linux/gen_stats.h).
const (
	statsBasic = 1
	statsQueue = 3
	statsApp   = 4
	statsPkt64 = 8
)

// appStats read a kind's own statistics, by kind, with " class" behind for a
// class's.
var appStats = map[string]func(s *Stats, v value){
	"cake":           func(s *Stats, v value) { s.Cake = decodeCakeStats(v.nested()) },
	"cake class":     func(s *Stats, v value) { s.CakeFlow = decodeCakeFlow(v.nested()) },
	"codel":          func(s *Stats, v value) { s.Codel = decodeCodelStats(v) },
	"fq_codel":       func(s *Stats, v value) { s.FqCodel, s.FqCodelFlow = decodeFqCodelStats(v) },
	"fq_codel class": func(s *Stats, v value) { s.FqCodel, s.FqCodelFlow = decodeFqCodelStats(v) },
	"fq_pie":         func(s *Stats, v value) { s.FqPie = decodeFqPieStats(v) },
	"htb class":      func(s *Stats, v value) { s.HTBClass = decodeHTBClassStats(v) },
	"pie":            func(s *Stats, v value) { s.Pie = decodePieStats(v) },
	"red":            func(s *Stats, v value) { s.RED = decodeREDStats(v) },
	"sfq class":      func(s *Stats, v value) { s.SFQFlow = &SFQFlowStats{Allot: int32(v.u32())} },
}

// decodeStats reads TCA_STATS2; a kind's own part is in it or, in older kernels,
// in xstats. Fields that a kernel does not have read 0, and those that are new
// are skipped.
func decodeStats(kind string, stats2, xstats *value) *Stats {
	if stats2 == nil {
		return nil
	}
	s := &Stats{}
	app := xstats
	// A truncated tail loses the counters in it and nothing else.
	_ = stats2.nested().each(func(typ uint16, v value) {
		switch typ {
		case statsBasic:
			s.Bytes, s.Packets = v.u64(), max(s.Packets, uint64(v.u32At(8)))
		case statsPkt64:
			s.Packets = v.u64()
		case statsQueue:
			v.fill(&s.Qlen, &s.Backlog, &s.Drops, &s.Requeues, &s.Overlimits)
		case statsApp:
			app = &v
		}
	})
	if read, ok := appStats[kind]; ok && app != nil {
		read(s, *app)
	}
	return s
}

// fill reads consecutive 32-bit numbers.
func (v value) fill(fields ...*uint32) {
	for i, field := range fields {
		*field = v.u32At(4 * i)
	}
}

// from is the payload without its first n bytes.
func (v value) from(n int) value { return value{v.order, v.b[min(n, len(v.b)):]} }
