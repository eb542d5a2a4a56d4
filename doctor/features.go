// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"slices"
	"strings"

	"sqmd/shaping"
	"sqmd/uci"
)

// features looks for what the kernel was found to lack and queues ask for.
func (x *examination) features() {
	for _, f := range []struct {
		shaping.Feature
		asks                     func(side) bool
		option, without, install string
	}{
		{shaping.FeatureMQ, func(s side) bool { return s.UseMQ && s.UsesCake() },
			"use_mq", "plain cake is used", "install a kmod-sched-cake that has cake_mq (OpenWrt 25.12 and later), or set use_mq '0'"},
		{shaping.FeatureWash, func(s side) bool {
			return s.SquashDSCP && s.Recipe == uci.Simple && !s.UsesCake() && s.direction == shaping.Download
		},
			"squash_dscp", "the DSCP of arriving packets is not cleared", "install kmod-sched, or set squash_dscp '0'"},
	} {
		if !slices.Contains(x.Missing, f.Feature) {
			continue
		}
		for _, q := range x.Queues {
			if slices.ContainsFunc(q.sides(), f.asks) {
				x.findOn(q, featureMissing, "the kernel has no "+string(f.Feature)+"; "+f.without, f.option+" asks for it, and the kernel refused it", f.install)
			}
		}
	}
}

// lacking are parts of messages that say that the kernel lacks something: those
// of shaping's OpError, and the kernel's own.
var lacking = []string{"is the kernel module for it installed", "the kernel lacks what it needs", "qdisc kind is unknown"}

// module looks for failures that a missing kernel module explains.
func (x *examination) module(q Queue) {
	for _, d := range q.Status.Directions {
		if slices.ContainsFunc(lacking, func(part string) bool { return strings.Contains(d.Reason, part) }) {
			x.findOn(q, moduleMissing, "the kernel lacks a piece that the "+d.Direction+" needs", d.Reason, "install "+packageFor(d.Reason))
			return
		}
	}
}

// packageFor names OpenWrt's package with what the failed operation needs.
func packageFor(failure string) string {
	if strings.Contains(failure, "create device ifb") {
		return "kmod-ifb"
	}
	_, after, _ := strings.Cut(failure, " qdisc ")
	kind, _, _ := strings.Cut(after, " ")
	switch kind {
	case "cake", "cake_mq":
		return "kmod-sched-cake"
	case "codel", "sfq":
		return "kmod-sched"
	case "pie", "fq_pie":
		return "kmod-sched-" + strings.ReplaceAll(kind, "_", "-")
	}
	return "kmod-sched-core"
}
