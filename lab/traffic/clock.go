// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// clock tells times since one moment by two clocks: packets are sent by CLOCK_MONOTONIC and stamped by CLOCK_REALTIME.
// Both values are of that moment, in ns.
type clock struct {
	monotonic, realtime int64
}

// readings is how often both clocks are read to find a pair that nothing came between.
const readings = 5

func newClock() (clock, error) {
	var best clock
	shortest := int64(-1)
	for range readings {
		before, err := readClock(unix.CLOCK_MONOTONIC)
		if err != nil {
			return clock{}, err
		}
		realtime, err := readClock(unix.CLOCK_REALTIME)
		if err != nil {
			return clock{}, err
		}
		after, err := readClock(unix.CLOCK_MONOTONIC)
		if err != nil {
			return clock{}, err
		}
		if took := after - before; shortest < 0 || took < shortest {
			shortest = took
			best = clock{monotonic: before + took/2, realtime: realtime}
		}
	}
	return best, nil
}

func readClock(id int32) (int64, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		return 0, fmt.Errorf("read clock: %w", err)
	}
	return now.Nano(), nil
}

// now returns the time since the clock's moment.
func (c clock) now() (time.Duration, error) {
	now, err := readClock(unix.CLOCK_MONOTONIC)
	return time.Duration(now - c.monotonic), err
}

// stamped returns when, since the clock's moment, something was stamped.
func (c clock) stamped(realtime int64) time.Duration {
	return time.Duration(realtime - c.realtime)
}
