// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"sqmd/lab/payload"
)

// keepVariable tells the guest's init program that it is to be the keeper.
const keepVariable = "SQMLAB_KEEP"

// kernelCommand returns the command that runs the kernel. When root may make a PID namespace, a keeper is its first
// process and the kernel's parent: the end of the keeper, even by SIGKILL, is the end of everything in the namespace.
// The kernel cannot be first itself, as it panics by a signal that a namespace's first process is immune to.
func kernelCommand(ctx context.Context, keeper, kernel string, arguments []string) *exec.Cmd {
	if os.Geteuid() != 0 {
		command := exec.CommandContext(ctx, kernel, arguments...)
		command.SysProcAttr = &syscall.SysProcAttr{}
		return command
	}
	command := exec.CommandContext(ctx, keeper, append([]string{kernel}, arguments...)...)
	command.Env = append(os.Environ(), keepVariable+"=1")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	return command
}

// keep runs a kernel with the descriptors 0 to 4 that the keeper got, and returns its exit code.
func keep(kernel []string) int {
	os.Unsetenv(keepVariable)
	var files []*os.File
	for descriptor := uintptr(0); descriptor <= 4; descriptor++ {
		files = append(files, os.NewFile(descriptor, fmt.Sprintf("descriptor %d", descriptor)))
	}
	process, err := os.StartProcess(kernel[0], kernel, &os.ProcAttr{Env: os.Environ(), Files: files})
	for _, file := range files[3:] {
		file.Close()
	}
	if err == nil {
		var code int
		if code, err = payload.Wait(process.Pid); err == nil {
			return code
		}
	}
	fmt.Fprintf(os.Stderr, "guest keeper: %v\n", err)
	return 1
}
