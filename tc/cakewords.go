// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "fmt"

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

// parse reads tc-cake(8) words. "raw" wins over overheads before and behind it,
// as it does in tc(8); all else is decided by the last word.
func (c *Cake) parse(w *words) error {
	t := wordTable{
		"bandwidth": func(w *words) error {
			c.Autorate = ref[uint32](0)
			return with(&c.Rate, ParseRate)(w)
		},
		"unlimited": func(*words) error {
			c.Autorate, c.Rate = ref[uint32](0), ref[uint64](0)
			return nil
		},
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
		"diffserv": set(&c.Diffserv, Diffserv4),
		"overhead": with(&c.Overhead, parseSignedIn(10, CakeOverheadMin, CakeOverheadMax)),
		"mpu": func(w *words) error {
			n, err := take(w, parseSignedIn(10, 0, CakeMPUMax))
			c.MPU = ref(uint32(n))
			return err
		},
		"raw": func(*words) error {
			c.Raw, c.Overhead, c.Framing = true, ref[int32](0), ref(FramingNone)
			return nil
		},
		"conservative": func(*words) error {
			c.Overhead, c.Framing = ref[int32](48), ref(FramingATM)
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
	c.RTT, c.Target = ref(max(us, 1)), ref(max(us/20, 1))
}

func (c *Cake) addLink(overhead int32, mpu uint32, framing *uint32) {
	if c.Overhead != nil {
		overhead += *c.Overhead
	}
	c.Overhead = &overhead
	if mpu != 0 {
		c.MPU = &mpu
	}
	if framing != nil {
		c.Framing = framing
	}
}
