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

	"sqmd/ifb"
	"sqmd/tc"
)

// Ownership says which parts of a device's traffic control are ours, and so may
// be removed. The kernel itself tells for the IFB (its alias) and for a cake of
// ours (its handle); for the rest there is a [Record].
type Ownership struct {
	Root bool // the root qdisc
	Hook bool // the ingress qdisc
	// Known is set when there is a record of this very device.
	Known bool
}

// Record is what we remember about a device until the next boot, beside what can
// be seen in the kernel. It is a hint about ownership, never about state: each
// part of it counts only while the kernel still shows the same.
type Record struct {
	Ifindex int `json:"ifindex"`
	// RootKind and RootHandle are the root qdisc that we put there; "" for none.
	RootKind   string    `json:"root_kind,omitempty"`
	RootHandle tc.Handle `json:"root_handle,omitempty"`
	// Hook is set when the ingress qdisc was made by us.
	Hook bool `json:"hook,omitempty"`
}

// owned compares what is remembered with what is there.
func owned(d *Device, r Record) Ownership {
	var o Ownership
	same := r.Ifindex == d.Link.Index
	o.Known = same
	if d.Root != nil {
		root := d.Root.Root
		recorded := same && r.RootKind == root.Kind && (r.RootHandle == root.Handle || r.RootHandle == 0)
		o.Root = recorded || root.Handle == cakeHandle
	}
	if d.Hook != nil {
		o.Hook = same && r.Hook && d.Hook.Kind == "ingress"
	}
	return o
}

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
func (r Records) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(r.Dir, 0o700); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("make state directory: %w; run as root", err)
	} else if err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(r.Dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { f.Close() }, nil
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

// recordOf is what to remember once the plan is carried out on a device that
// looks like d before: parts that the plan leaves alone keep their record.
func recordOf(p Plan, link ifb.Link, d *Device, before Record) Record {
	r := Record{Ifindex: link.Index}
	if before.Ifindex == link.Index {
		r = before
	}
	for _, t := range p.Targets {
		if t.Device != link.Name {
			continue
		}
		switch t.Root {
		case Set:
			r.RootKind, r.RootHandle = t.Tree.Root.Kind, t.Tree.Root.Handle
		case Clear:
			r.RootKind, r.RootHandle = "", 0
		}
		switch {
		case t.Redirect == Set:
			r.Hook = d == nil || d.Hook == nil || r.Hook
		case t.DropHook:
			r.Hook = false
		}
	}
	return r
}
