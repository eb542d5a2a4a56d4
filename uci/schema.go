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
// validation, documentation and the web page all go by it.
type OptionInfo struct {
	Name      string
	Group     Group
	Kind      Kind
	Unit      string   // of the bare number; empty without one
	Default   string   // as it would be written; empty leaves the choice to the recipe
	Range     Range    // of integers and rates
	CakeRange Range    // narrower range where cake is the shaper; zero without one
	Choices   []string // words it can be, besides what Kind allows
	Required  bool     // an enabled queue must have it
	Own       bool     // an extension that sqm-scripts ignores
	Strict    bool     // a value that cannot be used breaks the queue; otherwise the default is used
	Works     string   // where it has an effect, in words; empty is everywhere
	Summary   string   // one sentence for people

	works func(*Queue) bool // the same as Works
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

// scope is where an option has an effect, in words and as a test.
type scope struct {
	words string
	holds func(*Queue) bool
}

// in gives the option the scope.
func (s scope) in(o OptionInfo) OptionInfo {
	o.Works, o.works = s.words, s.holds
	return o
}

var (
	withCake = scope{"with cake as the shaper", (*Queue).UsesCake}

	withLeaf = scope{"with a leaf other than cake", func(q *Queue) bool { return !q.UsesCake() }}

	withECN = scope{"with a leaf other than cake, which always marks", func(q *Queue) bool { return !q.UsesCake() }}

	withTarget = scope{"with codel, fq_codel, pie and fq_pie; cake has rtt instead",
		func(q *Queue) bool { return slices.Contains([]string{"codel", "fq_codel", "pie", "fq_pie"}, q.Qdisc) }}

	withWash = scope{"with cake and with simple.qos", func(q *Queue) bool { return q.UsesCake() || q.Recipe == Simple }}

	withTiers = scope{"with layer_cake.qos and simple.qos, the others have one tin or class",
		func(q *Queue) bool { return q.Recipe == LayerCake || q.Recipe == Simple }}

	withAccounting = scope{"with a linklayer other than none", func(q *Queue) bool { return q.LinkLayer != LinkNone }}
)
