// SPDX-License-Identifier: GPL-2.0-or-later

package tc

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

// encode keeps the order of iproute2.
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
	e.optU32(cakeAutorate, c.Autorate)
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
	// With autorate-ingress the kernel moves the rate by itself.
	moving := or0(c.Autorate) != 0 && or0(h.Autorate) != 0
	rate := moving || c.Rate == nil || h.Rate != nil && *c.Rate/8 == *h.Rate/8
	// The flags come back as 0 or 1, whatever was sent; a dump always says
	// whether overhead is counted.
	overhead := c.Overhead == nil && !c.Raw || c.Raw == h.Raw && (c.Raw || same(c.Overhead, h.Overhead))
	return rate && overhead && same(c.Diffserv, h.Diffserv) && same(c.FlowMode, h.FlowMode) &&
		same(c.Framing, h.Framing) && same(c.MPU, h.MPU) && same(c.RTT, h.RTT) && same(c.Target, h.Target) &&
		same(c.Autorate, h.Autorate) && same(c.Memory, h.Memory) && same(c.NAT, h.NAT) && same(c.Wash, h.Wash) &&
		same(c.Ingress, h.Ingress) && same(c.SplitGSO, h.SplitGSO) && same(c.AckFilter, h.AckFilter) && same(c.Fwmark, h.Fwmark)
}

// changeable: cake takes every change in place, and cake_mq too.
func (c *Cake) changeable(Options) bool { return true }

func (c *Cake) clone() Options { return cloned(c) }
