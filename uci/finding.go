// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Severity says what a [Finding] means for the queue it concerns. Greater is worse.
type Severity int

const (
	// Note tells what was decided where the file leaves a choice.
	Note Severity = iota
	// Warning marks a line or option that has no effect or another one than its words suggest.
	Warning
	// Error marks a value that cannot be used: an enabled queue that has one is not configured.
	Error
)

// String gives "note", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "severity " + strconv.Itoa(int(s))
}

// Finding is one thing wrong or odd in a configuration file.
type Finding struct {
	File     string   // path as given by the caller
	Line     int      // from 1; 0 concerns the file as a whole
	Section  string   // "wan" or "@queue[0]"; empty outside sections
	Option   string   // empty when the section or the line itself is meant
	Value    string   // the offending value as written, unbounded and unescaped
	Severity Severity // what it means for the queue
	Problem  string   // what is wrong, a clause without full stop
	Accepted string   // what would be right; empty when there is nothing to choose from
}

// maxShownValue bounds, in bytes, how much of a value a finding repeats.
const maxShownValue = 60

// String gives the finding as one line of printable text:
//
//	/etc/config/sqm:12: queue 'wan', option 'download' is '50Mbit': not a whole number of kbit/s; accepted: ...
func (f Finding) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	b.WriteString(": ")
	var subject []string
	if f.Section != "" {
		subject = append(subject, "queue "+quoted(f.Section))
	}
	if f.Option != "" {
		subject = append(subject, "option "+quoted(f.Option))
	}
	b.WriteString(strings.Join(subject, ", "))
	if f.Value != "" {
		if len(subject) > 0 {
			b.WriteString(" is ")
		}
		b.WriteString(quoted(f.Value))
	}
	if len(subject) > 0 || f.Value != "" {
		b.WriteString(": ")
	}
	b.WriteString(f.Problem)
	if f.Accepted != "" {
		b.WriteString("; accepted: " + f.Accepted)
	}
	return b.String()
}

// quoted makes any bytes safe for a terminal and a log line: control
// characters and invalid UTF-8 are escaped and the length is bounded.
func quoted(s string) string {
	cut := ""
	if len(s) > maxShownValue {
		n := maxShownValue
		for n > maxShownValue-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = s[:n], "..."
	}
	q := strconv.QuoteToGraphic(s)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return "'" + q + cut + "'"
}
