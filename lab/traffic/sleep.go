// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleepUntil sleeps in the kernel until due after start, if that is still to come, and returns the time since start.
// Called on a locked thread it takes two system calls; time.Sleep wakes other threads to keep its timers.
func sleepUntil(start time.Time, due time.Duration) time.Duration {
	now := time.Since(start)
	if now >= due {
		return now
	}
	wait := unix.NsecToTimespec(int64(due - now))
	for unix.Nanosleep(&wait, &wait) == unix.EINTR {
	}
	return time.Since(start)
}
