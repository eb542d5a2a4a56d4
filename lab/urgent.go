// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// roundRobin is the scheduling policy SCHED_RR of linux/sched.h, and lowest its lowest priority (sched(7)).
const (
	roundRobin = 2
	lowest     = 1
)

// urgeThread puts the calling thread, and what it starts, ahead of all normal processes. The system calls of a guest
// are switches between processes: on a busy core each waits its turn, which stretches time beyond measuring.
func urgeThread() {
	priority := struct{ priority int32 }{lowest}
	// Without the right to do so the guest is slower, not wrong.
	unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, 0, roundRobin, uintptr(unsafe.Pointer(&priority)))
}
