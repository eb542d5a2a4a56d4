// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Guest describes one virtual machine and the command it runs. The zero value of every field but Command is usable.
type Guest struct {
	// Command is run as root. Its name is looked up in the guest's PATH.
	Command []string
	// Env adds NAME=VALUE settings to the small environment that the guest starts with.
	Env []string
	// Dir is the command's working directory; the host's current one by default.
	Dir string
	// OutDir is a directory of the host that the guest may write to, at the same path. It is made if missing.
	// When empty the guest can leave nothing behind.
	OutDir string
	// Memory is the guest's RAM as the kernel's mem= takes it; 512M by default.
	Memory string
	// Timeout bounds boot and command together, in the host's time; ten minutes by default.
	Timeout time.Duration
	// Stdin is what the command reads, such as the end of a pipe; nil for nothing. It stays the caller's to close.
	Stdin *os.File
	// Stdout and Stderr receive the command's output as it is written; nil discards it.
	Stdout, Stderr io.Writer
	// Terminal, if not nil, becomes the command's controlling terminal in place of Stdin, Stdout and Stderr.
	Terminal *os.File
	// RealTime lets the guest's clocks go with the host's, for a guest that something outside takes part in. Otherwise time
	// is virtual: while nothing in the guest can run, its clocks jump to the next timer, and while something runs they
	// stand still. What is measured then does not depend on the machine, and whoever waits without sleeping waits for ever.
	RealTime bool
	// Init is the program that calls [Init], statically linked; this executable by default.
	Init string
	// KernelArguments are appended to the kernel's command line.
	KernelArguments []string
}

// Result says how the command ended.
type Result struct {
	// ExitCode is the command's; 128 plus the signal's number if a signal ended it, 127 if it could not be started.
	ExitCode int
	// Elapsed is the host's time from the kernel's start to the guest's end.
	Elapsed time.Duration
}

// Run boots a guest, runs its command and powers it off. An error means that the guest or the lab failed, not the
// command; it holds the end of the guest's console and the path of all of it. Guests may run at the same time. Each is
// pinned to one core: a user-mode Linux guest takes turns between processes, and turns between cores cost twice as much.
func Run(ctx context.Context, g Guest) (Result, error) {
	kernel, err := findKernel()
	if err != nil {
		return Result{}, err
	}
	s, err := g.prepare()
	if err != nil {
		return Result{}, err
	}
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, g.Timeout)
	defer cancel()
	ended := g.runKernel(ctx, kernel, s)
	result := Result{Elapsed: time.Since(started)}
	result.ExitCode, err = s.readExit()
	if err == nil {
		return result, os.RemoveAll(s.Control)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		ended = fmt.Errorf("guest did not finish within %v", g.Timeout)
	case ctx.Err() != nil:
		os.RemoveAll(s.Control)
		return result, fmt.Errorf("guest stopped: %w", ctx.Err())
	case ended == nil:
		ended = errors.New("guest powered off before its command ended")
	default:
		ended = fmt.Errorf("guest failed: %w", ended)
	}
	return result, consoleError(ended, filepath.Join(s.Control, consoleFile))
}

// prepare fills in the defaults and writes what the guest needs to know to a fresh control directory.
func (g *Guest) prepare() (*spec, error) {
	if len(g.Command) == 0 {
		return nil, errors.New("start guest: no command")
	}
	var err error
	if g.Init == "" {
		if g.Init, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find the guest's init: %w", err)
		}
	}
	if g.Dir == "" {
		if g.Dir, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("find working directory: %w", err)
		}
	}
	if g.Memory == "" {
		g.Memory = "512M"
	}
	if g.Timeout == 0 {
		g.Timeout = 10 * time.Minute
	}
	s := &spec{Command: g.Command, Env: g.Env, Dir: g.Dir, Input: g.Stdin != nil, RealTime: g.RealTime}
	if g.OutDir != "" {
		if s.Out, err = filepath.Abs(g.OutDir); err != nil {
			return nil, fmt.Errorf("find output directory: %w", err)
		}
		if err := os.MkdirAll(s.Out, 0o755); err != nil {
			return nil, fmt.Errorf("make output directory: %w", err)
		}
	}
	if g.Terminal != nil {
		s.Terminal = true
		if size, err := unix.IoctlGetWinsize(int(g.Terminal.Fd()), unix.TIOCGWINSZ); err == nil {
			s.Rows, s.Columns = size.Row, size.Col
		}
	}
	if s.Control, err = os.MkdirTemp(s.Out, "guest-"); err != nil {
		return nil, fmt.Errorf("make guest's control directory: %w", err)
	}
	return s, nil
}

// runKernel runs the guest from boot to power off and forwards its command's output.
func (g *Guest) runKernel(ctx context.Context, kernel string, s *spec) error {
	specPath, err := s.write()
	if err != nil {
		return err
	}
	console, err := os.Create(filepath.Join(s.Control, consoleFile))
	if err != nil {
		return fmt.Errorf("make console log: %w", err)
	}
	defer console.Close()
	command := kernelCommand(ctx, g.Init, kernel, g.kernelArguments(s, specPath))
	command.Stdout, command.Stderr = console, console
	// The kernel forks helpers and one process per address space: only its process group names them all.
	command.SysProcAttr.Setpgid = true
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	killGroup := func() error { return unix.Kill(-command.Process.Pid, unix.SIGKILL) }
	command.Cancel = killGroup

	wait, err := g.connect(command)
	if err != nil {
		return err
	}
	core := claimCore()
	defer core.release()
	finished := make(chan error)
	go func() {
		// Affinity is inherited from the thread, and Pdeathsig fires at the thread's end, so it lives as long as the
		// guest; staying locked, it ends with this function.
		runtime.LockOSThread()
		core.pinThread()
		err := command.Start()
		for _, file := range command.ExtraFiles {
			if file != g.Terminal {
				file.Close()
			}
		}
		if err == nil {
			err = command.Wait()
			killGroup() // helpers that outlived a crashed kernel
		}
		finished <- err
	}()
	err = <-finished
	wait()
	return err
}

// connect gives the guest its serial lines: the terminal, or two pipes whose other ends are copied to the writers. The
// returned function waits for the last output.
func (g *Guest) connect(command *exec.Cmd) (wait func(), err error) {
	if g.Terminal != nil {
		return g.connectTerminal(command)
	}
	if g.Stdin != nil {
		command.Stdin = g.Stdin
	}
	var copying sync.WaitGroup
	for _, to := range []io.Writer{g.Stdout, g.Stderr} {
		if to == nil {
			to = io.Discard
		}
		reader, writer, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("make pipe for the guest's output: %w", err)
		}
		command.ExtraFiles = append(command.ExtraFiles, writer)
		copying.Add(1)
		go func() {
			defer copying.Done()
			defer reader.Close()
			io.Copy(to, reader)
		}()
	}
	return copying.Wait, nil
}

// connectTerminal hands the terminal to the guest's process group and takes it back, in the state it was in, when the
// guest is gone.
func (g *Guest) connectTerminal(command *exec.Cmd) (wait func(), err error) {
	terminal := int(g.Terminal.Fd())
	settings, err := unix.IoctlGetTermios(terminal, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read terminal settings: %w", err)
	}
	command.ExtraFiles = []*os.File{g.Terminal, g.Terminal}
	command.SysProcAttr.Foreground = true
	command.SysProcAttr.Ctty = terminal
	return func() { reclaimTerminal(terminal, settings) }, nil
}
