// SPDX-License-Identifier: GPL-2.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"sqmd/lab/malta/wire"
)

// mountSystem mounts what programs expect of a running system.
func mountSystem() error {
	for _, m := range []struct{ kind, target, data string }{
		{"proc", "/proc", ""},
		{"sysfs", "/sys", ""},
		{"devtmpfs", "/dev", "mode=0755"},
		{"devpts", "/dev/pts", "ptmxmode=0666"},
		{"tmpfs", "/tmp", "mode=1777"},
		{"tmpfs", "/run", "mode=0755"},
	} {
		if err := mount(m.kind, m.target, m.kind, 0, m.data); err != nil {
			return err
		}
	}
	for name, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		if err := os.Symlink("/proc/self/fd"+target, "/dev/"+name); err != nil {
			return fmt.Errorf("link standard devices: %w", err)
		}
	}
	return unix.Sethostname([]byte("lab"))
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", kind, target, err)
	}
	return nil
}

// mountShare mounts a directory of the host. What does not change may be cached; what is written has to be there at once.
// With set-user-id bits allowed the kernel would ask for capabilities when a program starts, and QEMU answers that its
// host has none with the number of another error: MIPS numbers those above 34 in its own way.
func mountShare(s wire.Share) error {
	const options = "trans=virtio,version=9p2000.L,msize=262144,cache="
	if s.Writable {
		return mount(s.Tag, s.Path, "9p", unix.MS_NOSUID, options+"none")
	}
	return mount(s.Tag, s.Path, "9p", unix.MS_RDONLY|unix.MS_NOSUID, options+"loose")
}

// loadModules loads modules, each after those that it needs, and gives their files' memory back.
func loadModules(names []string) error {
	for _, name := range names {
		file, err := os.Open(filepath.Join(wire.ModulesDir, name))
		if err != nil {
			return fmt.Errorf("load module: %w", err)
		}
		err = unix.FinitModule(int(file.Fd()), "", 0)
		file.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load module %s: %w", name, err)
		}
	}
	return os.RemoveAll(wire.ModulesDir)
}

// openPort opens the virtio serial port of that name.
func openPort(name string) (*os.File, error) {
	const class = "/sys/class/virtio-ports"
	entries, err := os.ReadDir(class)
	if err != nil {
		return nil, fmt.Errorf("find serial port: %w", err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(class, entry.Name(), "name"))
		if err == nil && strings.TrimSpace(string(text)) == name {
			return os.OpenFile("/dev/"+entry.Name(), os.O_RDWR, 0)
		}
	}
	return nil, fmt.Errorf("no serial port %s", name)
}

// installBusybox gives the names of all its programs to busybox, where nothing else has them.
func installBusybox() error {
	const busybox = "/bin/busybox"
	if _, err := os.Stat(busybox); err != nil {
		return nil // a guest without
	}
	for _, directory := range []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin"} {
		if err := os.MkdirAll(directory, 0o755); err != nil {
			return err
		}
	}
	// It complains of names that are taken.
	_ = exec.Command(busybox, "--install", "-s").Run()
	if _, err := os.Stat("/bin/sh"); err != nil {
		return fmt.Errorf("install busybox: %w", err)
	}
	return nil
}

// loopbackUp brings up what a booted machine has before anybody configures its network.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("bring loopback up: %w", err)
	}
	return nil
}
