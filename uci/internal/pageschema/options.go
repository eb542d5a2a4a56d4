// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sqmd/uci"
	"sqmd/uci/internal/manual"
)

// groups are the page's names for them; nothing is asked about what is in none.
var groups = []struct {
	group uci.Group
	name  string
}{
	{uci.GroupBasic, "basic"}, {uci.GroupQueue, "queueing"}, {uci.GroupLink, "link"}, {uci.GroupExpert, "expert"},
}

func options() string {
	var grouped []string
	for _, g := range groups {
		infos := slices.DeleteFunc(uci.Schema(), func(o uci.OptionInfo) bool { return o.Group != g.group })
		grouped = append(grouped, fmt.Sprintf("\t\t%s: {\n%s\t\t}", g.name, table("\t\t\t", infos, manual.Options)))
	}
	return strings.Join(grouped, ",\n") + "\n"
}

func settings() string { return table("\t\t", uci.Settings(), manual.Settings) }

func table(indent string, infos []uci.OptionInfo, texts map[string]manual.Option) string {
	var lines []string
	for _, info := range infos {
		lines = append(lines, fmt.Sprintf("%s%s: %s", indent, key(info.Name), option(info, texts[info.Name])))
	}
	return strings.Join(lines, ",\n") + "\n"
}

func option(info uci.OptionInfo, text manual.Option) object {
	var o object
	o.text("type", typeOf(info))
	o.told("unit", info.Unit)
	o.text("default", info.Default)
	if info.Range != (uci.Range{}) {
		o.raw("min", fmt.Sprint(info.Range.Min))
		o.raw("max", fmt.Sprint(info.Range.Max))
	}
	if info.CakeRange != (uci.Range{}) {
		o.raw("cakeMin", fmt.Sprint(info.CakeRange.Min))
		o.raw("cakeMax", fmt.Sprint(info.CakeRange.Max))
	}
	if values := valuesOf(info, text); len(values) > 0 && info.Name != "link_preset" {
		o.raw("values", array(values))
	}
	o.flag("required", info.Required)
	o.flag("strict", info.Strict)
	o.flag("own", info.Own)
	o.told("label", text.Label)
	o.help(text.Label, text.Summary)
	if info.Scope != nil {
		o.raw("effect", fmt.Sprintf("effects[%d]", slices.Index(effects(), effectOf(info.Scope))))
	}
	return o
}

// typeOf is the page's name for the form of a value.
func typeOf(info uci.OptionInfo) string {
	switch info.Kind {
	case uci.KindFlag:
		return "bool"
	case uci.KindInteger, uci.KindRate:
		if info.Range.Min < 0 {
			return "int"
		}
		return "uint"
	case uci.KindChoice:
		if info.Name == "link_preset" {
			return "preset"
		}
		return "enum"
	case uci.KindDevice:
		return "device"
	case uci.KindText:
		return "words"
	}
	return string(info.Kind)
}

// valuesOf are the words that the option can be, or the numbers that have a
// meaning of their own.
func valuesOf(info uci.OptionInfo, text manual.Option) []string {
	all := info.Choices
	if info.Kind == uci.KindInteger {
		all = slices.SortedFunc(maps.Keys(text.Values), func(a, b string) int {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			return x - y
		})
	}
	var values []string
	for _, value := range all {
		if label := text.Values[value]; label != "" {
			values = append(values, array([]string{quote(value), translated(label)}))
		} else {
			values = append(values, quote(value))
		}
	}
	return values
}

// effects are all that there are, each once.
func effects() []string {
	var all []string
	for _, info := range uci.Schema() {
		if info.Scope == nil {
			continue
		}
		if effect := effectOf(info.Scope); !slices.Contains(all, effect) {
			all = append(all, effect)
		}
	}
	return all
}

func effectOf(scope *uci.Scope) string {
	var o object
	o.list("leaves", scope.Leaves)
	var scripts []string
	for _, r := range scope.Recipes {
		scripts = append(scripts, r.String())
	}
	o.list("scripts", scripts)
	o.list("values", scope.Values)
	o.flag("line", scope.Line)
	o.told("why", "Only "+scope.Words+".")
	return o.String()
}
