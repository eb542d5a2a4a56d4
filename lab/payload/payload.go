// SPDX-License-Identifier: GPL-2.0-or-later

// Package payload runs the one command that a guest is booted for. It is for the guest's first process.
package payload

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// notStarted is a shell's exit code for a command that could not be started.
const notStarted = 127

// Environment is what every command has besides what its user sets: path is where its programs are looked for.
func Environment(path string) []string {
	return []string{"PATH=" + path, "HOME=/root", "LANG=C", "USER=root"}
}

// Run runs the command as a session of its own, whose standard files are files and whose terminal the first of them
// becomes if terminal is set. Meanwhile it waits for whatever else ends, as the first process must. The exit code is as
// a shell would give it: 128 plus its number if a signal ended the command, 127 if it could not be started, of which its
// standard error tells.
func Run(command []string, dir string, environment []string, files [3]*os.File, terminal bool) (exitCode int, err error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		fmt.Fprintln(files[2], err)
		return notStarted, nil
	}
	process, err := os.StartProcess(path, command, &os.ProcAttr{
		Dir:   dir,
		Env:   environment,
		Files: files[:],
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: terminal},
	})
	if err != nil {
		fmt.Fprintln(files[2], err)
		return notStarted, nil
	}
	return Wait(process.Pid)
}

// Wait waits for the process, and meanwhile for whatever else ends. The exit code is that of [Run].
func Wait(process int) (exitCode int, err error) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, fmt.Errorf("wait for process %d: %w", process, err)
		case pid == process && status.Signaled():
			return 128 + int(status.Signal()), nil
		case pid == process && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}
