// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The severities of findings.
const (
	Error   = "error"   // shaping is not there, or not right
	Warning = "warning" // shaping is likely spoiled
	Note    = "note"    // worth knowing
)

// Finding is one thing that spoils shaping, or may. All texts are one printable
// line without a final stop.
type Finding struct {
	ID       string `json:"id"`       // of the [Check]
	Severity string `json:"severity"` // Error, Warning or Note
	Device   string `json:"device,omitempty"`
	Queue    string `json:"queue,omitempty"` // title of the section or sections
	Problem  string `json:"problem"`
	Evidence string `json:"evidence"` // what the finding was drawn from
	Remedy   string `json:"remedy"`   // the one thing to do
}

// String is the finding as one line, without its evidence.
func (f Finding) String() string {
	subject := f.ID
	if f.Device != "" {
		subject += " on " + f.Device
	}
	return fmt.Sprintf("%s: %s: %s; %s", f.Severity, subject, f.Problem, f.Remedy)
}

// examination collects findings.
type examination struct {
	Evidence
	findings []Finding
}

// find adds a finding about the whole system.
func (x *examination) find(id, problem, evidence, remedy string) {
	x.add(Finding{ID: id, Problem: problem, Evidence: evidence, Remedy: remedy})
}

// findOn adds a finding about one queue.
func (x *examination) findOn(q Queue, id, problem, evidence, remedy string) {
	x.add(Finding{ID: id, Device: q.Device, Queue: q.Title(), Problem: problem, Evidence: evidence, Remedy: remedy})
}

func (x *examination) add(f Finding) {
	f.Severity = checks[rank(f.ID)].Severity
	for _, s := range []*string{&f.Device, &f.Queue, &f.Problem, &f.Evidence, &f.Remedy} {
		*s = printable(*s)
	}
	x.findings = append(x.findings, f)
}

// sorted gives the findings in the order of [Checks], which is worst first, and
// those of one check by device.
func (x *examination) sorted() []Finding {
	slices.SortStableFunc(x.findings, func(a, b Finding) int {
		return cmp.Or(rank(a.ID)-rank(b.ID), strings.Compare(a.Device, b.Device))
	})
	return x.findings
}

// printable makes names and messages from elsewhere safe for terminals and logs.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
