// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import "time"

// clockStep is how far the wall clock has to jump to be told; NTP slews less.
const clockStep = 2 * time.Second

// wallClock compares the time of day with the time that passes. Nothing here
// depends on the time of day; but who reads logs or charts wants to know.
type wallClock struct {
	offset time.Duration // of the wall clock from the monotonic one
	known  bool
	steps  uint64
}

// stepped reports whether the wall clock was set since the last call; wall is in
// nanoseconds since 1970.
func (w *wallClock) stepped(now time.Duration, wall int64) bool {
	offset := time.Duration(wall) - now
	jump := offset - w.offset
	first := !w.known
	w.offset, w.known = offset, true
	if first || jump.Abs() < clockStep {
		return false
	}
	w.steps++
	return true
}
