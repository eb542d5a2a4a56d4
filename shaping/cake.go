// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"

	"sqmd/tc"
	"sqmd/uci"
)

// cakeHandle is the handle of our cake qdiscs. It lies in the range that the
// kernel uses for qdiscs without a handle, so that nothing else picks it, and
// tells our cake from another's.
const cakeHandle tc.Handle = 0x8cae0000

// cake is the tree of piece_of_cake and layer_cake, and of simple and simplest
// with qdisc cake: one qdisc.
func (s side) cake(mq bool) (*Tree, *uci.Finding) {
	kind, handle := "cake", cakeHandle
	if mq {
		// cake_mq refuses a handle that the kernel did not choose.
		kind, handle = "cake_mq", 0
	}
	options, finding := s.options(kind, s.cakeWords())
	if finding != nil {
		return nil, finding
	}
	return &Tree{Root: tc.Qdisc{Parent: tc.Root, Handle: handle, Kind: kind, Options: options}}, nil
}

// cakeWords come in rising order of precedence: rate and link, the recipe, the
// queue's single options.
func (s side) cakeWords() []string {
	rate := []string{"bandwidth", fmt.Sprintf("%dkbit", s.kbit)}
	if s.unlimited() {
		rate = []string{"unlimited"}
	}
	words := append(rate, s.cakeLink()...)
	words = append(words, s.cakeRecipe()...)
	return append(words, s.cakeSingle()...)
}

func (s side) cakeLink() []string {
	if s.LinkLayer == uci.LinkNone {
		return nil
	}
	framing := map[uci.LinkLayer]string{uci.LinkEthernet: "noatm", uci.LinkATM: "atm", uci.LinkPTM: "ptm"}
	return []string{framing[s.LinkLayer], "overhead", fmt.Sprint(s.Overhead), "mpu", fmt.Sprint(s.MPU)}
}

// cakeRecipe: one tin for the recipes that have one; in the download also where
// the marks of the outside are not believed. Washing follows the tin's choice.
func (s side) cakeRecipe() []string {
	words := []string{"diffserv3", "nat"}
	oneTin := s.Recipe == uci.PieceOfCake || s.Recipe == uci.Simplest
	if oneTin || !s.tiered() {
		words = append(words, "besteffort")
	}
	if s.direction == Download && s.SquashDSCP {
		words = append(words, "wash")
	}
	return words
}

func (s side) cakeSingle() []string {
	var words []string
	flag := func(v *bool, on, off string) {
		if v != nil && *v {
			words = append(words, on)
		} else if v != nil {
			words = append(words, off)
		}
	}
	diffserv, isolation := s.DiffservIngress, s.IngressIsolation()
	if s.direction == Upload {
		diffserv, isolation = s.DiffservEgress, s.EgressIsolation()
		flag(s.WashEgress, "wash", "nowash")
		ack := map[string]string{"off": "no-ack-filter", "on": "ack-filter", "aggressive": "ack-filter-aggressive"}
		words = append(words, present(ack[s.AckFilter])...)
	}
	words = append(words, present(diffserv)...)
	words = append(words, present(isolation)...)
	flag(s.NAT, "nat", "nonat")
	flag(s.SplitGSO, "split-gso", "no-split-gso")
	if s.RTT != 0 {
		words = append(words, "rtt", fmt.Sprintf("%dus", s.RTT))
	}
	if s.MemLimit != 0 {
		words = append(words, "memlimit", fmt.Sprint(s.MemLimit))
	}
	return words
}

// present is the word, or nothing when it is empty.
func present(word string) []string {
	if word == "" {
		return nil
	}
	return []string{word}
}
