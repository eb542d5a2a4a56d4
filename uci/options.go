// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "math"

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
	{Name: "enabled", Group: GroupBasic, Kind: KindFlag, Default: "0"},
	{Name: "interface", Group: GroupBasic, Kind: KindDevice, Required: true, Strict: true},
	{Name: "download", Group: GroupBasic, Kind: KindRate, Unit: "kbit/s", Range: Range{0, maxKbit}, Required: true, Strict: true},
	{Name: "upload", Group: GroupBasic, Kind: KindRate, Unit: "kbit/s", Range: Range{0, maxKbit}, Required: true, Strict: true},
	{Name: "goal", Group: GroupBasic, Kind: KindChoice, Choices: []string{"device", "flow", "priorities"}, Own: true, Strict: true, Scope: withGoal},
	{Name: "debug_logging", Group: GroupBasic, Kind: KindFlag, Default: "0"},
	{Name: "verbosity", Group: GroupBasic, Kind: KindInteger, Default: "5", Range: Range{0, 10}},

	{Name: "script", Group: GroupQueue, Kind: KindChoice, Choices: recipeNames[1:], Required: true, Strict: true},
	{Name: "qdisc", Group: GroupQueue, Kind: KindChoice, Default: "fq_codel", Choices: append(leafQdiscs[:len(leafQdiscs):len(leafQdiscs)], "cake_mq"), Strict: true},
	{Name: "squash_dscp", Group: GroupQueue, Kind: KindFlag, Default: "1", Scope: withWash},
	{Name: "squash_ingress", Group: GroupQueue, Kind: KindFlag, Default: "1", Scope: withTiers},
	{Name: "ingress_ecn", Group: GroupQueue, Kind: KindChoice, Default: "ECN", Choices: []string{"ECN", "NOECN"}, Scope: withECN},
	{Name: "egress_ecn", Group: GroupQueue, Kind: KindChoice, Default: "ECN", Choices: []string{"ECN", "NOECN"}, Scope: withECN},

	{Name: "link_preset", Group: GroupLink, Kind: KindChoice, Choices: presetNames(), Own: true, Strict: true},
	{Name: "linklayer", Group: GroupLink, Kind: KindChoice, Default: "none", Choices: append(linkLayerNames[:len(linkLayerNames):len(linkLayerNames)], "adsl"), Strict: true},
	{Name: "overhead", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "0", Range: Range{-1500, 1500}, CakeRange: Range{-64, 256}, Strict: true, Scope: withAccounting},
	{Name: "tcMPU", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "0", Range: Range{0, 1500}, CakeRange: Range{0, 256}, Strict: true, Scope: withAccounting},
	{Name: "tcMTU", Group: GroupLink, Kind: KindInteger, Unit: "bytes", Default: "2047", Range: Range{0, 65535}, Strict: true, Scope: withTable},
	{Name: "tcTSIZE", Group: GroupLink, Kind: KindInteger, Unit: "entries", Default: "512", Range: Range{0, 16384}, Strict: true, Scope: withTable},
	{Name: "linklayer_adaptation_mechanism", Group: GroupLink, Kind: KindChoice, Default: "default", Choices: mechanismNames[:], Strict: true, Scope: withTable},

	{Name: "ilimit", Group: GroupExpert, Kind: KindInteger, Unit: "packets", Range: Range{1, 1<<31 - 1}, Scope: withLeaf},
	{Name: "elimit", Group: GroupExpert, Kind: KindInteger, Unit: "packets", Range: Range{1, 1<<31 - 1}, Scope: withLeaf},
	{Name: "itarget", Group: GroupExpert, Kind: KindDuration, Range: Range{0, maxDuration}, Default: "auto", Choices: []string{"auto", "default"}, Scope: withTarget},
	{Name: "etarget", Group: GroupExpert, Kind: KindDuration, Range: Range{0, maxDuration}, Default: "auto", Choices: []string{"auto", "default"}, Scope: withTarget},
	{Name: "iqdisc_opts", Group: GroupExpert, Kind: KindText},
	{Name: "eqdisc_opts", Group: GroupExpert, Kind: KindText},
	{Name: "unlimited", Group: GroupExpert, Kind: KindFlag, Choices: []string{"download", "upload", "both"}, Own: true, Strict: true, Scope: withCake},
	{Name: "nat", Group: GroupExpert, Kind: KindFlag, Own: true, Scope: withCake},
	{Name: "isolation", Group: GroupExpert, Kind: KindChoice, Own: true, Strict: true,
		Choices: []string{"flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate"}, Scope: withCake},
	{Name: "ack_filter", Group: GroupExpert, Kind: KindFlag, Choices: []string{"aggressive"}, Own: true, Strict: true, Scope: withCake},
	{Name: "rtt", Group: GroupExpert, Kind: KindDuration, Range: Range{1, math.MaxUint32}, Choices: namesOfRTT(), Own: true, Strict: true, Scope: withCake},
	{Name: "memlimit", Group: GroupExpert, Kind: KindSize, Range: Range{1, math.MaxUint32}, Unit: "bytes", Own: true, Strict: true, Scope: withCake},
	{Name: "split_gso", Group: GroupExpert, Kind: KindFlag, Own: true, Scope: withCake},
	{Name: "diffserv_ingress", Group: GroupExpert, Kind: KindChoice, Choices: tinModes, Own: true, Strict: true, Scope: withCake},
	{Name: "diffserv_egress", Group: GroupExpert, Kind: KindChoice, Choices: tinModes, Own: true, Strict: true, Scope: withCake},
	{Name: "wash_egress", Group: GroupExpert, Kind: KindFlag, Own: true, Scope: withCake},
	{Name: "use_mq", Group: GroupExpert, Kind: KindFlag, Default: "0", Scope: withCake},

	{Name: "qdisc_advanced", Group: GroupLuCIFlag, Kind: KindFlag},
	{Name: "qdisc_really_really_advanced", Group: GroupLuCIFlag, Kind: KindFlag},
	{Name: "linklayer_advanced", Group: GroupLuCIFlag, Kind: KindFlag},

	{Name: "target", Group: GroupHistorical, Kind: KindText},
	{Name: "shaper_burst", Group: GroupHistorical, Kind: KindText},
	{Name: "shaper_burst_dur_us", Group: GroupHistorical, Kind: KindText},
	{Name: "shaper_quantum_dur_us", Group: GroupHistorical, Kind: KindText},
	{Name: "htb_quantum_function", Group: GroupHistorical, Kind: KindText},
}
