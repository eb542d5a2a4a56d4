// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// reclaimTerminal makes this process group the terminal's foreground again. A background process is stopped by SIGTTOU
// for trying, hence the signal is ignored meanwhile.
func reclaimTerminal(terminal int, settings *unix.Termios) {
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	unix.IoctlSetPointerInt(terminal, unix.TIOCSPGRP, unix.Getpgrp())
	unix.IoctlSetTermios(terminal, unix.TCSETS, settings)
}
