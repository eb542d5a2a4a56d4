// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "fmt"

// Attributes of cake (TCA_CAKE_*, linux/pkt_sched.h).
const (
	cakeRate64    = 2
	cakeDiffserv  = 3
	cakeATM       = 4
	cakeFlowMode  = 5
	cakeOverhead  = 6
	cakeRTT       = 7
	cakeTarget    = 8
	cakeAutorate  = 9
	cakeMemory    = 10
	cakeNAT       = 11
	cakeRaw       = 12
	cakeWash      = 13
	cakeMPU       = 14
	cakeIngress   = 15
	cakeAckFilter = 16
	cakeSplitGSO  = 17
	cakeFwmark    = 18
)

// Ranges that tc-cake(8) accepts for overhead and MPU, in bytes.
const (
	CakeOverheadMin = -64
	CakeOverheadMax = 256
	CakeMPUMax      = 256
)

// Diffserv modes of cake (CAKE_DIFFSERV_*).
const (
	Diffserv3 uint32 = iota
	Diffserv4
	Diffserv8
	BestEffort
	Precedence
)

// Flow isolation modes of cake (CAKE_FLOW_*).
const (
	FlowBlind uint32 = iota
	SrcHost
	DstHost
	Hosts
	Flows
	DualSrcHost
	DualDstHost
	TripleIsolate
)

// Link layer framing that cake compensates for (CAKE_ATM_*).
const (
	FramingNone uint32 = iota
	FramingATM         // 48 payload bytes in cells of 53
	FramingPTM         // 64b/65b coding
)

// ACK filter modes of cake (CAKE_ACK_*).
const (
	AckKeep uint32 = iota
	AckFilter
	AckAggressive
)

var (
	cakeDiffservWords  = []string{"diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence"}
	cakeFlowWords      = []string{"flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"}
	cakeFramingWords   = []string{"noatm", "atm", "ptm"}
	cakeAckFilterWords = []string{"no-ack-filter", "ack-filter", "ack-filter-aggressive"}
)

// cakeRTTs are the named intervals of tc-cake(8), in microseconds.
var cakeRTTs = []struct {
	word string
	us   uint32
}{
	{"datacentre", 100}, {"lan", 1000}, {"metro", 10000}, {"regional", 30000},
	{"internet", 100000}, {"oceanic", 300000}, {"satellite", 1000000}, {"interplanetary", 1000000000},
}

// cakeLinks are the overhead keywords of tc-cake(8). Their overheads add up;
// framing and MPU are set.
var cakeLinks = []struct {
	word     string
	overhead int32
	mpu      uint32
	framing  *uint32
}{
	{"ipoa-vcmux", 8, 0, ref(FramingATM)}, {"ipoa-llcsnap", 16, 0, ref(FramingATM)},
	{"bridged-vcmux", 24, 0, ref(FramingATM)}, {"bridged-llcsnap", 32, 0, ref(FramingATM)},
	{"pppoa-vcmux", 10, 0, ref(FramingATM)}, {"pppoa-llc", 14, 0, ref(FramingATM)},
	{"pppoe-vcmux", 32, 0, ref(FramingATM)}, {"pppoe-llcsnap", 40, 0, ref(FramingATM)},
	{"pppoe-ptm", 30, 0, ref(FramingPTM)}, {"bridged-ptm", 22, 0, ref(FramingPTM)},
	{"ethernet", 38, 84, nil}, {"ether-vlan", 4, 0, nil}, {"docsis", 18, 64, ref(FramingNone)},
}

// Cake is the options of the cake and cake_mq qdiscs, tc-cake(8).
type Cake struct {
	// MQ selects cake_mq: one cake for each transmit queue, sharing the rate.
	MQ bool
	// Rate is the shaper's rate in bit/s; 0 for no limit.
	Rate     *uint64
	Diffserv *uint32 // Diffserv3 ...
	FlowMode *uint32 // FlowBlind ...
	Framing  *uint32 // FramingNone ...
	// Overhead is added to every packet's IP length, -64 to 256 bytes.
	Overhead *int32
	// Raw trusts the kernel's packet length instead and wins over Overhead.
	Raw bool
	// MPU is the least size a packet counts as, 0 to 256 bytes.
	MPU *uint32
	// RTT is the interval and Target the delay target of the AQM, microseconds.
	RTT, Target *uint32
	// Autorate is 1 to follow the arrival rate (autorate-ingress).
	Autorate *uint32
	// Memory limits the queue, in bytes; 0 lets cake choose.
	Memory *uint32
	// NAT, Wash, Ingress and SplitGSO are 0 or 1.
	NAT, Wash, Ingress, SplitGSO *uint32
	AckFilter                    *uint32 // AckKeep ...
	// Fwmark is the mask of the firewall mark that selects the tin; 0 for none.
	Fwmark *uint32
}

