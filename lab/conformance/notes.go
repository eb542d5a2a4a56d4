// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"slices"
	"strings"
)

// Note is a line of notes.txt: a remark on the record.
type Note struct {
	Bug  bool   // the record is not the target
	ID   string // of the catalogue in the format's description
	Text string
}

func parseNotes(text string) []Note {
	var notes []Note
	for _, line := range strings.Split(text, "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		id, remark, found := strings.Cut(rest, ":")
		if found && (kind == "BUG" || kind == "NOTE") {
			notes = append(notes, Note{Bug: kind == "BUG", ID: id, Text: strings.TrimSpace(remark)})
		}
	}
	return notes
}

// bugs gives the ids of the BUG lines, sorted, each once.
func (c *Case) bugs() []string {
	var ids []string
	for _, note := range c.Notes {
		if note.Bug {
			ids = append(ids, note.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Ids with a meaning for the comparison.
const (
	idleIFB  = "IDLE-IFB"       // the record has an ifb that nothing is redirected to; right is none
	ifbClash = "IFB-NAME-CLASH" // sqmd may choose other names for ifbs
)

// wordsOnly are bugs in what is logged: they leave the recorded kernel state the target.
var wordsOnly = []string{"MISLEADING-WARNING", "STOP-ERROR"}

func (c *Case) noted(id string) bool {
	return slices.ContainsFunc(c.Notes, func(n Note) bool { return n.ID == id })
}

// recordStands says that the record is the target, but for idle ifbs.
func (c *Case) recordStands() bool {
	return !slices.ContainsFunc(c.bugs(), func(id string) bool {
		return id != idleIFB && !slices.Contains(wordsOnly, id)
	})
}
