// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "slices"

// Queue is one `config queue` section: how one device is to be shaped. All
// values are validated and defaults are filled in; where Broken is set some of
// them are not usable.
type Queue struct {
	File    string // path of the file the section stands in
	Section string // title of the section: "wan" or "@queue[0]"
	Line    int    // line of the section, from 1

	Enabled bool
	Broken  bool // an Error finding concerns this enabled queue: it must not be (re)configured

	Interface string // device name, or logical network name when Logical is set
	Logical   bool   // written as @name: to be resolved to a device

	Download, Upload Rate       // 0 leaves the direction unshaped, unless it is in Unlimited
	Unlimited        Directions // cake without a rate, whatever Download and Upload say

	Recipe Recipe
	Qdisc  string // leaf in force: cake, fq_codel, codel, pie, fq_pie, sfq, pfifo or bfifo
	UseMQ  bool   // with cake only: one cake per hardware queue (cake_mq) where the kernel has it

	SquashDSCP    bool // wash DSCP of ingress packets after they were sorted
	SquashIngress bool // one tin or class for ingress; DiffservIngress wins over it
	IngressECN    bool // mark instead of drop; cake always does
	EgressECN     bool

	IngressLimit, EgressLimit   int // packets (bytes with bfifo); 0 is the recipe's default
	IngressTarget, EgressTarget Target
	IngressOpts, EgressOpts     string // raw words of tc(8), which win over everything else

	LinkLayer  LinkLayer
	Overhead   int // bytes per packet beyond what the shaper counts; may be negative
	MPU        int // bytes; least a packet takes, overhead included; 0 is none
	TableMTU   int // bytes; largest packet of a size table; 0 lets tc(8)'s default stand
	TableSize  int // entries of a size table; 0 lets tc(8)'s default stand
	Mechanism  Mechanism
	LinkPreset string // name of the preset that LinkLayer, Overhead and MPU came from, aliases resolved

	// OverheadOnIP is set where Overhead counts from the IP packet also for
	// shapers that count the device's own header (it came from LinkPreset):
	// they must take that header off it, 14 bytes for Ethernet.
	OverheadOnIP bool

	NAT             *bool  // find hosts behind NAT; nil is the recipe's default
	Isolation       string // cake's keyword for both directions; see IngressIsolation and EgressIsolation
	AckFilter       string // "off", "on" or "aggressive", of upload; empty is the recipe's default
	RTT             int64  // microseconds; 0 is cake's default
	MemLimit        int64  // bytes; 0 is cake's default
	SplitGSO        *bool  // nil is cake's default
	DiffservIngress string // cake's keyword for tins; empty is the recipe's
	DiffservEgress  string
	WashEgress      *bool  // nil is the recipe's default
	Goal            string // "", "device", "flow" or "priorities"; already worked into the fields above

	DebugLogging bool
	Verbosity    int // 0 nothing but errors, 1 errors, 2 warnings, 5 information, 8 debugging, 10 traces

	options []Option // as written, for findings of those who look further than this package
}

// Shapes gives the directions that the queue shapes.
func (q *Queue) Shapes() Directions {
	return Directions{Download: q.Download > 0 || q.Unlimited.Download, Upload: q.Upload > 0 || q.Unlimited.Upload}
}

// UsesCake reports whether cake is the shaper, rather than htb or tbf with a
// leaf under it.
func (q *Queue) UsesCake() bool { return q.Qdisc == "cake" && q.Recipe != SimplestTBF }

// IngressIsolation gives cake's flow isolation keyword for download; empty is
// the recipe's default.
func (q *Queue) IngressIsolation() string { return q.isolation("dual-dsthost") }

// EgressIsolation gives cake's flow isolation keyword for upload; empty is the
// recipe's default.
func (q *Queue) EgressIsolation() string { return q.isolation("dual-srchost") }

func (q *Queue) isolation(perDevice string) string {
	if q.Isolation == "" && q.Goal == "device" {
		return perDevice
	}
	return q.Isolation
}

// Finding makes a finding about an option of the queue. Line and Value are
// those of the option as written, or the section's line and no value where the
// section has no such option (or option is empty).
func (q *Queue) Finding(sev Severity, option, problem, accepted string) Finding {
	f := Finding{File: q.File, Line: q.Line, Type: "queue", Section: q.Section, Option: option,
		Severity: sev, Problem: problem, Accepted: accepted}
	if i := slices.IndexFunc(q.options, func(o Option) bool { return o.Name == option }); i >= 0 {
		f.Line, f.Value = q.options[i].Line, q.options[i].Text()
	}
	return f
}
