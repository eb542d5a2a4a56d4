// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// serialLines are what the payload reads from and writes to: lines of the guest that end in descriptors of the host.
type serialLines struct {
	stdin, stdout, stderr *os.File
}

func openLines(s *spec) (*serialLines, error) {
	if s.Terminal {
		terminal, err := os.OpenFile("/dev/ttyS0", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return nil, fmt.Errorf("open the guest's terminal: %w", err)
		}
		size := &unix.Winsize{Row: s.Rows, Col: s.Columns}
		if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, size); err != nil {
			return nil, fmt.Errorf("set terminal size: %w", err)
		}
		return &serialLines{stdin: terminal, stdout: terminal, stderr: terminal}, nil
	}
	lines := new(serialLines)
	var err error
	if lines.stdout, err = openRaw("/dev/ttyS0"); err != nil {
		return nil, err
	}
	lines.stdin = lines.stdout
	if !s.Input {
		if lines.stdin, err = os.Open(os.DevNull); err != nil {
			return nil, err
		}
	}
	if lines.stderr, err = openRaw("/dev/ttyS1"); err != nil {
		return nil, err
	}
	return lines, nil
}

// openRaw opens a serial line that passes every byte as it is, line ends included.
func openRaw(path string) (*os.File, error) {
	line, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, fmt.Errorf("open the guest's output: %w", err)
	}
	settings, err := unix.IoctlGetTermios(int(line.Fd()), unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read settings of %s: %w", path, err)
	}
	settings.Iflag &^= unix.BRKINT | unix.ICRNL | unix.IGNCR | unix.INLCR | unix.INPCK | unix.ISTRIP | unix.IXON | unix.IXOFF
	settings.Oflag &^= unix.OPOST
	settings.Lflag &^= unix.ECHO | unix.ICANON | unix.ISIG | unix.IEXTEN
	settings.Cc[unix.VMIN], settings.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(line.Fd()), unix.TCSETS, settings); err != nil {
		return nil, fmt.Errorf("make %s raw: %w", path, err)
	}
	return line, nil
}

// drain waits until the host has all output; powering off would discard the rest.
func (l *serialLines) drain() {
	for _, line := range []*os.File{l.stdout, l.stderr} {
		// TCSBRK with a non-zero argument is tcdrain(3).
		_ = unix.IoctlSetInt(int(line.Fd()), unix.TCSBRK, 1)
	}
}
