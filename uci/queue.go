// SPDX-License-Identifier: GPL-2.0-or-later

// Package uci reads OpenWrt's configuration files. [Parse] knows the syntax of
// UCI; [ParseSQM] and [LoadSQM] turn /etc/config/sqm into validated queues and
// say for everything they could not use which line and option it is, what is
// wrong and what would be right.
package uci

import "os"

// Config is what /etc/config/sqm says.
type Config struct {
	Queues   []Queue   // in file order, disabled ones included
	Findings []Finding // in line order
}

// Queue is one `config queue` section: how one device is to be shaped. All
// values are validated; where Broken is set some of them are not usable.
type Queue struct {
	File    string // path of the file the section stands in
	Section string // title of the section: "wan" or "@queue[0]"
	Line    int    // line of the `config` keyword

	Enabled bool
	Broken  bool // an Error finding concerns this enabled queue: it must not be (re)configured

	Interface string // device name, or logical network name when Logical is set
	Logical   bool   // written as @name: to be resolved to a device through the network configuration

	Download, Upload Rate       // 0 leaves the direction unshaped (see Unlimited)
	Unlimited        Directions // queue discipline without a rate limit, whatever Download and Upload say

	Recipe Recipe
	UseMQ  bool   // one cake per hardware queue (cake_mq) where the kernel has it
	Qdisc  string // leaf in force: cake, fq_codel, codel, pie, fq_pie, sfq, pfifo, bfifo

	SquashDSCP    bool // wash DSCP of ingress packets after they were classified
	SquashIngress bool // ignore DSCP of ingress packets: one tin or class
	IngressECN    bool // mark instead of drop
	EgressECN     bool

	IngressLimit, EgressLimit   int // packets (bytes for bfifo); 0 is the recipe's default
	IngressTarget, EgressTarget Target
	IngressOpts, EgressOpts     string // raw tc words, appended last

	LinkLayer  LinkLayer
	Overhead   int // bytes per packet beyond what the kernel counts; may be negative
	MPU        int // least bytes a packet takes on the link; 0 is none
	TableMTU   int // bytes; largest packet of a size table
	TableSize  int // entries of a size table
	Mechanism  Mechanism
	LinkPreset string // name of the preset LinkLayer, Overhead and MPU came from

	NAT             *bool  // look up hosts behind NAT; nil is the recipe's default
	Isolation       string // cake's flow isolation keyword for both directions; empty is the recipe's (or the goal's) choice
	AckFilter       string // "", "off", "on" or "aggressive"; upload only
	RTT             int64  // microseconds; 0 is cake's default
	MemLimit        int64  // bytes; 0 is cake's default
	SplitGSO        *bool  // nil is cake's default
	DiffservIngress string // cake's tin keyword; empty is the recipe's
	DiffservEgress  string
	WashEgress      *bool // nil is the recipe's default
	Goal            string // "", "device", "flow" or "priorities"

	DebugLogging bool
	Verbosity    int // 0 silent, 1 error, 2 warning, 5 info, 8 debug, 10 trace

	options []Option // as written, for findings of those who look further than this package
}

// Finding makes a finding about an option of the queue. Line and Value are
// those of the option as written, or the section's line and no value where the
// section has no such option (or option is empty).
func (q *Queue) Finding(sev Severity, option, problem, accepted string) Finding {
	f := Finding{File: q.File, Line: q.Line, Section: q.Section, Option: option, Severity: sev, Problem: problem, Accepted: accepted}
	for _, o := range q.options {
		if o.Name == option {
			f.Line, f.Value = o.Line, o.Values[len(o.Values)-1]
		}
	}
	return f
}

// LoadSQM reads and validates the file. The error is the file's: what is wrong
// inside it is told by Findings.
func LoadSQM(path string) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return ParseSQM(path, text), nil
}

// ParseSQM validates text, which came from the file called name.
func ParseSQM(name string, text []byte) Config {
	return Config{}
}
