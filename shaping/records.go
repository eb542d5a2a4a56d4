// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Records is the directory of records, one file for each device, on tmpfs.
type Records struct{ Dir string }

func (r Records) path(device string) string { return filepath.Join(r.Dir, device+".owned") }

// Load is the record of a device; the zero Record when there is none.
func (r Records) Load(device string) (Record, error) {
	var record Record
	text, err := os.ReadFile(r.path(device))
	if errors.Is(err, fs.ErrNotExist) {
		return record, nil
	}
	if err != nil {
		return record, fmt.Errorf("read record: %w", err)
	}
	if json.Unmarshal(text, &record) != nil {
		// Without a usable record nothing is ours but what the kernel marks.
		return Record{}, nil
	}
	return record, nil
}

// Save replaces the record of a device in one step.
func (r Records) Save(device string, record Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	temporary := r.path(device) + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.Rename(temporary, r.path(device)); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// Forget removes the record of a device.
func (r Records) Forget(device string) error {
	if err := os.Remove(r.path(device)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove record: %w", err)
	}
	return nil
}

// Missing are the features that the kernel was found to lack. Knowing them, a
// plan does without; finding out needs a try, and a try that fails disturbs.
func (r Records) Missing() map[Feature]bool {
	missing := map[Feature]bool{}
	for _, f := range []Feature{FeatureMQ, FeatureWash} {
		if _, err := os.Stat(r.missingPath(f)); err == nil {
			missing[f] = true
		}
	}
	return missing
}

func (r Records) missingPath(f Feature) string { return filepath.Join(r.Dir, string(f)+".missing") }

// SetMissing remembers that the kernel lacks a feature, until the next boot or
// ForgetMissing.
func (r Records) SetMissing(f Feature) error {
	if err := os.WriteFile(r.missingPath(f), nil, 0o600); err != nil {
		return fmt.Errorf("remember missing feature: %w", err)
	}
	return nil
}

// ForgetMissing makes the next plan try all features again.
func (r Records) ForgetMissing() {
	for f := range r.Missing() {
		// One that stays is only a feature not tried.
		_ = os.Remove(r.missingPath(f))
	}
}

// Lock waits until no other process changes what the records speak of, and keeps
// others out until the returned function is called. The kernel drops the lock of
// a process that dies.
func (r Records) Lock() (unlock func(), err error) { return r.lock(syscall.LOCK_EX) }

// TryLock is Lock for those who cannot wait: it fails with [ErrLocked] while
// another process has the lock.
func (r Records) TryLock() (unlock func(), err error) {
	unlock, err = r.lock(syscall.LOCK_EX | syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	}
	return unlock, err
}

// ErrLocked says that another process is changing what the records speak of.
var ErrLocked = errors.New("another sqmd is at work")

func (r Records) lock(how int) (unlock func(), err error) {
	fd, err := r.openLock()
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(fd, how)
	for err == syscall.EINTR {
		err = syscall.Flock(fd, how)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { _ = syscall.Close(fd) }, nil
}

// openLock opens the lock's file, and makes it and its directory if need be. The
// daemon does so at each reconcile: an os.File would cost it twice the time.
func (r Records) openLock() (fd int, err error) {
	path := filepath.Join(r.Dir, "lock")
	const flags = syscall.O_RDWR | syscall.O_CREAT | syscall.O_CLOEXEC
	if fd, err = syscall.Open(path, flags, 0o600); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(r.Dir, 0o700); errors.Is(err, fs.ErrPermission) {
			return -1, fmt.Errorf("make state directory: %w; run as root", err)
		} else if err != nil {
			return -1, fmt.Errorf("make state directory: %w", err)
		}
		fd, err = syscall.Open(path, flags, 0o600)
	}
	if errors.Is(err, fs.ErrPermission) {
		return -1, fmt.Errorf("open lock: %w; run as root", err)
	} else if err != nil {
		return -1, fmt.Errorf("open lock: %w", err)
	}
	return fd, nil
}

// The marks of devices that a person set free until the next apply or reload:
// the daemon leaves them alone. One without a name is for all devices.
const stoppedSuffix = ".stopped"

// SetStopped marks a device as set free by hand; "" marks all.
func (r Records) SetStopped(device string) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, device+stoppedSuffix), nil, 0o600); err != nil {
		return fmt.Errorf("remember that %q is stopped: %w", device, err)
	}
	return nil
}

// ClearStopped takes back the mark of a device. Where all are marked, the others
// are marked one by one instead. With "" no mark is left.
func (r Records) ClearStopped(device string, others []string) error {
	paths := []string{filepath.Join(r.Dir, device+stoppedSuffix), filepath.Join(r.Dir, stoppedSuffix)}
	if device == "" {
		paths, _ = filepath.Glob(filepath.Join(r.Dir, "*"+stoppedSuffix))
	} else if r.Stopped("") {
		for _, other := range others {
			if other != device {
				if err := r.SetStopped(other); err != nil {
					return err
				}
			}
		}
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take back a stop: %w", err)
		}
	}
	return nil
}

// Stopped reports whether the device, or all, are set free by hand.
func (r Records) Stopped(device string) bool {
	for _, name := range []string{"", device} {
		if _, err := os.Stat(filepath.Join(r.Dir, name+stoppedSuffix)); err == nil {
			return true
		}
	}
	return false
}

// Devices are the devices that have a record.
func (r Records) Devices() []string {
	paths, _ := filepath.Glob(filepath.Join(r.Dir, "*.owned"))
	for i, p := range paths {
		base := filepath.Base(p)
		paths[i] = base[:len(base)-len(".owned")]
	}
	return paths
}
