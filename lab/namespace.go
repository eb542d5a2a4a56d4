// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Namespace is the name of a network namespace, as ip-netns(8) knows it.
type Namespace string

// Do calls f on a thread of its own that is in the namespace. Sockets that f opens stay in the namespace; goroutines
// that it starts do not begin in it.
func (n Namespace) Do(f func() error) error {
	return onThread(func() error {
		handle, err := netns.GetFromName(string(n))
		if err != nil {
			return fmt.Errorf("open namespace %s: %w", n, err)
		}
		defer handle.Close()
		if err := netns.Set(handle); err != nil {
			return fmt.Errorf("enter namespace %s: %w", n, err)
		}
		return f()
	})
}

// onThread calls f on a thread that may be left in any state: never unlocked, it ends with its goroutine instead of
// going back to the pool.
func onThread(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		result <- f()
	}()
	return <-result
}

func (n Namespace) create() error {
	return onThread(func() error {
		handle, err := netns.NewNamed(string(n))
		if err != nil {
			return fmt.Errorf("make namespace %s: %w", n, err)
		}
		return handle.Close()
	})
}

func (n Namespace) remove() error {
	if err := netns.DeleteNamed(string(n)); err != nil {
		return fmt.Errorf("remove namespace %s: %w", n, err)
	}
	return nil
}

// netlink calls f with a connection to the namespace's part of the kernel.
func (n Namespace) netlink(f func(*netlink.Handle) error) error {
	namespace, err := netns.GetFromName(string(n))
	if err != nil {
		return fmt.Errorf("open namespace %s: %w", n, err)
	}
	defer namespace.Close()
	handle, err := netlink.NewHandleAt(namespace, unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open netlink in %s: %w", n, err)
	}
	defer handle.Close()
	return f(handle)
}

// Command returns a command that will run in the namespace, with a /sys that shows the namespace's devices.
func (n Namespace) Command(name string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", string(n), name}, args...)...)
}

// Run runs a command in the namespace and returns its standard output. The error holds what it said on standard error.
func (n Namespace) Run(name string, args ...string) (string, error) {
	var stderr bytes.Buffer
	command := n.Command(name, args...)
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("run %s %s in %s: %w: %s", name, strings.Join(args, " "), n, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(output), err
}

// Sysctl sets a network setting of the namespace, for example "ipv4/ip_forward".
func (n Namespace) Sysctl(name, value string) error {
	return n.Do(func() error {
		if err := os.WriteFile("/proc/sys/net/"+name, []byte(value), 0); err != nil {
			return fmt.Errorf("set %s in %s: %w", name, n, err)
		}
		return nil
	})
}
