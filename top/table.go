// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"strings"
	"unicode/utf8"
)

// column is one of the table.
type column int

// The columns from left to right.
const (
	nameColumn column = iota
	stateColumn
	nowColumn
	limitColumn
	barColumn
	delayColumn
	peakColumn
	dropsColumn
	marksColumn
	backlogColumn
	columns
)

// headings also set the least widths: numbers that grow and shrink shall not move
// the table.
var headings = [columns]string{"", "state   ", "  now", "limit", "", "delay", " peak", "drops", "marks", "backlog"}

// byImportance are the columns in the order in which a narrow window keeps them.
var byImportance = [columns]column{nameColumn, stateColumn, nowColumn, limitColumn, delayColumn, dropsColumn, barColumn, marksColumn, backlogColumn, peakColumn}

const (
	leastName = 13
	mostCell  = 24
	// A window of this width has room for long bars.
	wideWindow = 112
	shortBar   = 8
	longBar    = 24
)

func barColumns(width int) int {
	if width >= wideWindow {
		return longBar
	}
	return shortBar
}

// row is a line of the table before its widths are known.
type row struct {
	rank  rank
	cells [columns]span
}

func heading() row {
	r := row{rank: problemRank}
	for i, h := range headings {
		r.cells[i] = span{h, faint}
	}
	return r
}

// layout is which columns are drawn, how wide, and how far apart.
type layout struct {
	widths [columns]int // 0: left out
	gap    int
}

// newLayout gives the rows as many columns as fit into width.
func newLayout(rows []row, width int) layout {
	wanted := [columns]int{nameColumn: leastName, barColumn: barColumns(width)}
	for i, h := range headings {
		wanted[i] = max(wanted[i], len(h))
	}
	for _, r := range rows {
		for i, c := range r.cells {
			wanted[i] = max(wanted[i], utf8.RuneCountInString(clip(c.text, mostCell)))
		}
	}
	// A long name shall not drive out the numbers.
	wanted[nameColumn] = min(wanted[nameColumn], max(leastName, width/5), width)
	l := layout{gap: 1}
	used, shown := 0, 0
	for _, c := range byImportance {
		if shown > 0 && used+l.gap+wanted[c] > width {
			break
		}
		l.widths[c] = wanted[c]
		used += min(shown, l.gap) + wanted[c]
		shown++
	}
	if used+shown-1 <= width {
		l.gap = 2
	}
	return l
}

// line draws a row: text from the left, numbers from the right.
func (l layout) line(r row) line {
	drawn := line{rank: r.rank}
	for i, width := range l.widths {
		if width == 0 {
			continue
		}
		text := clip(r.cells[i].text, width)
		space := span{text: strings.Repeat(" ", width-utf8.RuneCountInString(text))}
		if len(drawn.spans) > 0 {
			drawn.spans = append(drawn.spans, span{text: strings.Repeat(" ", l.gap)})
		}
		cell := span{text, r.cells[i].colour}
		if column(i) > stateColumn {
			drawn.spans = append(drawn.spans, space, cell)
		} else {
			drawn.spans = append(drawn.spans, cell, space)
		}
	}
	return drawn
}
