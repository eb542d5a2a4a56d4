// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"slices"
	"strings"
)

// device reads which device the queue is for.
func (d *decoder) device() {
	q := &d.queue
	accepted := d.describe("interface").Accepted()
	text := d.text("interface")
	if text == "" {
		d.missing("interface", accepted)
		return
	}
	name, logical := strings.CutPrefix(text, "@")
	switch {
	case logical && !validName(name):
		d.report(Error, "interface", "not the name of a logical network", accepted)
	case !logical && !validDevice(name):
		d.report(Error, "interface", "not the name of a network device", accepted)
	default:
		q.Interface, q.Logical = name, logical
	}
}

// missing reports an option that an enabled queue cannot do without.
func (d *decoder) missing(option, accepted string) {
	if d.queue.Enabled {
		d.report(Error, option, "missing", accepted)
	}
}

// validDevice says whether Linux would let a device have this name
// (dev_valid_name in net/core/dev.c). Control characters, which Linux allows,
// are refused too.
func validDevice(name string) bool {
	const maxLength = 15 // IFNAMSIZ less the final NUL
	if name == "" || len(name) > maxLength || name == "." || name == ".." {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '/' || r == ':'
	}) && !strings.Contains(name, "\xa0")
}

// foreignRecipes are scripts that exist, or did, but that sqmd does not have.
var foreignRecipes = map[string]string{
	"simple_pppoe.qos":                  "it was dropped in 2016, simple.qos does the same",
	"hfsc_lite.qos":                     "it was dropped in 2017, use simplest.qos or piece_of_cake.qos",
	"hfsc_litest.qos":                   "it was dropped in 2017, use simplest.qos or piece_of_cake.qos",
	"nxt_routed_hfsc.qos":               "it was dropped in 2017, use simplest.qos or piece_of_cake.qos",
	"layer_cake_ct.qos":                 "use layer_cake.qos with classification rules",
	"nss-zk.qos":                        "it needs NSS hardware queues, use piece_of_cake.qos",
	"nss-rk.qos":                        "it needs NSS hardware queues, use piece_of_cake.qos",
	"hw_ppe.qos":                        "it needs hardware queues, use piece_of_cake.qos",
	"test_WAN_dual-isolate.qos":         "use piece_of_cake.qos with goal device",
	"test_LAN_dual-isolate.qos":         "use piece_of_cake.qos with isolation",
	"test_WAN_triple-isolate.qos":       "use piece_of_cake.qos",
	"test_LAN_triple-isolate.qos":       "use piece_of_cake.qos",
	"test_triple_isolated_llt_cake.qos": "use layer_cake.qos",
}

// recipe reads script, qdisc and use_mq, which together say what the shaper is.
func (d *decoder) recipe() {
	q := &d.queue
	info := d.describe("script")
	text := d.text("script")
	reason, foreign := foreignRecipes[strings.TrimSuffix(text, ".qos")+".qos"]
	switch {
	case text == "":
		d.missing("script", info.Accepted())
	case strings.Contains(text, "/"):
		d.report(Error, "script", "a path is not accepted", info.Accepted())
	case slices.Contains(info.Choices, text+".qos"):
		d.report(Error, "script", "the name lacks .qos", info.Accepted())
	case foreign:
		d.report(Error, "script", "not supported: "+reason, info.Accepted())
	default:
		q.Recipe = Recipe(indexOf(recipeNames[:], d.choice("script")))
	}

	d.qdisc()
	if mq, given := d.flag("use_mq"); given {
		q.UseMQ = mq && q.UsesCake()
	}
}

// qdisc reads which leaf is used, where the recipe leaves that open.
func (d *decoder) qdisc() {
	q := &d.queue
	if q.Recipe == PieceOfCake || q.Recipe == LayerCake {
		q.Qdisc = "cake"
		switch d.text("qdisc") {
		case "", "cake":
		case "cake_mq":
			q.UseMQ = true
		default:
			d.report(Warning, "qdisc", q.Recipe.String()+" always uses cake", "cake, cake_mq, or another script")
		}
		return
	}
	switch q.Qdisc = d.choice("qdisc"); q.Qdisc {
	case "":
		q.Qdisc = d.describe("qdisc").Default
	case "cake_mq":
		q.Qdisc, q.UseMQ = "cake", true
	}
	if q.Recipe == SimplestTBF && q.Qdisc == "cake" {
		d.report(Warning, "qdisc", "simplest_tbf.qos has no use for cake, fq_codel is used", "a leaf other than cake, or another script")
		q.Qdisc, q.UseMQ = "fq_codel", false
	}
}

