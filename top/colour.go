// SPDX-License-Identifier: GPL-2.0-or-later

package top

import "sqmd/shaping"

// colour is an SGR parameter of ECMA-48, or empty.
type colour string

const (
	normal colour = ""
	bold   colour = "1"
	faint  colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// paint puts text into a colour.
func (c colour) paint(text string) string {
	if c == normal || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[m"
}

// stateColour is red for every state that needs somebody to look.
func stateColour(state string) colour {
	switch state {
	case shaping.Shaped:
		return green
	case shaping.Off:
		return faint
	case shaping.Waiting:
		return yellow
	}
	return red
}
