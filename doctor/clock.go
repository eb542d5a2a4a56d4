// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"errors"
	"fmt"
	"time"
)

// bootSteps is how often the wall clock jumps on a healthy router without a
// battery: once, when the time servers are first reached.
const bootSteps = 1

func (x *examination) clock() {
	if x.ClockFault != nil {
		x.find(clockBroken, "the program's clock is broken: nothing that waits or measures works", x.ClockFault.Error(),
			"use a kernel with CONFIG_COMPAT_32BIT_TIME; the OpenWrt releases have it")
	}
	if x.ClockSteps > bootSteps {
		x.find(clockSteps, "the wall clock has jumped; shaping does not use it, but times in logs and charts are off",
			count(x.ClockSteps, "time")+" since the daemon started", "check the time servers in /etc/config/system")
	}
}

const (
	// clockReadings is how often the clock is read at most. So many take longer
	// than a tick of the coarsest kernel clock (10 ms) on any processor.
	clockReadings = 1 << 20
	// clockPause is the longest that two readings in a row may be apart on a busy
	// machine.
	clockPause = 10 * time.Second
)

// CheckClock reports what is wrong with the program's clock. Go's runtime for
// 32-bit MIPS reads it with a system call that kernels without
// CONFIG_COMPAT_32BIT_TIME do not have, and does not notice. A sound clock takes
// microseconds to check.
func CheckClock() error {
	start := time.Now()
	return judgeClock(func() time.Duration { return time.Since(start) })
}

// judgeClock reads a clock until it has moved a few times.
func judgeClock(read func() time.Duration) error {
	const moves = 8
	last := read()
	if last.Abs() > clockPause {
		return fmt.Errorf("the clock jumped by %v between two readings", last)
	}
	for moved, n := 0, 0; moved < moves; n++ {
		if n == clockReadings {
			return errors.New("the clock stands still")
		}
		now := read()
		if step := now - last; step < 0 || step > clockPause {
			return fmt.Errorf("the clock jumped by %v between two readings", step)
		} else if step > 0 {
			moved++
		}
		last = now
	}
	return nil
}
