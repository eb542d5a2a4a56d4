// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mount is one line of a mount table.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func (m mount) do() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("mount %s on %s: %w", m.kind, m.target, err)
	}
	return nil
}

// prepareRoot turns the read-only view of the host into a root file system that can be written to: an overlay whose
// upper layer is the guest's memory. The host's directories for results are mounted over it.
func prepareRoot(specPath string) (*spec, error) {
	if err := overlayRoot(); err != nil {
		return nil, err
	}
	mounts := []mount{
		{"proc", "/proc", "proc", 0, ""},
		{"sysfs", "/sys", "sysfs", 0, ""},
		{"devtmpfs", "/dev", "devtmpfs", 0, "mode=0755"},
		{"devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666"},
		{"tmpfs", "/dev/shm", "tmpfs", 0, ""},
		{"tmpfs", "/run", "tmpfs", 0, "mode=0755"},
		{"tmpfs", "/run/netns", "tmpfs", 0, "mode=0755"},
	}
	s, err := readSpec(specPath)
	if err != nil {
		return nil, err
	}
	for _, directory := range []string{s.Out, s.Control} {
		if directory != "" {
			mounts = append(mounts, mount{"none", directory, "hostfs", 0, directory})
		}
	}
	for _, m := range mounts {
		if err := m.do(); err != nil {
			return nil, err
		}
	}
	for name, target := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		if err := os.Symlink("/proc/self/fd"+target, "/dev/"+name); err != nil {
			return nil, fmt.Errorf("link standard devices: %w", err)
		}
	}
	return s, unix.Sethostname([]byte("lab"))
}

// overlayRoot replaces the root by an overlay over it. pivot_root also moves the kernel's own threads.
func overlayRoot() error {
	const scratch = "/tmp"
	upper, work, root := scratch+"/upper", scratch+"/work", scratch+"/root"
	if err := (mount{"tmpfs", scratch, "tmpfs", 0, ""}).do(); err != nil {
		return err
	}
	for _, directory := range []string{upper, work} {
		if err := os.Mkdir(directory, 0o755); err != nil {
			return err
		}
	}
	layers := fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", upper, work)
	if err := (mount{"overlay", root, "overlay", 0, layers}).do(); err != nil {
		return err
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change root to the overlay: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	return os.Chdir("/")
}
