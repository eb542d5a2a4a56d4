// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"strings"

	"sqmd/tc"
	"sqmd/uci"
)

// Direction is one of the two ways through a queue.
type Direction int

// The directions, as seen from the router's user.
const (
	Upload   Direction = iota // packets leaving the device, shaped on it
	Download                  // packets arriving, shaped on the IFB
)

func (d Direction) String() string {
	if d == Upload {
		return "upload"
	}
	return "download"
}

// side is one direction of a queue with the options that belong to it.
type side struct {
	*uci.Queue
	direction Direction

	kbit int64
	// header is how many bytes of link header the kernel counts on the device,
	// beside the IP packet.
	header int
	limit  int
	target uci.Target
	ecn    bool
	opts   string
	// option is the name of the option that opts came from.
	option string
}

func sideOf(q *uci.Queue, d Direction) side {
	if d == Upload {
		return side{Queue: q, direction: d, kbit: q.Upload.Kbit(), limit: q.EgressLimit, target: q.EgressTarget,
			ecn: q.EgressECN, opts: q.EgressOpts, option: "eqdisc_opts"}
	}
	return side{Queue: q, direction: d, kbit: q.Download.Kbit(), limit: q.IngressLimit, target: q.IngressTarget,
		ecn: q.IngressECN, opts: q.IngressOpts, option: "iqdisc_opts"}
}

// unlimited reports whether the direction has a queue discipline and no rate.
func (s side) unlimited() bool {
	if s.direction == Upload {
		return s.Unlimited.Upload
	}
	return s.Unlimited.Download
}

// wanted reports whether the direction is to be shaped at all.
func (s side) wanted() bool { return s.kbit > 0 || s.unlimited() }

// tiered reports whether the direction has more than one class or tin.
func (s side) tiered() bool { return s.direction == Upload || !s.SquashIngress }

// options parses the recipe's words and then the user's own, so that the user's
// win. A mistake in the user's words is told as a finding about the option.
func (s side) options(kind string, words []string) (tc.Options, *uci.Finding) {
	base, err := tc.ParseQdiscWords(kind, nil, words)
	if err != nil {
		// The recipe's words come from validated options.
		f := s.Finding(uci.Error, "", fmt.Sprintf("cannot be expressed for %s: %v", kind, err), "")
		return nil, &f
	}
	full, err := tc.ParseQdiscWords(kind, base, strings.Fields(s.opts))
	if err != nil {
		f := s.Finding(uci.Error, s.option, err.Error(), "words of tc-"+kind+"(8)")
		return nil, &f
	}
	return tc.Complete(full), nil
}

// leaf is the words of a leaf qdisc under htb or tbf. quantum is 0 where the
// recipe leaves it to the kernel.
func (s side) leaf(quantum int, mtu int64) []string {
	limit := s.limit
	if limit == 0 {
		limit = defaultLimit
		if s.Qdisc == "bfifo" {
			limit = defaultLimit * int(mtu)
		}
	}
	w := []string{"limit", fmt.Sprint(limit)}
	if isOneOf(s.Qdisc, "fq_codel", "codel", "pie", "fq_pie") {
		w = append(w, s.targetWords()...)
		if s.ecn {
			w = append(w, "ecn")
		} else {
			w = append(w, "noecn")
		}
	}
	if isOneOf(s.Qdisc, "fq_codel", "fq_pie", "sfq") {
		w = append(w, "flows", fmt.Sprint(defaultFlows))
	}
	if quantum != 0 && isOneOf(s.Qdisc, "fq_codel", "fq_pie") {
		w = append(w, "quantum", fmt.Sprint(quantum))
	}
	return w
}

func (s side) targetWords() []string {
	us := int64(s.target.US)
	switch s.target.Mode {
	case uci.TargetKernel:
		return nil
	case uci.TargetAuto:
		us = target(s.kbit)
	}
	w := []string{"target", fmt.Sprintf("%dus", us)}
	if s.target.Mode == uci.TargetAuto && isOneOf(s.Qdisc, "fq_codel", "codel") {
		w = append(w, "interval", fmt.Sprintf("%dus", interval(us)))
	}
	return w
}

func isOneOf(s string, list ...string) bool {
	for _, l := range list {
		if s == l {
			return true
		}
	}
	return false
}
