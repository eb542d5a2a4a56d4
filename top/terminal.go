// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// The control sequences used, of ECMA-48 and of xterm (ctlseqs).
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // the alternate screen, no cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	eraseLine   = "\x1b[K"
	eraseBelow  = "\x1b[J"
)

// The size of a terminal that does not know its own, as on a serial line.
const (
	unknownWidth  = 80
	unknownHeight = 24
)

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// terminal is a terminal while the table is on it.
type terminal struct {
	in, out  *os.File
	before   unix.Termios
	coloured bool
}

// takeTerminal switches to single keys and to the alternate screen. restore is
// to be called whatever happens.
func takeTerminal(in, out *os.File) (*terminal, error) {
	before, err := unix.IoctlGetTermios(int(in.Fd()), unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read the terminal's settings: %w", err)
	}
	raw := *before
	raw.Lflag &^= unix.ICANON | unix.ECHO | unix.ISIG | unix.IEXTEN
	raw.Iflag &^= unix.IXON | unix.ICRNL
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(in.Fd()), unix.TCSETS, &raw); err != nil {
		return nil, fmt.Errorf("change the terminal's settings: %w", err)
	}
	// https://no-color.org: set and not empty.
	t := &terminal{in: in, out: out, before: *before, coloured: os.Getenv("NO_COLOR") == ""}
	if _, err := out.WriteString(enterScreen); err != nil {
		t.restore()
		return nil, fmt.Errorf("write to the terminal: %w", err)
	}
	return t, nil
}

// restore leaves the terminal as it was found.
func (t *terminal) restore() error {
	_, err := t.out.WriteString(leaveScreen)
	if failed := unix.IoctlSetTermios(int(t.in.Fd()), unix.TCSETS, &t.before); failed != nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("restore the terminal: %w", err)
	}
	return nil
}

func (t *terminal) size() (width, height int) {
	w, err := unix.IoctlGetWinsize(int(t.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return unknownWidth, unknownHeight
	}
	return int(w.Col), int(w.Row)
}

// draw puts the picture over the one before in one write and without an empty
// screen between, either of which would flicker.
func (t *terminal) draw(p *picture) error {
	width, height := t.size()
	if _, err := t.out.WriteString(screenful(p.frame(width, height), width, height, t.coloured)); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

func screenful(lines []line, width, height int, coloured bool) string {
	var out strings.Builder
	out.WriteString(home)
	for i, l := range lines {
		if i > 0 {
			out.WriteString("\r\n")
		}
		out.WriteString(l.text(coloured))
		// After a full line the cursor is still on its last column, which would be
		// erased.
		if l.columns() < width {
			out.WriteString(eraseLine)
		}
	}
	if len(lines) < height {
		out.WriteString("\r\n" + eraseBelow)
	}
	return out.String()
}
