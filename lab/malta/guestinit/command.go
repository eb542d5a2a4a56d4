// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"sqmd/lab/malta/wire"
)

// runCommand runs the command with its output going to the host, and ends with it whatever it left running.
func runCommand(spec *wire.Spec, host *wire.Sender) (exitCode int, err error) {
	files := []*os.File{nil, nil, nil}
	if files[0], err = os.Open(os.DevNull); err != nil {
		return 0, err
	}
	var forwarding sync.WaitGroup
	for i, kind := range map[int]wire.Kind{1: wire.Stdout, 2: wire.Stderr} {
		var output *os.File
		if output, files[i], err = os.Pipe(); err != nil {
			return 0, fmt.Errorf("make pipe for the command's output: %w", err)
		}
		forwarding.Add(1)
		go func() {
			defer forwarding.Done()
			forward(host, kind, output)
		}()
	}
	exitCode, err = runWith(spec, files)
	for _, file := range files {
		file.Close()
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	forwarding.Wait()
	return exitCode, err
}

// runWith runs the command with the given standard files.
func runWith(spec *wire.Spec, files []*os.File) (exitCode int, err error) {
	path, err := exec.LookPath(spec.Command[0])
	if err != nil {
		fmt.Fprintln(files[2], err)
		return 127, nil
	}
	process, err := os.StartProcess(path, spec.Command, &os.ProcAttr{
		Dir:   spec.Dir,
		Env:   append([]string{"PATH=" + guestPath, "HOME=/root", "LANG=C", "USER=root"}, spec.Env...),
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		fmt.Fprintln(files[2], err)
		return 127, nil
	}
	return reap(process.Pid)
}

// reap waits for the process and meanwhile, as the first process must, for whatever else ends. It returns the exit code
// as a shell would: 128 plus its number if a signal ended the process.
func reap(process int) (exitCode int, err error) {
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
