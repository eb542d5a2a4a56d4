// SPDX-License-Identifier: GPL-2.0-or-later

package openwrt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Isolate gives the calling thread a mount namespace of its own. The caller locks the goroutine to its thread before,
// for good, and calls the methods of the roots in it from that goroutine only.
func Isolate() error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("new mount namespace: %w", err)
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to oneself: %w", err)
	}
	return nil
}

// searchPath is where programs are looked for in a root.
const searchPath = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

// Command is a command to be run in the root, by whatever means of package exec.
func (r *Root) Command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	if !strings.Contains(args[0], "/") {
		// exec has looked outside.
		command.Path, command.Err = "/bin/"+args[0], nil
	}
	command.Dir = "/"
	command.Env = []string{searchPath, "HOME=/root", "USER=root"}
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir, Setsid: true}
	// What it leaves behind may keep its output open.
	command.WaitDelay = time.Second
	return command
}

// Output is how a command ended.
type Output struct {
	Code int
	// Text is what it wrote to standard output and error.
	Text string
	Took time.Duration
}

// Run runs a command in the root. An error means that it could not be run, or was killed.
func (r *Root) Run(ctx context.Context, args ...string) (Output, error) {
	command := r.Command(ctx, args...)
	started := time.Now()
	text, err := command.CombinedOutput()
	output := Output{Text: string(text), Took: time.Since(started)}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.Exited():
		output.Code = ended.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return output, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return output, nil
}

// mount mounts what every system has. What was in the memory of the last one is gone.
func (r *Root) mount() error {
	for _, m := range []struct {
		kind, at, data string
	}{{"proc", "/proc", ""}, {"sysfs", "/sys", ""}, {"tmpfs", "/tmp", "mode=1777"}, {"tmpfs", "/dev", "mode=755"}} {
		at := filepath.Join(r.dir, m.at)
		if err := unix.Mount(m.kind, at, m.kind, 0, m.data); err != nil {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
		r.mounted = append(r.mounted, at)
	}
	for name, number := range map[string]uint32{"null": 3, "zero": 5, "random": 8, "urandom": 9} {
		path := filepath.Join(r.dir, "dev", name)
		if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, number))); err != nil {
			return fmt.Errorf("make /dev/%s: %w", name, err)
		}
		if err := os.Chmod(path, 0o666); err != nil {
			return err
		}
	}
	for _, name := range []string{"/var/run", "/var/lock", "/var/log", "/tmp/.uci", "/dev/shm"} {
		if err := os.MkdirAll(r.Path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Boot starts the system: enabled services are running when it returns.
func (r *Root) Boot(ctx context.Context) error {
	if r.procd != nil {
		return errors.New("boot: the system is up")
	}
	if err := r.mount(); err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	// The system outlives the context.
	r.procd = r.Command(context.WithoutCancel(ctx), "procd", "-boot")
	output := &strings.Builder{}
	r.procd.Stdout, r.procd.Stderr = output, output
	if err := r.procd.Start(); err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	ended := make(chan error, 1)
	go func(procd *exec.Cmd) { ended <- procd.Wait() }(r.procd)
	for !r.Exists(Ready) {
		select {
		case err := <-ended:
			return fmt.Errorf("boot: procd ended: %w: %s", errors.Join(err), output)
		case <-ctx.Done():
			return fmt.Errorf("boot: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// Shutdown ends the system: services are stopped, whoever is left is killed, and what was in memory is lost.
func (r *Root) Shutdown() error {
	if r.procd == nil {
		return nil
	}
	err := r.procd.Process.Signal(syscall.SIGTERM)
	for end := time.Now().Add(shutdownPatience); r.alive(r.procd.Process.Pid) && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	r.procd = nil
	for _, p := range r.Processes() {
		_ = unix.Kill(p.PID, unix.SIGKILL)
	}
	for i := len(r.mounted) - 1; i >= 0; i-- {
		err = errors.Join(err, unix.Unmount(r.mounted[i], unix.MNT_DETACH))
	}
	r.mounted = nil
	return err
}

// shutdownPatience is how long services may take to end.
const shutdownPatience = 20 * time.Second

func (r *Root) alive(pid int) bool {
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/root", pid))
	return err == nil && target == r.dir
}

// Process is a process of the system.
type Process struct {
	PID int
	// Command is its command line, the words parted by blanks.
	Command string
}

// Processes are all that run in the root.
func (r *Root) Processes() (all []Process) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !r.alive(pid) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		all = append(all, Process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
	}
	return all
}
