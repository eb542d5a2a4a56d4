// SPDX-License-Identifier: GPL-2.0-or-later

package procd

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// instance is one process of a service, and what is to become of it. All of it needs the supervisor's lock.
type instance struct {
	name string
	of   *service
	spec

	process *exec.Cmd // nil while none runs
	started time.Time
	code    int // exit code of the last process; 128 plus the signal's number

	halt    bool // it was asked to end
	restart bool // and is to be started again then
	revive  bool // it may be respawned
	crashes int  // in a row
	timer   *time.Timer
}

// start starts the process, or sees to it that it is started once the present one has ended.
func (in *instance) start() {
	switch {
	case in.failed || len(in.command) == 0:
		in.of.in.Log("daemon.notice", "procd", fmt.Sprintf("Not starting instance %s::%s", in.of.name, in.name))
		return
	case in.process != nil:
		in.restart = in.restart || in.halt
		return
	}
	in.cancelTimer()
	in.halt, in.restart, in.revive = false, false, in.respawn
	words := in.commandLine()
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), in.env...)
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	done := in.log(command)
	if err := command.Start(); err != nil {
		in.of.in.Log("daemon.err", "procd", fmt.Sprintf("start instance %s::%s: %v", in.of.name, in.name, err))
		in.started, in.code = time.Now(), exitNotFound
		done(0)
		in.ended()
		return
	}
	in.process, in.started = command, time.Now()
	in.writePID()
	in.of.in.event("instance.start", map[string]any{"service": in.of.name, "instance": in.name})
	in.of.in.running.Add(1)
	go func() {
		defer in.of.in.running.Done()
		done(command.Process.Pid)
		_ = command.Wait() // the state tells
		in.of.in.mu.Lock()
		defer in.of.in.mu.Unlock()
		in.process, in.code = nil, exitCode(command.ProcessState)
		in.ended()
	}()
}

const exitNotFound = 127

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// log has the output of the command logged, line by line, under its name and process id. The result does it, until the
// output ends.
func (in *instance) log(command *exec.Cmd) (copy func(pid int)) {
	type stream struct {
		from     io.Reader
		priority string
	}
	var streams []stream
	for _, s := range []struct {
		wanted   bool
		to       *io.Writer
		priority string
	}{{in.logOutput, &command.Stdout, "daemon.info"}, {in.logErrors, &command.Stderr, "daemon.err"}} {
		if !s.wanted {
			continue
		}
		from, to, err := os.Pipe()
		if err != nil {
			continue
		}
		*s.to = to
		streams = append(streams, stream{from, s.priority})
	}
	ends := []io.Writer{command.Stdout, command.Stderr}
	name, log := filepath.Base(in.command[0]), in.of.in.Log
	return func(pid int) {
		for _, end := range ends {
			if file, ok := end.(*os.File); ok {
				file.Close() // the process has its own
			}
		}
		for _, s := range streams {
			go func() {
				lines := bufio.NewScanner(s.from)
				for lines.Scan() {
					log(s.priority, fmt.Sprintf("%s[%d]", name, pid), lines.Text())
				}
			}()
		}
	}
}

// ended decides what follows the end of a process.
func (in *instance) ended() {
	in.cancelTimer()
	in.of.in.event("instance.stop", map[string]any{"service": in.of.name, "instance": in.name})
	if in.pidfile != "" {
		os.Remove(in.of.in.Root + in.pidfile)
	}
	switch {
	case in.restart:
		in.start()
	case in.halt:
		in.of.drop(in)
	case in.revive:
		in.respawnLater()
	}
}

func (in *instance) respawnLater() {
	if time.Since(in.started) < in.threshold {
		in.crashes++
	} else {
		in.crashes = 0
	}
	if in.retry > 0 && in.crashes > in.retry {
		in.of.in.Log("daemon.info", "procd", fmt.Sprintf("Instance %s::%s s in a crash loop %d crashes", in.of.name, in.name, in.crashes))
		in.revive, in.halt = false, true
		in.of.in.event("instance.fail", map[string]any{"service": in.of.name, "instance": in.name})
		return
	}
	in.of.in.event("instance.respawn", map[string]any{"service": in.of.name, "instance": in.name})
	in.after(in.pause, in.start)
}

// stop asks the process to end; with it the instance goes.
func (in *instance) stop() {
	if in.process == nil {
		in.cancelTimer()
		in.of.drop(in)
		return
	}
	in.halt, in.restart, in.revive = true, false, false
	in.terminate()
}

// update has the instance run as next.
func (in *instance) update(next spec) {
	changed := in.spec.changed(next)
	restarts := in.process != nil && !in.halt && changed
	signal := in.reloadSignal
	in.spec, in.revive = next, next.respawn
	switch {
	case in.process == nil || in.halt:
		in.crashes = 0
		in.start()
	case restarts && signal != 0:
		_ = in.process.Process.Signal(signal)
	case restarts:
		in.halt, in.restart = true, true
		in.terminate()
	}
}

// terminate sends SIGTERM, and SIGKILL if that does not help.
func (in *instance) terminate() {
	process := in.process.Process
	_ = process.Signal(syscall.SIGTERM)
	in.after(in.termTimeout, func() {
		in.of.in.Log("daemon.info", "procd", fmt.Sprintf("Instance %s::%s pid %d not stopped on SIGTERM, sending SIGKILL instead",
			in.of.name, in.name, process.Pid))
		_ = process.Kill()
	})
}

// after runs f later, in place of what else was to be run.
func (in *instance) after(pause time.Duration, f func()) {
	in.cancelTimer()
	var timer *time.Timer
	timer = time.AfterFunc(pause, func() {
		in.of.in.mu.Lock()
		defer in.of.in.mu.Unlock()
		if in.timer == timer { // else it was too late to cancel it
			f()
		}
	})
	in.timer = timer
}

func (in *instance) cancelTimer() {
	if in.timer != nil {
		in.timer.Stop()
		in.timer = nil
	}
}

func (in *instance) writePID() {
	if in.pidfile != "" {
		text := fmt.Sprintf("%d\n", in.process.Process.Pid)
		_ = os.WriteFile(in.of.in.Root+in.pidfile, []byte(text), 0o644)
	}
}

// table is what the method list says of the instance.
func (in *instance) table() map[string]any {
	t := map[string]any{"running": in.process != nil, "command": in.asked["command"], "term_timeout": int32(in.termTimeout / time.Second)}
	if in.process != nil {
		t["pid"] = int32(in.process.Process.Pid)
	} else {
		t["exit_code"] = int32(in.code)
	}
	if in.respawn {
		t["respawn"] = map[string]any{"threshold": int32(in.threshold / time.Second), "timeout": int32(in.pause / time.Second), "retry": int32(in.retry)}
	}
	for _, name := range []string{"env", "limits", "reload_signal", "pidfile", "user", "group", "jail", "no_new_privs", "capabilities", "seccomp"} {
		if value, given := in.asked[name]; given {
			t[name] = value
		}
	}
	return t
}
