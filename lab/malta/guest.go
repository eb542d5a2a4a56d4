// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sqmd/lab/kernels"
)

// Endian is the byte order of a guest.
type Endian string

// The byte orders, named as Debian, the kernel and scripts/lab-kernel abbreviate them.
const (
	Little Endian = kernels.MaltaLittle
	Big    Endian = kernels.MaltaBig
)

// GoArch returns the GOARCH of the byte order. The core has no floating point unit: GOMIPS is always softfloat.
func (e Endian) GoArch() string {
	if e == Big {
		return "mips"
	}
	return "mipsle"
}

// Name returns the byte order in words.
func (e Endian) Name() string {
	if e == Big {
		return "big-endian"
	}
	return "little-endian"
}

// Guest describes one virtual machine and the command it runs. The zero value of every field but Endian and Command is
// usable.
type Guest struct {
	Endian Endian
	// Command is run as root. Its name is looked up in the guest's PATH, which begins with /usr/sbin.
	Command []string
	// Env adds NAME=VALUE settings to the small environment that the guest starts with.
	Env []string
	// Dir is the command's working directory in the guest; / by default.
	Dir string
	// Files are put into the guest's root file system, which is in memory: the guest may change and remove them, and what
	// they take of its 128 MB is gone. They replace what the guest has of the same name.
	Files []File
	// Shares are directories of the host that the guest can read, by the paths where it finds them. What is large, or
	// needed for a moment only, takes no memory of the guest there.
	Shares map[string]string
	// OutDir is a directory of the host that the guest can write to, as /out. It is made if missing.
	OutDir string
	// Timeout bounds boot and command together; ten minutes by default.
	Timeout time.Duration
	// Stdout and Stderr receive the command's output as it is written; nil discards it.
	Stdout, Stderr io.Writer
	// KernelArguments are appended to the kernel's command line.
	KernelArguments []string
	// InstructionNs is how long an instruction takes in the guest, a power of two in nanoseconds; 8 by default. An Archer
	// C7's 720 MHz do about one in 4 ns, when caches are often missed. The less, the more work a second is for the host.
	InstructionNs int
	// Again is called before all is done once more, twice at most, because QEMU hung, as QEMU 7.2 rarely does for no fault
	// of the guest's: for the caller to forget what it has of the output. nil is for no second time.
	Again func()
	// Bare leaves out ip, tc, busybox and their libraries: Files have to bring what is needed.
	Bare bool
}

// Out is where a guest finds [Guest.OutDir].
const Out = "/out"

// Result says how the command ended.
type Result struct {
	// ExitCode is the command's; 128 plus the signal's number if a signal ended it, 127 if it could not be started.
	ExitCode int
	// Boot is the time from QEMU's start to the command's.
	Boot time.Duration
	// Elapsed is the time from QEMU's start to the command's end.
	Elapsed time.Duration
	// Console is what the kernel said.
	Console string
}

// Run boots a guest, runs its command and ends the guest. An error means that the guest or the lab failed, not the
// command: it could not be started, did not finish in time, or its kernel was in trouble. It then holds the end of the
// guest's console. Guests may run at the same time.
func Run(ctx context.Context, g Guest) (Result, error) {
	if len(g.Command) == 0 {
		return Result{}, errors.New("start malta guest: no command")
	}
	if g.Timeout == 0 {
		g.Timeout = 10 * time.Minute
	}
	if g.InstructionNs == 0 {
		g.InstructionNs = 8
	}
	system, err := kernels.Find(string(g.Endian))
	if err != nil {
		return Result{}, err
	}
	work, err := os.MkdirTemp("", "malta-")
	if err != nil {
		return Result{}, fmt.Errorf("make directory for a guest: %w", err)
	}
	defer os.RemoveAll(work)
	if err := g.prepare(ctx, system, work); err != nil {
		return Result{}, fmt.Errorf("prepare malta guest: %w", err)
	}
	result, err := g.once(ctx, system, work)
	for range 2 {
		if g.Again == nil || !errors.Is(err, errSilent) {
			break
		}
		g.Again()
		result, err = g.once(ctx, system, work)
	}
	return result, err
}

// once boots, in the time that there is, and looks at what the kernel said.
func (g *Guest) once(ctx context.Context, system, work string) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.Timeout, fmt.Errorf("did not finish within %v", g.Timeout))
	defer cancel()
	result, err := g.boot(ctx, system, work)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	console, consoleErr := os.ReadFile(filepath.Join(work, consoleFile))
	if consoleErr == nil {
		result.Console = string(console)
	}
	if err == nil {
		err = kernelTrouble(result.Console)
	}
	if err != nil {
		return result, fmt.Errorf("malta guest: %w%s", err, consoleEnd(result.Console))
	}
	return result, nil
}
