// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"strconv"
)

// link reads how the line counts packets. Mistakes are errors where they would
// leave the line under-counted: shaping that is claimed but not there.
func (d *decoder) link() {
	q := &d.queue
	d.preset()
	d.linkLayer()
	q.Overhead = d.accounting("overhead", q.Overhead)
	q.MPU = d.accounting("tcMPU", q.MPU)
	q.TableMTU = d.table("tcMTU")
	q.TableSize = d.table("tcTSIZE")
	q.Mechanism = Mechanism(indexOf(mechanismNames[:], d.choice("linklayer_adaptation_mechanism")))
	if q.LinkLayer != LinkNone {
		d.mechanism()
	}
}

// preset fills in what link_preset stands for.
func (d *decoder) preset() {
	q := &d.queue
	name := d.text("link_preset")
	if name == "" {
		return
	}
	p, ok := presetByName(name)
	if !ok {
		info := d.describe("link_preset")
		d.unusable(info, "not known"+didYouMean(name, append(info.Choices, presetAliases()...)))
		return
	}
	q.LinkPreset = p.Name
	q.LinkLayer, q.Overhead, q.MPU, q.OverheadOnIP = p.LinkLayer, p.Overhead, p.MPU, p.LinkLayer != LinkNone
}

// linkLayer reads linklayer, which wins over the preset.
func (d *decoder) linkLayer() {
	q := &d.queue
	word := d.choice("linklayer")
	if word == "adsl" {
		word = "atm"
	}
	if word != "" {
		given := LinkLayer(indexOf(linkLayerNames[:], word))
		switch {
		case q.LinkPreset == "" || given == q.LinkLayer:
		case given == LinkNone:
			d.report(Warning, "linklayer", "switches off the accounting that link_preset "+q.LinkPreset+" asks for; remove this line to use the preset", "")
		default:
			d.report(Note, "linklayer", fmt.Sprintf("wins over %s of link_preset %s", q.LinkLayer, q.LinkPreset), "")
		}
		q.LinkLayer = given
	}
	if q.LinkLayer == LinkPTM && !q.UsesCake() {
		option := "linklayer"
		if word == "" {
			option = "link_preset"
		}
		d.report(Error, option, "only cake can account for ptm", "cake as qdisc, or linklayer ethernet with rates lowered by 1/65")
	}
}

// accounting reads overhead or tcMPU, whose range depends on the shaper, and
// which win over the preset.
func (d *decoder) accounting(name string, preset int) int {
	q := &d.queue
	info := d.describe(name)
	if q.UsesCake() {
		info.Range = info.CakeRange
	}
	info.Strict = q.LinkLayer != LinkNone
	info.Default = strconv.Itoa(preset)
	text := d.text(name)
	n := d.integer(info)
	if _, readable := signedDigits(text); q.LinkPreset == "" || text == "" || !readable {
		return n
	}
	if n != preset {
		d.report(Note, name, fmt.Sprintf("wins over %d of link_preset %s", preset, q.LinkPreset), "")
	}
	if name == "overhead" {
		q.OverheadOnIP = false
	}
	return n
}

// table reads a figure of the size table, which cake does not have.
func (d *decoder) table(name string) int {
	info := d.describe(name)
	info.Strict = d.queue.LinkLayer != LinkNone && !d.queue.UsesCake()
	return d.integer(info)
}

// mechanism replaces mechanisms that the shaper does not have, or that lose
// count, by one that works.
func (d *decoder) mechanism() {
	q := &d.queue
	const option = "linklayer_adaptation_mechanism"
	asked := q.Mechanism
	switch {
	case asked == MechanismDefault:
	case q.UsesCake() && asked == MechanismStab:
		q.Mechanism = MechanismDefault
		d.report(Warning, option, "a size table loses count where cake splits super-packets, so cake itself accounts for the line", "default, cake")
	case q.UsesCake() && asked == MechanismHTB:
		q.Mechanism = MechanismDefault
		d.report(Warning, option, "there is no htb here, so cake itself accounts for the line", "default, cake")
	case q.UsesCake():
	case asked == MechanismCake:
		q.Mechanism = MechanismDefault
		d.report(Warning, option, "there is no cake here, so the default is used", "default, tc_stab, htb_private")
	case asked == MechanismHTB && q.Overhead < 0:
		q.Mechanism = MechanismStab
		d.report(Warning, option, "htb_private cannot hold a negative overhead, so a size table is used", "default, tc_stab")
	case asked == MechanismStab && q.Recipe == SimplestTBF && q.Overhead >= 0:
		q.Mechanism = MechanismHTB
		d.report(Warning, option, "a size table loses count where tbf splits super-packets, so tbf itself accounts for the line", "default, htb_private")
	}
}
