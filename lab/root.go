// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// modulesOf returns where Debian's user-mode-linux package keeps the modules of a kernel release. A kernel without
// modules has no such directory.
func modulesOf(release string) string {
	return "/usr/lib/uml/modules/" + release
}

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

// overlayRoot replaces the root by an overlay over it. pivot_root also moves the kernel's own threads, and with them
// the modprobe that the kernel starts to load a module by itself.
func overlayRoot() error {
	if err := loadOverlay(); err != nil {
		return err
	}
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

// loadOverlay loads the overlay module without modprobe, which cannot work before there is a root to write to.
func loadOverlay() error {
	release, err := kernelRelease()
	if err != nil {
		return err
	}
	file, err := os.Open(modulesOf(release) + "/kernel/fs/overlayfs/overlay.ko")
	if os.IsNotExist(err) {
		return nil // built in, or the mount will say that it is not
	}
	if err != nil {
		return fmt.Errorf("load overlay module: %w", err)
	}
	defer file.Close()
	if err := unix.FinitModule(int(file.Fd()), "", 0); err != nil && err != unix.EEXIST {
		return fmt.Errorf("load overlay module: %w", err)
	}
	return nil
}

func kernelRelease() (string, error) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "", fmt.Errorf("read kernel release: %w", err)
	}
	return unix.ByteSliceToString(name.Release[:]), nil
}

// prepareModules puts the guest kernel's modules where modprobe looks, so that the kernel loads by itself what a
// command asks for.
func prepareModules() error {
	release, err := kernelRelease()
	if err != nil {
		return err
	}
	if _, err := os.Stat(modulesOf(release)); err != nil {
		return nil
	}
	link := filepath.Join("/usr/lib/modules", release)
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return fmt.Errorf("prepare modules: %w", err)
	}
	if err := os.Symlink(modulesOf(release), link); err != nil && !os.IsExist(err) {
		return fmt.Errorf("prepare modules: %w", err)
	}
	return nil
}
