// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"slices"
	"strconv"
)

// Rate is a rate in bit/s. UCI writes it in kbit/s (1000 bit/s).
type Rate int64

// Kbit gives the rate in kbit/s.
func (r Rate) Kbit() int64 { return int64(r) / 1000 }

// Directions is a set of traffic directions, as seen from the router's owner:
// download is the ingress of the device, upload its egress.
type Directions struct{ Download, Upload bool }

// Recipe is one of the shaping scripts of sqm-scripts, by what it builds.
type Recipe int

// The five recipes.
const (
	RecipeNone  Recipe = iota // no or no known script: an enabled queue is broken
	PieceOfCake               // one cake with one tin
	LayerCake                 // one cake with three tins
	Simple                    // htb with three classes, a leaf under each; or one cake
	Simplest                  // htb with one class and one leaf; or one cake
	SimplestTBF               // tbf with one leaf
)

var recipeNames = [...]string{"", "piece_of_cake.qos", "layer_cake.qos", "simple.qos", "simplest.qos", "simplest_tbf.qos"}

// String gives the name of the script, such as "piece_of_cake.qos".
func (r Recipe) String() string { return nameOf(recipeNames[:], int(r)) }

// LinkLayer is the framing below IP that overhead accounting knows.
type LinkLayer int

// Link layers. LinkNone switches accounting off, whatever Overhead and MPU say.
const (
	LinkNone     LinkLayer = iota
	LinkEthernet           // overhead and MPU only
	LinkATM                // 53-byte cells with 48 bytes of payload
	LinkPTM                // 64b/65b coding: one byte more for each 64 begun
)

var linkLayerNames = [...]string{"none", "ethernet", "atm", "ptm"}

// String gives the word UCI uses: none, ethernet, atm or ptm.
func (l LinkLayer) String() string { return nameOf(linkLayerNames[:], int(l)) }

// Mechanism is who accounts for the link layer.
type Mechanism int

// Mechanisms.
const (
	MechanismDefault Mechanism = iota // whatever fits the shaper: cake's own with cake
	MechanismCake                     // cake's own
	MechanismStab                     // a size table on the root qdisc
	MechanismHTB                      // the parameters of htb and tbf themselves
)

var mechanismNames = [...]string{"default", "cake", "tc_stab", "htb_private"}

// String gives the word UCI uses: default, cake, tc_stab or htb_private.
func (m Mechanism) String() string { return nameOf(mechanismNames[:], int(m)) }

// TargetMode says where the target delay of a leaf comes from.
type TargetMode int

// Modes of a [Target].
const (
	TargetAuto   TargetMode = iota // computed from the rate
	TargetKernel                   // not set: the qdisc's own default
	TargetFixed                    // as configured
)

var targetModeNames = [...]string{"auto", "default", "fixed"}

// String gives auto, default or fixed.
func (m TargetMode) String() string { return nameOf(targetModeNames[:], int(m)) }

// Target is the delay a leaf qdisc aims at.
type Target struct {
	Mode TargetMode
	US   int // microseconds, from 0; with TargetFixed only
}

func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return strconv.Itoa(i)
	}
	return names[i]
}

// indexOf finds the value that [nameOf] would call name, or 0.
func indexOf(names []string, name string) int { return max(0, slices.Index(names, name)) }
