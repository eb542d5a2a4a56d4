// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import "time"

// When repairs become a conflict, and for how long a direction is then left to
// the other program: each time twice as long, until an hour has gone without.
const (
	conflictRepairs = 3
	conflictWindow  = time.Minute
	holdFirst       = time.Minute
	holdLast        = 30 * time.Minute
	holdForgotten   = time.Hour
)

// conflict keeps sqmd from fighting over a direction: after the third repair in a
// minute, the next disturbance is not mended.
type conflict struct {
	recent [conflictRepairs]time.Duration // times of the last repairs, the oldest first
	n      int                            // how many of them there are
	until  time.Duration                  // the end of the hold, 0 without one
	hold   time.Duration                  // the length of the last hold
	lasted time.Duration                  // when the last hold ended
	by     string                         // what the other program did
}

// repaired notes a repair and reports whether it was one too many.
func (c *conflict) repaired(now time.Duration) bool {
	if c.n == conflictRepairs {
		copy(c.recent[:], c.recent[1:])
		c.n--
	}
	c.recent[c.n] = now
	c.n++
	return c.armed(now)
}

// armed reports whether a further disturbance is a conflict.
func (c *conflict) armed(now time.Duration) bool {
	return c.n == conflictRepairs && now-c.recent[0] < conflictWindow
}

// begin leaves the direction to the other program for a while.
func (c *conflict) begin(now time.Duration, by string) {
	if now-c.lasted > holdForgotten {
		c.hold = 0
	}
	c.hold = min(max(2*c.hold, holdFirst), holdLast)
	c.until, c.by, c.n = now+c.hold, by, 0
}

func (c *conflict) held(now time.Duration) bool { return now < c.until }

// ended reports whether a hold is over whose end was not yet noted.
func (c *conflict) ended(now time.Duration) bool { return c.until != 0 && now >= c.until }

// release notes the end of a hold.
func (c *conflict) release() { c.lasted, c.until = c.until, 0 }
