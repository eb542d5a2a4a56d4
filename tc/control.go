// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strconv"
)

// Control is what happens to a packet after an action (TC_ACT_*,
// linux/pkt_cls.h). The values with an argument are made by [GotoChain] and
// [Jump].
type Control int32

// Controls.
const (
	ControlContinue   Control = -1 // go on with the next filter (TC_ACT_UNSPEC)
	ControlOK         Control = 0  // end classification, the packet goes on
	ControlReclassify Control = 1  // start classification again
	ControlShot       Control = 2  // drop the packet
	ControlPipe       Control = 3  // go on with the next action
	ControlStolen     Control = 4  // the action has taken the packet
	ControlQueued     Control = 5
	ControlRepeat     Control = 6
	ControlRedirect   Control = 7
	ControlTrap       Control = 8
)

// The highest four bits of a control with an argument, and the rest of it.
const (
	controlJump     Control = 1 << 28
	controlGoto     Control = 2 << 28
	controlArgument         = 1<<28 - 1
)

// GotoChain continues with the filters of a chain, 0 to 2^28-1.
func GotoChain(chain uint32) Control { return controlGoto | Control(chain&controlArgument) }

// Jump skips the next n actions, 0 to 2^28-1.
func Jump(n uint32) Control { return controlJump | Control(n&controlArgument) }

// Ptr is a pointer to c, for the Control field of an action.
func (c Control) Ptr() *Control { return &c }

// controlWords are the spellings of tc(8); the first of several is written.
var controlWords = []struct {
	word    string
	control Control
}{
	{"continue", ControlContinue}, {"pass", ControlOK}, {"ok", ControlOK}, {"reclassify", ControlReclassify},
	{"drop", ControlShot}, {"shot", ControlShot}, {"pipe", ControlPipe}, {"stolen", ControlStolen}, {"trap", ControlTrap},
}

// words is the tc(8) form.
func (c Control) words() []string {
	argument := strconv.Itoa(int(c & controlArgument))
	switch {
	case c > 0 && c&^controlArgument == controlGoto:
		return []string{"goto", "chain", argument}
	case c > 0 && c&^controlArgument == controlJump:
		return []string{"jump", argument}
	}
	for _, known := range controlWords {
		if known.control == c {
			return []string{known.word}
		}
	}
	return []string{strconv.Itoa(int(c))}
}

// addControlWords makes t understand every spelling of a control.
func addControlWords(t wordTable, store func(Control)) {
	for _, known := range controlWords {
		t[known.word] = func(*words) error { store(known.control); return nil }
	}
	t["jump"] = func(w *words) error {
		n, err := take(w, parseControlArgument)
		store(Jump(n))
		return err
	}
	t["goto"] = func(w *words) error {
		if word, err := w.argument(); err != nil || word != "chain" {
			return fmt.Errorf(`after "goto" comes "chain" and a number`)
		}
		n, err := take(w, parseControlArgument)
		store(GotoChain(n))
		return err
	}
}

func parseControlArgument(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 28)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number from 0 to %d", s, controlArgument)
	}
	return uint32(n), nil
}
