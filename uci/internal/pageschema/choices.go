// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"slices"
	"strings"

	"sqmd/uci"
	"sqmd/uci/internal/manual"
)

// rows are lines of an array.
func rows(objects []object) string {
	var lines []string
	for _, o := range objects {
		lines = append(lines, "\t\t"+o.String())
	}
	return strings.Join(lines, ",\n") + "\n"
}

func recipes() string {
	var all []object
	for _, r := range manual.Recipes {
		var o, leaf object
		var offers []string
		for _, qdisc := range describe("qdisc").Choices {
			inForce, fits := read("script", r.Name, "qdisc", qdisc)
			if inForce.Qdisc != qdisc {
				leaf.raw(key(qdisc), quote(inForce.Qdisc))
			}
			if fits {
				offers = append(offers, qdisc)
			}
		}
		o.text("name", r.Name)
		o.told("label", manual.Options["script"].Values[r.Name])
		o.told("help", r.Summary)
		o.list("goals", r.Goals)
		o.list("offers", offers)
		o.raw("leaf", leaf.String())
		all = append(all, o)
	}
	return rows(all)
}

func goals() string {
	var all []object
	for _, g := range manual.Goals {
		var o, set object
		set.text("goal", g.Name)
		set.text("script", g.Script)
		set.text("qdisc", g.Qdisc)
		o.text("name", g.Name)
		o.told("label", manual.Options["goal"].Values[g.Name])
		o.told("help", g.Summary)
		o.raw("set", set.String())
		all = append(all, o)
	}
	return rows(all)
}

func presets() string {
	var all []string
	for _, l := range manual.Lines {
		p := preset(l.Name)
		summary := quote("")
		if l.Summary != l.Label+"." {
			summary = translated(l.Summary)
		}
		all = append(all, fmt.Sprintf("\t\tline(%s, %s, %d, %d, %s, %s, %s)", quote(p.Name), quote(p.LinkLayer.String()),
			p.Overhead, p.MPU, translated(l.Label), summary, words(p.Aliases)))
	}
	return strings.Join(all, ",\n") + "\n"
}

func preset(name string) uci.Preset {
	all := uci.Presets()
	return all[slices.IndexFunc(all, func(p uci.Preset) bool { return p.Name == name })]
}

// cakeOnly are the link layers that are a mistake without cake.
func cakeOnly() []string {
	var layers []string
	for _, layer := range describe("linklayer").Choices {
		if _, fits := read("script", "simple.qos", "qdisc", "fq_codel", "linklayer", layer); !fits {
			layers = append(layers, layer)
		}
	}
	return layers
}

func describe(option string) uci.OptionInfo {
	all := uci.Schema()
	return all[slices.IndexFunc(all, func(o uci.OptionInfo) bool { return o.Name == option })]
}

// read gives the queue that has the options, and whether there is no more than a
// note to tell of it: what the page knows of options together is what the reader
// of the file makes of them.
func read(options ...string) (uci.Queue, bool) {
	c := parse(options)
	wrong := slices.ContainsFunc(c.Findings, func(f uci.Finding) bool { return f.Severity > uci.Note })
	return c.Queues[0], !wrong
}

// parse reads a queue of which nothing is wrong but what the options do, which are
// names and values in turn.
func parse(options []string) uci.Config {
	text := "config queue wan\n\toption enabled 1\n\toption interface eth1\n\toption download 20000\n\toption upload 5000\n"
	for i := 0; i < len(options); i += 2 {
		text += "\toption " + options[i] + " '" + options[i+1] + "'\n"
	}
	return uci.ParseSQM("", []byte(text))
}
