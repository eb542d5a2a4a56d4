// SPDX-License-Identifier: GPL-2.0-or-later

// Package metrics writes a report for collectors: OpenMetrics text that
// Prometheus and its kin read from a file or from a command.
package metrics

import (
	"bufio"
	"fmt"
	"io"

	"sqmd/daemon"
)

// Write writes r as OpenMetrics 1.0 text, with the closing `# EOF`
// (https://prometheus.io/docs/specs/om/open_metrics_spec/). Units are seconds,
// bytes and bit/s. What is not known has no sample: no counters of a direction
// without a shaper, no limit where there is none. Counters are since the shaper
// was made, or since the daemon started.
//
// All families are counters or gauges: readers of Prometheus' text format 0.0.4
// refuse a text with the types info and stateset.
//
// The error is that of w.
func Write(w io.Writer, r daemon.Report) error {
	out := bufio.NewWriter(w)
	writeFamilies(out, reportFamilies, []subject[daemon.Report]{{of: r}})
	writeFamilies(out, queueFamilies, queues(r))
	writeFamilies(out, linkFamilies, links(r))
	writeFamilies(out, directionFamilies, directions(r))
	if r.Daemon != nil {
		writeFamilies(out, processFamilies, []subject[daemon.ProcessReport]{{of: *r.Daemon}})
		writeFamilies(out, watchedFamilies, directions(r))
	}
	writeFamilies(out, shaperFamilies, shapers(r))
	writeFamilies(out, tinFamilies, tins(r))
	writeFamilies(out, classFamilies, classes(r))
	out.WriteString("# EOF\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

// The types of families.
const (
	counter = "counter"
	gauge   = "gauge"
)

// family is one metric family and how its samples are read from a T.
type family[T any] struct {
	name string // ends in the unit, if there is one; without a counter's _total
	kind string
	unit string
	help string
	read func(T) []sample
}

// sample is one number. label is a further label of a family that has several
// samples for a T.
type sample struct{ label, value string }

// writeFamilies writes the samples of one family after the other, as the format
// wants them. A family without samples is left out. Errors stay in out.
func writeFamilies[T any](out *bufio.Writer, families []family[T], subjects []subject[T]) {
	for _, f := range families {
		described := false
		for _, s := range subjects {
			for _, n := range f.read(s.of) {
				if !described {
					f.describe(out)
					described = true
				}
				f.write(out, s.labels, n)
			}
		}
	}
}

func (f family[T]) describe(out *bufio.Writer) {
	fmt.Fprintf(out, "# TYPE %s %s\n", f.name, f.kind)
	if f.unit != "" {
		fmt.Fprintf(out, "# UNIT %s %s\n", f.name, f.unit)
	}
	fmt.Fprintf(out, "# HELP %s %s\n", f.name, f.help)
}

func (f family[T]) write(out *bufio.Writer, labels string, n sample) {
	out.WriteString(f.name)
	if f.kind == counter {
		out.WriteString("_total")
	}
	if labels = join(labels, n.label); labels != "" {
		out.WriteString("{" + labels + "}")
	}
	out.WriteString(" " + n.value + "\n")
}