// rates reads download, upload and unlimited.
func (d *decoder) rates() {
	q := &d.queue
	q.Unlimited = d.unlimited()
	q.Download, d.declined.Download = d.rate("download", q.Unlimited.Download)
	q.Upload, d.declined.Upload = d.rate("upload", q.Unlimited.Upload)
	if q.Enabled && !q.Broken && d.shapes() == (Directions{}) {
		d.report(Note, "", "download and upload are both 0, so nothing is shaped", "")
	}
}

// rate reads one rate; declined is set where it is 0.
func (d *decoder) rate(name string, unlimited bool) (rate Rate, declined bool) {
	info := d.describe(name)
	accepted := info.Accepted() + "; 0 leaves the " + name + " unshaped"
	text := d.text(name)
	if text == "" {
		if !unlimited {
			d.missing(name, accepted)
		}
		return 0, false
	}
	kbit, ok := digits(text)
	if !ok {
		if guess, ok := kbitOf(text); ok && info.Range.holds(guess) {
			accepted += fmt.Sprintf("; for this rate write %d", guess)
		}
		d.report(Error, name, "not a whole number of kbit/s", accepted)
		return 0, false
	}
	if !info.Range.holds(kbit) {
		d.report(Error, name, "out of range", accepted)
		return 0, false
	}
	const megabit = 1000
	switch {
	case unlimited && kbit > 0:
		d.report(Note, name, "the rate is not used, as this direction is unlimited", "")
	case 0 < kbit && kbit < megabit && d.queue.Enabled:
		d.report(Note, name, fmt.Sprintf("this is less than 1 Mbit/s; if %d Mbit/s are meant write %d", kbit, kbit*megabit), "")
	}
	return Rate(kbit * 1000), kbit == 0
}

// unlimited reads in which directions cake runs without a rate.
func (d *decoder) unlimited() Directions {
	info := d.describe("unlimited")
	text := d.text("unlimited")
	both, _, isFlag := boolean(text)
	dirs := Directions{
		Download: both || text == "both" || text == "download",
		Upload:   both || text == "both" || text == "upload",
	}
	switch {
	case text == "":
		return Directions{}
	case !isFlag && dirs == (Directions{}):
		d.unusable(info, "not known"+didYouMean(text, info.Choices))
		return Directions{}
	}
	d.note("unlimited", dirs != (Directions{}))
	if !d.queue.UsesCake() {
		return Directions{}
	}
	return dirs
}

// shapes gives the directions the queue claims. A rate that cannot be read
// claims its direction: it was meant to be one.
func (d *decoder) shapes() Directions {
	q := &d.queue
	return Directions{
		Download: !d.declined.Download || q.Unlimited.Download,
		Upload:   !d.declined.Upload || q.Unlimited.Upload,
	}
}

// leaf reads what concerns the queue discipline under the shaper.
func (d *decoder) leaf() {
	q := &d.queue
	q.SquashDSCP, _ = d.flag("squash_dscp")
	q.SquashIngress, _ = d.flag("squash_ingress")
	q.IngressECN = d.ecn("ingress_ecn")
	q.EgressECN = d.ecn("egress_ecn")
	q.IngressLimit = d.integer(d.describe("ilimit"))
	q.EgressLimit = d.integer(d.describe("elimit"))
	q.IngressTarget = d.target("itarget")
	q.EgressTarget = d.target("etarget")
	q.IngressOpts = d.text("iqdisc_opts")
	q.EgressOpts = d.text("eqdisc_opts")
}

// ecn reads ECN or NOECN in any case.
func (d *decoder) ecn(name string) bool {
	info := d.describe(name)
	text := d.text(name)
	if text == "" {
		text = info.Default
	}
	word := strings.ToUpper(text)
	if !slices.Contains(info.Choices, word) {
		d.unusable(info, "not known")
		word = info.Default
	}
	d.note(name, word != info.Default)
	return word == "ECN"
}

// target reads a target delay. A malformed one leaves the choice to the kernel,
// as in sqm-scripts.
func (d *decoder) target(name string) Target {
	switch text := d.text(name); text {
	case "", "auto":
		return Target{Mode: TargetAuto}
	case "default":
		return Target{Mode: TargetKernel}
	default:
		info := d.describe(name)
		us, ok := duration(text)
		if !ok || !info.Range.holds(us) {
			d.report(Warning, name, "not a usable delay, the qdisc's own default is used", info.Accepted())
			return Target{Mode: TargetKernel}
		}
		d.note(name, true)
		return Target{Mode: TargetFixed, US: int(us)}
	}
}
