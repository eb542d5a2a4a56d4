// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"context"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// alarm is the loop's clock-work: a timer of the kernel, timerfd_create(2).
//
// One of the runtime would be simpler, but the runtime's own watchdog thread,
// sysmon, sleeps no longer than until the next of those, and wakes at every system
// call that the scheduler is told of: several wakes each second where one will do.
// Therefore what is done each second keeps to RawSyscall, which it is not told of,
// for calls that do not wait. See TestIdle in cmd/sqmd.
type alarm struct {
	timer *os.File
	rings chan struct{}
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a timer: %w", err)
	}
	return &alarm{timer: os.NewFile(uintptr(fd), "timer"), rings: make(chan struct{}, 1)}, nil
}

// set has the alarm ring once after d, and at no other time.
func (a *alarm) set(d time.Duration) error {
	raw, err := a.timer.SyscallConn()
	if err != nil {
		return err
	}
	closed := raw.Control(func(fd uintptr) {
		once := unix.ItimerSpec{Value: unix.NsecToTimespec(max(d, 1).Nanoseconds())} // 0 would stop it
		err = unix.TimerfdSettime(int(fd), 0, &once, nil)
	})
	if closed != nil {
		return closed
	}
	return err
}

// run rings until ctx ends.
func (a *alarm) run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { a.timer.Close() })
	defer stop()
	raw, err := a.timer.SyscallConn()
	for err == nil {
		if err = raw.Read(expired); err == nil {
			select {
			case a.rings <- struct{}{}:
			default:
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("wait for the timer: %w", err)
}

// expired reports whether a timer has rung since the last call, or since it was
// set.
func expired(fd uintptr) bool {
	var times uint64
	n, _, _ := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&times)), unsafe.Sizeof(times))
	return n == unsafe.Sizeof(times)
}
