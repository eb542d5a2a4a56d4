// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is the form of an option's value.
type Kind string

// Kinds of option values.
const (
	KindFlag     Kind = "flag"      // 1/0, on/off, yes/no, true/false, enabled/disabled, in any case
	KindInteger  Kind = "integer"   // decimal, inside Range
	KindRate     Kind = "rate"      // decimal, inside Range, kbit/s
	KindChoice   Kind = "choice"    // one of Choices
	KindDevice   Kind = "interface" // network device, or @ and a logical network
	KindDuration Kind = "duration"  // whole number with s, ms or us, or one of Choices
	KindSize     Kind = "size"      // bytes, or a whole number with k, m or g (powers of 1024)
	KindText     Kind = "text"      // words of tc(8)
)

// Group says where an option belongs on a page.
type Group string

// Groups of options.
const (
	GroupBasic      Group = "basic"
	GroupQueue      Group = "queue"
	GroupLink       Group = "link"
	GroupExpert     Group = "expert"
	GroupHistorical Group = "historical" // read by old releases of sqm-scripts only, without effect
	GroupLuCIFlag   Group = "luci flag"  // state of the web page, without effect
)

// Range is an inclusive range of integers.
type Range struct{ Min, Max int64 }

func (r Range) holds(n int64) bool { return r.Min <= n && n <= r.Max }

// OptionInfo describes one option of a `config queue` section. Reading,
// validation, documentation and the web page all go by it; what the last two say
// about it to people is in package manual, which is not linked into the daemon.
type OptionInfo struct {
	Name      string
	Group     Group
	Kind      Kind
	Unit      string   // of the bare number; empty without one
	Default   string   // as it would be written; empty leaves the choice to the recipe
	Range     Range    // of integers and rates, of durations in microseconds, of sizes in bytes; zero without one
	CakeRange Range    // narrower range where cake is the shaper; zero without one
	Choices   []string // words it can be, besides what Kind allows
	Required  bool     // an enabled queue must have it
	Own       bool     // an extension that sqm-scripts ignores
	Strict    bool     // a value that cannot be used breaks the queue; otherwise the default is used
	Scope     *Scope   // where it has an effect; nil is everywhere
}

// Schema describes all options of a `config queue` section, in the order in
// which a page would show them.
func Schema() []OptionInfo { return slices.Clone(schema) }

// Accepted words the values the option can have.
func (o OptionInfo) Accepted() string {
	var accepted []string
	switch o.Kind {
	case KindFlag:
		accepted = []string{"0", "1"}
	case KindDuration:
		accepted = []string{"a whole number with s, ms or us"}
	case KindSize:
		accepted = []string{"a whole number of bytes, or with k, m or g"}
	case KindInteger, KindRate:
		unit := ""
		if o.Unit != "" {
			unit = " of " + o.Unit
		}
		accepted = []string{fmt.Sprintf("a whole number%s from %d to %d", unit, o.Range.Min, o.Range.Max)}
	case KindDevice:
		accepted = []string{"a network device (1 to 15 bytes without blanks, / and :)", "@ and a logical network"}
	case KindText:
		accepted = []string{"words of tc(8)"}
	}
	return strings.Join(append(accepted, o.Choices...), ", ")
}

// describe finds an option of the schema by name.
func describe(name string) (OptionInfo, bool) {
	for _, o := range schema {
		if o.Name == name {
			return o, true
		}
	}
	return OptionInfo{}, false
}

func optionNames() []string {
	names := make([]string, 0, len(schema))
	for _, o := range schema {
		names = append(names, o.Name)
	}
	return names
}

// Scope is where an option has an effect: with one of Leaves in force or one of
// Recipes, and with Line only where the line is accounted for.
type Scope struct {
	Leaves  []string // leaf qdiscs; cake stands for cake as the shaper
	Recipes []Recipe
	Values  []string // Recipes counts for these values alone; all of them if empty
	Line    bool
	Silent  bool   // a value without effect is not reported: sqm-scripts' own page writes some
	Words   string // the same, behind "only"
}

// holds reports whether the value has an effect on the queue.
func (s *Scope) holds(q *Queue, value string) bool {
	if s == nil {
		return true
	}
	if s.Line && q.LinkLayer == LinkNone {
		return false
	}
	if len(s.Leaves) == 0 && len(s.Recipes) == 0 || slices.Contains(s.Leaves, q.Qdisc) {
		return true
	}
	return slices.Contains(s.Recipes, q.Recipe) && (len(s.Values) == 0 || slices.Contains(s.Values, value))
}

// Leaves by what they have in common.
var (
	onlyCake   = []string{"cake"}
	otherLeafs = leafQdiscs[1:]
	aqmLeafs   = []string{"codel", "fq_codel", "pie", "fq_pie"}
)

var (
	withCake = &Scope{Leaves: onlyCake, Words: "with cake as the shaper"}

	withGoal = &Scope{Leaves: onlyCake, Recipes: []Recipe{Simple}, Values: []string{"priorities"},
		Words: "with cake as the shaper; priorities also with simple.qos"}

	withLeaf = &Scope{Leaves: otherLeafs, Words: "with a leaf other than cake"}

	withECN = &Scope{Leaves: aqmLeafs, Words: "with codel, fq_codel, pie and fq_pie; cake always marks, the others never"}

	withTarget = &Scope{Leaves: aqmLeafs, Words: "with codel, fq_codel, pie and fq_pie; cake has rtt instead"}

	withWash = &Scope{Leaves: onlyCake, Recipes: []Recipe{Simple}, Words: "with cake and with simple.qos"}

	withTiers = &Scope{Recipes: []Recipe{LayerCake, Simple},
		Words: "with layer_cake.qos and simple.qos, the others have one tin or class"}

	withAccounting = &Scope{Line: true, Words: "with a linklayer other than none"}

	withTable = &Scope{Leaves: otherLeafs, Line: true, Silent: true,
		Words: "with htb and tbf, as cake accounts for the line itself; and with a linklayer other than none"}
)
