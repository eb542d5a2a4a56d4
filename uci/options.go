// SPDX-License-Identifier: GPL-2.0-or-later

package uci

// leafQdiscs are the queue disciplines that can stand under a shaper: they
// need no parameters, classes or filters.
var leafQdiscs = []string{"cake", "fq_codel", "codel", "pie", "fq_pie", "sfq", "pfifo", "bfifo"}

var tinModes = []string{"besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"}

// maxKbit is far above any link, and far below what overflows bytes or bits.
const maxKbit = 1_000_000_000

// maxDuration keeps microseconds inside an int of 32 bits.
const maxDuration = 1_000_000_000

// schema is ordered as a page would show it.
var schema = []OptionInfo{
	{Name: "enabled", Group: GroupBasic, Kind: KindFlag, Default: "0",
		Summary: "Shape this device."},
	{Name: "interface", Group: GroupBasic, Kind: KindDevice, Required: true, Strict: true,
		Summary: "The network device to shape, such as eth1, wan or pppoe-wan, or @ and a logical network, such as @wan."},
	{Name: "download", Group: GroupBasic, Kind: KindRate, Unit: "kbit/s", Range: Range{0, maxKbit}, Required: true, Strict: true,
		Summary: "Rate of what arrives on the device; 0 leaves this direction alone."},
	{Name: "upload", Group: GroupBasic, Kind: KindRate, Unit: "kbit/s", Range: Range{0, maxKbit}, Required: true, Strict: true,
		Summary: "Rate of what leaves through the device; 0 leaves this direction alone."},
	{Name: "goal", Group: GroupBasic, Kind: KindChoice, Choices: []string{"device", "flow", "priorities"}, Own: true, Strict: true,
		Works: "with cake as the shaper; priorities also with simple.qos", works: func(q *Queue) bool {
			return q.UsesCake() || q.Recipe == Simple && q.Goal == "priorities"
		},
		Summary: "What is shared fairly: device gives every device at home its share (dual-srchost up, dual-dsthost down, nat), flow every connection, priorities sorts by DSCP into four tins both ways; options set beside it win."},
	{Name: "debug_logging", Group: GroupBasic, Kind: KindFlag, Default: "0",
		Summary: "Log everything about this queue, whatever verbosity says."},
	{Name: "verbosity", Group: GroupBasic, Kind: KindInteger, Default: "5", Range: Range{0, 10},
		Summary: "How much is logged: 0 nothing but errors, 1 errors, 2 warnings, 5 information, 8 debugging, 10 traces."},

	{Name: "script", Group: GroupQueue, Kind: KindChoice, Choices: recipeNames[1:], Required: true, Strict: true,
		Summary: "The recipe: which shaper and how many classes or tins."},
	{Name: "qdisc", Group: GroupQueue, Kind: KindChoice, Default: "fq_codel", Choices: append(leafQdiscs[:len(leafQdiscs):len(leafQdiscs)], "cake_mq"), Strict: true,
		Summary: "The queue discipline under the shaper; cake is shaper and queue in one, cake_mq is cake with use_mq. piece_of_cake.qos and layer_cake.qos always use cake, simplest_tbf.qos never does."},
	withWash.in(OptionInfo{Name: "squash_dscp", Group: GroupQueue, Kind: KindFlag, Default: "1",
		Summary: "Clear the DSCP of arriving packets, after they were sorted by it."}),
	withTiers.in(OptionInfo{Name: "squash_ingress", Group: GroupQueue, Kind: KindFlag, Default: "1",
		Summary: "Do not sort arriving packets by DSCP: one tin or class for all."}),
	withECN.in(OptionInfo{Name: "ingress_ecn", Group: GroupQueue, Kind: KindChoice, Default: "ECN", Choices: []string{"ECN", "NOECN"},
		Summary: "Mark arriving packets that can be marked instead of dropping them."}),
	withECN.in(OptionInfo{Name: "egress_ecn", Group: GroupQueue, Kind: KindChoice, Default: "ECN", Choices: []string{"ECN", "NOECN"},
		Summary: "Mark leaving packets that can be marked instead of dropping them."}),

	{Name: "link_preset", Group: GroupLink, Kind: KindChoice, Choices: presetNames(), Own: true, Strict: true,
		Summary: "What the line is: sets linklayer, overhead and tcMPU; each of them set beside it wins."},
	{Name: "linklayer", Group: GroupLink, Kind: KindChoice, Default: "none", Choices: append(linkLayerNames[:len(linkLayerNames):len(linkLayerNames)], "adsl"), Strict: true,
		Summary: "Framing of the line: atm (or adsl) for ADSL, ptm for VDSL2 (cake only), ethernet for all else; none switches accounting off."},
	withAccounting.in(OptionInfo{Name: "overhead", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "0", Range: Range{-1500, 1500}, CakeRange: Range{-64, 256}, Strict: true,
		Summary: "What each packet takes on the line beyond what the shaper counts: cake counts the IP packet, the others count the Ethernet header too, if the device has one."}),
	withAccounting.in(OptionInfo{Name: "tcMPU", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "0", Range: Range{0, 1500}, CakeRange: Range{0, 256}, Strict: true,
		Summary: "What even the smallest packet takes on the line, overhead included."}),
	{Name: "tcMTU", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "2047", Range: Range{0, 65535}, Strict: true,
		Works:   "with htb and tbf, cake has no table",
		Summary: "Largest packet of the size table; needed above an MTU of 2000."},
	{Name: "tcTSIZE", Group: GroupLink, Kind: KindInteger, Unit: "entries", Default: "512", Range: Range{0, 16384}, Strict: true,
		Works:   "with htb and tbf, cake has no table",
		Summary: "Number of entries of the size table."},
	{Name: "linklayer_adaptation_mechanism", Group: GroupLink, Kind: KindChoice, Default: "default", Choices: mechanismNames[:], Strict: true,
		Summary: "Who accounts for the line: cake itself, a size table (tc_stab) or htb and tbf (htb_private). With cake it is always cake itself."},

	withLeaf.in(OptionInfo{Name: "ilimit", Group: GroupExpert, Kind: KindInteger, Unit: "packets", Range: Range{1, 1<<31 - 1},
		Summary: "Most packets an ingress leaf holds (bytes with bfifo)."}),
	withLeaf.in(OptionInfo{Name: "elimit", Group: GroupExpert, Kind: KindInteger, Unit: "packets", Range: Range{1, 1<<31 - 1},
		Summary: "Most packets an egress leaf holds (bytes with bfifo)."}),
	withTarget.in(OptionInfo{Name: "itarget", Group: GroupExpert, Kind: KindDuration, Default: "auto", Choices: []string{"auto", "default"},
		Summary: "Delay an ingress leaf aims at: auto computes it from the rate, default is the qdisc's own."}),
	withTarget.in(OptionInfo{Name: "etarget", Group: GroupExpert, Kind: KindDuration, Default: "auto", Choices: []string{"auto", "default"},
		Summary: "Delay an egress leaf aims at: auto computes it from the rate, default is the qdisc's own."}),
	{Name: "iqdisc_opts", Group: GroupExpert, Kind: KindText,
		Summary: "Further tc words for the ingress leaf or cake; they win over everything else."},
	{Name: "eqdisc_opts", Group: GroupExpert, Kind: KindText,
		Summary: "Further tc words for the egress leaf or cake; they win over everything else."},
	withCake.in(OptionInfo{Name: "unlimited", Group: GroupExpert, Kind: KindFlag, Choices: []string{"download", "upload", "both"}, Own: true, Strict: true,
		Summary: "Run cake without a rate in these directions (1 is both): fair queueing where the driver itself limits, such as Wi-Fi."}),
	withCake.in(OptionInfo{Name: "nat", Group: GroupExpert, Kind: KindFlag, Own: true,
		Summary: "Look up the inner addresses of masqueraded connections, so that fairness sees the devices at home."}),
	withCake.in(OptionInfo{Name: "isolation", Group: GroupExpert, Kind: KindChoice, Own: true, Strict: true,
		Choices: []string{"flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"},
		Summary: "Between what cake is fair, in both directions; for fairness between the devices at home see goal."}),
	withCake.in(OptionInfo{Name: "ack_filter", Group: GroupExpert, Kind: KindFlag, Choices: []string{"aggressive"}, Own: true, Strict: true,
		Summary: "Drop redundant TCP acknowledgements in the upload queue: for lines with much less upload than download."}),
	withCake.in(OptionInfo{Name: "rtt", Group: GroupExpert, Kind: KindDuration, Choices: namesOfRTT(), Own: true, Strict: true,
		Summary: "Round trip time cake tunes its delay control for; 100ms without it."}),
	withCake.in(OptionInfo{Name: "memlimit", Group: GroupExpert, Kind: KindSize, Unit: "bytes", Own: true, Strict: true,
		Summary: "Most memory one cake may hold in packets."}),
	withCake.in(OptionInfo{Name: "split_gso", Group: GroupExpert, Kind: KindFlag, Own: true,
		Summary: "Split super-packets before queueing; on without it, off saves CPU on fast lines."}),
	withCake.in(OptionInfo{Name: "diffserv_ingress", Group: GroupExpert, Kind: KindChoice, Choices: tinModes, Own: true, Strict: true,
		Summary: "Tins for arriving packets; wins over squash_ingress."}),
	withCake.in(OptionInfo{Name: "diffserv_egress", Group: GroupExpert, Kind: KindChoice, Choices: tinModes, Own: true, Strict: true,
		Summary: "Tins for leaving packets."}),
	withCake.in(OptionInfo{Name: "wash_egress", Group: GroupExpert, Kind: KindFlag, Own: true,
		Summary: "Clear the DSCP of leaving packets, after they were sorted by it."}),
	withCake.in(OptionInfo{Name: "use_mq", Group: GroupExpert, Kind: KindFlag, Default: "0",
		Summary: "One cake for each hardware queue of the device, where the kernel has cake_mq."}),

	{Name: "qdisc_advanced", Group: GroupLuCIFlag, Kind: KindFlag, Summary: "Shows more fields."},
	{Name: "qdisc_really_really_advanced", Group: GroupLuCIFlag, Kind: KindFlag, Summary: "Shows still more fields."},
	{Name: "linklayer_advanced", Group: GroupLuCIFlag, Kind: KindFlag, Summary: "Shows more fields."},

	{Name: "target", Group: GroupHistorical, Kind: KindText, Summary: "See itarget and etarget."},
	{Name: "shaper_burst", Group: GroupHistorical, Kind: KindText, Summary: "The burst follows from the rate."},
	{Name: "shaper_burst_dur_us", Group: GroupHistorical, Kind: KindText, Summary: "The burst follows from the rate."},
	{Name: "shaper_quantum_dur_us", Group: GroupHistorical, Kind: KindText, Summary: "The quantum follows from the rate."},
	{Name: "htb_quantum_function", Group: GroupHistorical, Kind: KindText, Summary: "The quantum follows from the rate."},
}
