// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Plan says how much to measure.
type Plan struct {
	Program string        // sqmd, in the guest
	Runs    int           // of each command
	Idle    time.Duration // how long the idle daemon is watched
	Busy    time.Duration // how long it gets events; 0 for none
	Log     io.Writer     // progress
}

// configFile is where sqmd looks for its configuration.
const configFile = "/etc/config/sqm"

// settle is how long the daemon gets to come to rest.
const settle = 10 * time.Second

// Measure makes two lines, and shapes them with sqmd in the ways that Running names. It changes the network and the
// configuration of the machine that it runs on, which must be a guest.
func Measure(p Plan) (Running, error) {
	var r Running
	if err := r.machine(); err != nil {
		return r, err
	}
	if err := prepare(); err != nil {
		return r, err
	}
	if err := p.commands(&r); err != nil {
		return r, err
	}
	return r, p.daemon(&r)
}

func (r *Running) machine() error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	r.Kernel = unix.ByteSliceToString(name.Release[:]) + " " + unix.ByteSliceToString(name.Machine[:])
	var err error
	r.MemoryKB, err = field("/proc/meminfo", "MemTotal")
	return err
}

func prepare() error {
	for _, directory := range []string{filepath.Dir(configFile), "/var/run", "/tmp/run"} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return err
		}
	}
	for _, l := range lines {
		if err := l.add(); err != nil {
			return fmt.Errorf("make %s: %w", l.name, err)
		}
	}
	return configure(0)
}

// commands times single runs.
func (p Plan) commands(r *Running) error {
	for range p.Runs {
		for _, step := range []struct {
			argument string
			times    *Times
		}{{"--version", &r.Start}, {"stop", nil}, {"apply", &r.Shape}, {"apply", &r.Same}} {
			took, err := p.run(step.argument)
			if err != nil {
				return err
			}
			if step.times != nil {
				*step.times = append(*step.times, took)
			}
		}
	}
	fmt.Fprintf(p.Log, "start %v, shape %v, nothing to do %v\n", r.Start.Best(), r.Shape.Best(), r.Same.Best())
	_, err := p.run("stop")
	return err
}

func (p Plan) run(argument string) (time.Duration, error) {
	command := exec.Command(p.Program, argument)
	started := time.Now()
	output, err := command.CombinedOutput()
	took := time.Since(started)
	if err != nil {
		return 0, fmt.Errorf("sqmd %s: %w: %s", argument, err, output)
	}
	return took, nil
}

// daemon measures the daemon at rest, gives it events, and measures it again.
func (p Plan) daemon(r *Running) error {
	command := exec.Command(p.Program, "run")
	command.Stderr = p.Log
	if err := command.Start(); err != nil {
		return err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	pid := command.Process.Pid
	time.Sleep(settle)
	if err := allShaped(); err != nil {
		return err
	}
	var err error
	if r.IdleCPU, err = idle(pid, p.Idle); err != nil {
		return err
	}
	r.IdleFor = p.Idle
	if r.Idle, err = memoryOf(pid); err != nil {
		return err
	}
	fmt.Fprintf(p.Log, "idle %+v, %v CPU time in %v\n", r.Idle, r.IdleCPU, r.IdleFor)
	if p.Busy == 0 {
		return nil
	}
	if r.Events, err = disturb(pid, p.Busy, p.Log); err != nil {
		return err
	}
	r.Busy = p.Busy
	time.Sleep(settle)
	if err := allShaped(); err != nil {
		return fmt.Errorf("after %d events: %w", r.Events, err)
	}
	r.After, err = memoryOf(pid)
	fmt.Fprintf(p.Log, "after %d events %+v\n", r.Events, r.After)
	return err
}

// idle returns the CPU time that a process takes while nothing happens.
func idle(pid int, d time.Duration) (time.Duration, error) {
	before, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	time.Sleep(d)
	after, err := cpuTime(pid)
	return after - before, err
}
