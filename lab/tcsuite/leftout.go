// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import "strings"

// leftOut is part of a line and why cases with such a line are not run.
type leftOut struct{ words, reason string }

// useless are options that sqmd has no use for.
var useless = []leftOut{
	{"action police", "sqmd limits rates by shaping, never by policing"},
	{"no_percpu", "saves memory where there are thousands of actions; sqmd has a handful"},
	{"_block 21 ", "shared blocks of filters; sqmd hangs its filters on devices"},
	{"munge eth src", onlyDSCP}, {"munge eth dst", onlyDSCP},
	{"munge ip src", onlyDSCP}, {"munge ip dst", onlyDSCP}, {"munge ip6 src", onlyDSCP}, {"munge ip6 dst", onlyDSCP},
	{"munge ip sport", onlyDSCP}, {"munge ip dport", onlyDSCP}, {"munge ip icmp_type", onlyDSCP},
	{" sample u32 ", "only spreads rules over hash tables of thousands"},
	{"u32 ht 47:47 action", "a rule without a match, which sqmd refuses before the kernel does"},
	{"classid 98765fedcb", "tc(8) takes the last 8 digits of a class that has more than 8; sqmd refuses it"},
	{"$TC -b", "batch files of tc(8), of up to a million filters; sqmd reads no such files"},
	{"$TC -f -b", "batch files of tc(8), of up to a million filters; sqmd reads no such files"},
}

const onlyDSCP = "sqmd rewrites the DSCP, never addresses and ports"

// reason names the option for which the case is left out, or is empty.
func (c Case) reason() string {
	if c.Skip {
		return "the kernel's own runner skips it"
	}
	for _, line := range c.Lines() {
		for _, l := range useless {
			if strings.Contains(line, l.words) {
				return strings.TrimSpace(l.words) + ": " + l.reason
			}
		}
	}
	return ""
}
