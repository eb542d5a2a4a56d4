// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"sqmd/lab/payload"
)

// guestPath is where programs are looked for in the guest.
const guestPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// IsInit reports whether this process was started by [Run] as PID 1, that is whether its program must call [Init].
func IsInit() bool {
	return os.Getpid() == 1 && (os.Getenv(specVariable) != "" || os.Getenv(keepVariable) != "")
}

// Init never returns. In a guest it prepares the system, runs the payload, reports its exit code to the host and powers
// the guest off; what goes wrong is said on the console. On the host it keeps the processes of a guest together.
func Init() {
	if os.Getenv(keepVariable) != "" {
		os.Exit(keep(os.Args[1:]))
	}
	os.Setenv("PATH", guestPath)
	if err := runInit(); err != nil {
		fmt.Fprintf(os.Stderr, "guest init: %v\n", err)
	}
	unix.Sync()
	err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	fmt.Fprintf(os.Stderr, "guest init: power off: %v\n", err)
	select {}
}

func runInit() error {
	s, err := prepareRoot(os.Getenv(specVariable))
	if err != nil {
		return err
	}
	if err := prepareNetwork(); err != nil {
		return err
	}
	if !s.RealTime {
		if err := takeTurns(); err != nil {
			return err
		}
	}
	code, err := runPayload(s)
	if err != nil {
		return err
	}
	return s.writeExit(code)
}

// takeTurns lets no process interrupt another: each runs until it waits. The kernel waits for other processes in loops that
// leave it to the timer to give them a turn, as when two of them free the same entry of /proc. In virtual time no timer
// fires while something runs, and such a loop would never end.
func takeTurns() error {
	const batch = 3                       // SCHED_BATCH of linux/sched.h, which the payload inherits from this thread
	var priority struct{ priority int32 } // the one that there is
	runtime.LockOSThread()
	if _, _, errno := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, 0, batch, uintptr(unsafe.Pointer(&priority))); errno != 0 {
		return fmt.Errorf("let processes take turns: %w", errno)
	}
	return nil
}

// runPayload runs the command with its output on the serial lines.
func runPayload(s *spec) (exitCode int, err error) {
	lines, err := openLines(s)
	if err != nil {
		return 0, err
	}
	defer lines.drain()
	files := [3]*os.File{lines.stdin, lines.stdout, lines.stderr}
	return payload.Run(s.Command, s.Dir, payloadEnvironment(s), files, s.Terminal)
}

func payloadEnvironment(s *spec) []string {
	env := payload.Environment(guestPath)
	for _, setting := range os.Environ() {
		if strings.HasPrefix(setting, "TERM=") {
			env = append(env, setting)
		}
	}
	return append(env, s.Env...)
}