// Kind is "cake" or "cake_mq".
func (c *Cake) Kind() string {
	if c.MQ {
		return "cake_mq"
	}
	return "cake"
}

// complete fills every option not given with the value that the kernel gives a
// new cake; a change that leaves one out would keep the old value.
func (c *Cake) complete() Options {
	full := *c
	complete(&full.Rate, 0)
	complete(&full.Diffserv, Diffserv3)
	complete(&full.FlowMode, TripleIsolate)
	complete(&full.Framing, FramingNone)
	complete(&full.MPU, 0)
	complete(&full.RTT, 100000)
	complete(&full.Target, 5000)
	complete(&full.Autorate, 0)
	complete(&full.Memory, 0)
	complete(&full.NAT, 0)
	complete(&full.Wash, 0)
	complete(&full.Ingress, 0)
	complete(&full.SplitGSO, 1)
	complete(&full.AckFilter, AckKeep)
	complete(&full.Fwmark, 0)
	if full.Overhead == nil {
		full.Overhead, full.Raw = ref[int32](0), true
	}
	return &full
}

func complete[T any](field **T, v T) {
	if *field == nil {
		*field = &v
	}
}

// encode keeps the order of iproute2, which also sends AUTORATE always.
func (c *Cake) encode(e *encoder) error {
	if c.Rate != nil {
		e.u64(cakeRate64, *c.Rate/8)
	}
	e.optU32(cakeDiffserv, c.Diffserv)
	e.optU32(cakeATM, c.Framing)
	e.optU32(cakeFlowMode, c.FlowMode)
	if c.Overhead != nil {
		e.u32(cakeOverhead, uint32(*c.Overhead))
	}
	if c.Raw {
		e.u32(cakeRaw, 0)
	}
	e.optU32(cakeMPU, c.MPU)
	e.optU32(cakeRTT, c.RTT)
	e.optU32(cakeTarget, c.Target)
	autorate := c.Autorate
	complete(&autorate, 0)
	e.optU32(cakeAutorate, autorate)
	e.optU32(cakeMemory, c.Memory)
	e.optU32(cakeFwmark, c.Fwmark)
	e.optU32(cakeNAT, c.NAT)
	e.optU32(cakeWash, c.Wash)
	e.optU32(cakeSplitGSO, c.SplitGSO)
	e.optU32(cakeIngress, c.Ingress)
	e.optU32(cakeAckFilter, c.AckFilter)
	return nil
}

func (c *Cake) decode(d decoder) error {
	fields := map[uint16]**uint32{
		cakeDiffserv: &c.Diffserv, cakeATM: &c.Framing, cakeFlowMode: &c.FlowMode, cakeMPU: &c.MPU,
		cakeRTT: &c.RTT, cakeTarget: &c.Target, cakeAutorate: &c.Autorate, cakeMemory: &c.Memory,
		cakeNAT: &c.NAT, cakeWash: &c.Wash, cakeIngress: &c.Ingress, cakeSplitGSO: &c.SplitGSO,
		cakeAckFilter: &c.AckFilter, cakeFwmark: &c.Fwmark,
	}
	return d.each(func(typ uint16, v value) {
		switch typ {
		case cakeRate64:
			c.Rate = ref(bitsFromBytes(v.u64()))
		case cakeOverhead:
			c.Overhead = ref(int32(v.u32()))
		case cakeRaw:
			c.Raw = true
		default:
			if field, ok := fields[typ]; ok {
				*field = ref(v.u32())
			}
		}
	})
}

func (c *Cake) satisfied(have Options) bool {
	h, ok := have.(*Cake)
	if !ok {
		return false
	}
	rate := c.Rate == nil || h.Rate != nil && *c.Rate/8 == *h.Rate/8
	// The flags come back as 0 or 1, whatever was sent; a dump always says
	// whether overhead is counted.
	overhead := c.Overhead == nil && !c.Raw || c.Raw == h.Raw && (c.Raw || same(c.Overhead, h.Overhead))
	return rate && overhead && same(c.Diffserv, h.Diffserv) && same(c.FlowMode, h.FlowMode) &&
		same(c.Framing, h.Framing) && same(c.MPU, h.MPU) && same(c.RTT, h.RTT) && same(c.Target, h.Target) &&
		same(c.Autorate, h.Autorate) && same(c.Memory, h.Memory) && same(c.NAT, h.NAT) && same(c.Wash, h.Wash) &&
		same(c.Ingress, h.Ingress) && same(c.SplitGSO, h.SplitGSO) && same(c.AckFilter, h.AckFilter) && same(c.Fwmark, h.Fwmark)
}

