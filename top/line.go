// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"strings"
	"unicode/utf8"
)

// span is a part of a line. Its text is clipped: a column for each rune.
type span struct {
	text   string
	colour colour
}

// rank says how dear a line is: where the window is too low, those of the highest
// rank go first.
type rank int

const (
	needed rank = iota
	queueRank
	problemRank
	leafRank
	changeRank
	spaceRank
)

// line is one line of the table, without colours as long as they are not asked
// for.
type line struct {
	rank  rank
	spans []span
}

func (l line) columns() (n int) {
	for _, s := range l.spans {
		n += utf8.RuneCountInString(s.text)
	}
	return n
}

func (l line) text(coloured bool) string {
	var out strings.Builder
	for _, s := range l.spans {
		if coloured {
			out.WriteString(s.colour.paint(s.text))
		} else {
			out.WriteString(s.text)
		}
	}
	return out.String()
}

// leastPiece is the narrowest rest of a line that is worth a cut piece.
const leastPiece = 12

// pack makes a line of pieces, most important first, with two columns between
// them, until the width is used up. The first that does not fit is cut or left
// out. Empty ones are passed over.
func pack(rank rank, width, indent int, pieces ...span) line {
	l := line{rank: rank}
	gap := min(indent, width)
	for _, p := range pieces {
		if p.text == "" {
			continue
		}
		room := width - l.columns() - gap
		text := clip(p.text, room+1)
		cut := utf8.RuneCountInString(text) > room
		if cut && room < leastPiece && len(l.spans) > 0 {
			break
		}
		l.spans = append(l.spans, span{text: strings.Repeat(" ", gap)}, span{clip(p.text, room), p.colour})
		if cut {
			break
		}
		gap = 2
	}
	return l
}
