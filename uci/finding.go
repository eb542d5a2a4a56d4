// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Severity says what a [Finding] means for the queue it concerns. Greater is worse.
type Severity int

const (
	// Note tells what was decided where the file leaves a choice.
	Note Severity = iota
	// Warning marks a line or option that has no effect, or another one than its words suggest.
	Warning
	// Error marks what cannot be used: an enabled queue that has one is not configured.
	Error
)

var severityNames = [...]string{"note", "warning", "error"}

// String gives "note", "warning" or "error".
func (s Severity) String() string { return nameOf(severityNames[:], int(s)) }

// Finding is one thing wrong or odd in a configuration file.
type Finding struct {
	File     string   // path as given by the caller
	Line     int      // from 1; 0 concerns the file as a whole
	Type     string   // type of the section, such as "queue"; empty outside sections
	Section  string   // title of the section, "wan" or "@queue[0]"; empty outside sections
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
	place := printable(f.File)
	if f.Line > 0 {
		place += fmt.Sprintf(":%d", f.Line)
	}
	var subject []string
	if f.Section != "" {
		kind := f.Type
		if kind == "" {
			kind = "section"
		}
		subject = append(subject, printable(kind)+" "+quoted(f.Section))
	}
	if f.Option != "" {
		subject = append(subject, "option "+quoted(f.Option))
	}
	about := strings.Join(subject, ", ")
	switch {
	case f.Value == "":
	case f.Option != "":
		about += " is " + quoted(f.Value)
	case about != "":
		about += ", at " + quoted(f.Value)
	default:
		about = quoted(f.Value)
	}
	if about != "" {
		about += ": "
	}
	line := place + ": " + about + f.Problem
	if f.Accepted != "" {
		line += "; accepted: " + f.Accepted
	}
	return line
}

// quoted makes any bytes safe for a terminal and a log line.
func quoted(s string) string { return "'" + printable(s) + "'" }

// printable escapes control characters and invalid UTF-8, and bounds the length.
func printable(s string) string {
	more := ""
	if len(s) > maxShownValue {
		n := maxShownValue
		for n > maxShownValue-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s, more = s[:n], "..."
	}
	q := strconv.QuoteToGraphic(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + more
}

// maxFindings bounds how many findings one file can cause: a megabyte of
// nonsense must not fill a small router's memory with complaints.
const maxFindings = 500

// findings collects what was found in one file.
type findings struct {
	list  []Finding
	lost  int
	worst Finding // of those lost
}

func (fs *findings) full() bool { return len(fs.list) >= maxFindings }

func (fs *findings) add(f Finding) {
	if !fs.full() {
		fs.list = append(fs.list, f)
		return
	}
	if fs.lost == 0 || f.Severity > fs.worst.Severity {
		fs.worst = f
	}
	fs.lost++
}

// sorted gives the findings in line order, those of one line as they were
// found. The last one stands for those that there was no room for.
func (fs *findings) sorted(file string) []Finding {
	slices.SortStableFunc(fs.list, func(a, b Finding) int { return a.Line - b.Line })
	if fs.lost == 0 {
		return fs.list
	}
	return append(fs.list, Finding{File: file, Line: fs.worst.Line, Severity: fs.worst.Severity,
		Problem: fmt.Sprintf("this and %d more findings are not listed", fs.lost-1)})
}