// Words spells the options for tc-cake(8). An MPU or memory limit of 0 is left
// out: tc(8) has no word for "automatic".
func (c *Cake) Words(Names) []string {
	var out []string
	add := func(w ...string) { out = append(out, w...) }
	if c.Rate != nil {
		if *c.Rate == 0 {
			add("unlimited")
		} else {
			add("bandwidth", rateText(*c.Rate))
		}
	}
	if c.Autorate != nil && *c.Autorate != 0 {
		add("autorate-ingress")
	}
	add(listWord(cakeDiffservWords, c.Diffserv), listWord(cakeFlowWords, c.FlowMode))
	add(flagWord(c.NAT, "nat", "nonat"), flagWord(c.Wash, "wash", "nowash"))
	add(flagWord(c.Ingress, "ingress", "egress"), listWord(cakeAckFilterWords, c.AckFilter))
	add(flagWord(c.SplitGSO, "split-gso", "no-split-gso"))
	if c.RTT != nil {
		add("rtt", timeText(*c.RTT))
	}
	if c.Raw {
		add("raw")
	}
	add(listWord(cakeFramingWords, c.Framing))
	if c.Overhead != nil && !c.Raw {
		add("overhead", numberText(*c.Overhead))
	}
	if c.MPU != nil && *c.MPU != 0 {
		add("mpu", numberText(*c.MPU))
	}
	if c.Memory != nil && *c.Memory != 0 {
		add("memlimit", sizeText(*c.Memory))
	}
	if c.Fwmark != nil && *c.Fwmark != 0 {
		add("fwmark", fmt.Sprintf("0x%x", *c.Fwmark))
	}
	return withoutEmpty(out)
}

func (c *Cake) parse(w *words) error {
	t := wordTable{
		"bandwidth":        with(&c.Rate, ParseRate),
		"unlimited":        set(&c.Rate, uint64(0)),
		"autorate-ingress": set(&c.Autorate, uint32(1)),
		"rtt": func(w *words) error {
			us, err := take(w, ParseTime)
			c.setRTT(us)
			return err
		},
		"nat": set(&c.NAT, uint32(1)), "nonat": set(&c.NAT, uint32(0)),
		"wash": set(&c.Wash, uint32(1)), "nowash": set(&c.Wash, uint32(0)),
		"ingress": set(&c.Ingress, uint32(1)), "egress": set(&c.Ingress, uint32(0)),
		"split-gso": set(&c.SplitGSO, uint32(1)), "no-split-gso": set(&c.SplitGSO, uint32(0)),
		"memlimit": with(&c.Memory, ParseSize), "fwmark": with(&c.Fwmark, parseU32),
		"overhead": func(w *words) error {
			c.Raw = false
			return with(&c.Overhead, parseWithin(CakeOverheadMin, CakeOverheadMax))(w)
		},
		"mpu": func(w *words) error {
			n, err := take(w, parseWithin(0, CakeMPUMax))
			c.MPU = ref(uint32(n))
			return err
		},
		"raw": func(*words) error {
			c.Raw, c.Overhead, c.Framing = true, ref[int32](0), ref(FramingNone)
			return nil
		},
		"conservative": func(*words) error {
			c.Raw, c.Overhead, c.Framing = false, ref[int32](48), ref(FramingATM)
			return nil
		},
		"via-ethernet": func(*words) error { return nil },
	}
	for i, word := range cakeDiffservWords {
		t[word] = set(&c.Diffserv, uint32(i))
	}
	for i, word := range cakeFlowWords {
		t[word] = set(&c.FlowMode, uint32(i))
	}
	for i, word := range cakeFramingWords {
		t[word] = set(&c.Framing, uint32(i))
	}
	for i, word := range cakeAckFilterWords {
		t[word] = set(&c.AckFilter, uint32(i))
	}
	for _, r := range cakeRTTs {
		t[r.word] = func(*words) error { c.setRTT(r.us); return nil }
	}
	for _, l := range cakeLinks {
		t[l.word] = func(*words) error { c.addLink(l.overhead, l.mpu, l.framing); return nil }
	}
	return t.parse(w)
}

// setRTT also sets the target, a twentieth of it as tc(8) does.
func (c *Cake) setRTT(us uint32) {
	c.RTT, c.Target = ref(us), ref(max(us/20, 1))
}

func (c *Cake) addLink(overhead int32, mpu uint32, framing *uint32) {
	if c.Overhead != nil && !c.Raw {
		overhead += *c.Overhead
	}
	c.Raw, c.Overhead = false, &overhead
	if mpu != 0 {
		c.MPU = &mpu
	}
	if framing != nil {
		c.Framing = framing
	}
}

// changeable: cake takes every change in place, and cake_mq too.
func (c *Cake) changeable(Options) bool { return true }

func (c *Cake) clone() Options { full := *c; return &full }
