// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"fmt"
	"syscall"

	"sqmd/ifb"
)

// Engine brings the kernel to what units ask for. It keeps no state of its own
// between calls.
type Engine struct {
	Kernel  Kernel
	Records Records
	// Resolve looks up logical network names; nil where there is no bus.
	Resolve Resolve
}

// Result is what became of one unit.
type Result struct {
	Unit Unit
	Plan Plan
	// Ops are the operations that were carried out, or, for a preview, would be.
	Ops []Op
	// Err is why the unit is not as asked. What was there before is back, unless
	// the error says otherwise.
	Err error
}

// Done reports whether the unit is as asked.
func (r Result) Done() bool {
	return r.Err == nil && !r.Plan.Refused() && !r.Plan.Waiting && !r.Unit.Broken
}

// OpError is the failure of one operation.
type OpError struct {
	Title     string // the queue's section
	Device    string // the unit's device
	Direction Direction
	Op        string
	Err       error
}

// Error names queue, direction, operation, and the kernel's own message.
func (e *OpError) Error() string {
	return fmt.Sprintf("queue '%s' (%s), %s: %s: %v%s", e.Title, e.Device, e.Direction, e.Op, e.Err, hint(e.Err))
}

// Unwrap gives the kernel's error.
func (e *OpError) Unwrap() error { return e.Err }

// hint says what to do about errors that have a known cause.
func hint(err error) string {
	switch {
	case errors.Is(err, syscall.EPERM):
		return "; run as root"
	case errors.Is(err, syscall.ENOENT):
		return "; is the kernel module for it installed (kmod-sched-cake, kmod-sched-core, kmod-ifb)?"
	case errors.Is(err, syscall.EOPNOTSUPP):
		return "; the kernel lacks what it needs (kmod-sched-cake, kmod-sched-core, kmod-ifb)"
	}
	return ""
}

// view reads what is relevant to some devices: themselves and all IFBs of ours.
func (e *Engine) view(devices map[string]bool) (State, error) {
	return Read(e.Kernel, func(l ifb.Link) bool {
		owner, our := ours(l)
		return devices[l.Name] || our && devices[owner]
	})
}

// plan plans one unit.
func (e *Engine) plan(u Unit, state State) (Plan, Record, error) {
	record, err := e.Records.Load(u.Device)
	if err != nil {
		return Plan{}, record, err
	}
	var o Ownership
	if d := state.Devices[u.Device]; d != nil {
		o = owned(d, record)
	}
	return NewPlan(u, state, o, e.Records.Missing()), record, nil
}

// Preview says what Apply would do, without doing it.
func (e *Engine) Preview(u Unit) Result {
	r := Result{Unit: u}
	state, err := e.view(map[string]bool{u.Device: true})
	if err != nil {
		r.Err = err
		return r
	}
	if r.Plan, _, r.Err = e.plan(u, state); r.Err == nil {
		r.Ops = Diff(r.Plan.Targets, state)
	}
	return r
}

// Apply brings one unit to what it asks for, or leaves it as it was. A feature
// that the kernel turns out to lack is remembered and planned around. A unit that
// asks for nothing is forgotten when nothing of ours is left.
func (e *Engine) Apply(u Unit) Result {
	var done []Op
	for {
		r := e.apply(u)
		r.Ops = append(done, r.Ops...)
		var missing *missingFeature
		if !errors.As(r.Err, &missing) || e.Records.Missing()[missing.feature] {
			if r.Err == nil && u.Upload == nil && u.Download == nil && !u.Keep {
				r.Err = e.Records.Forget(u.Device)
			}
			return r
		}
		if err := e.Records.SetMissing(missing.feature); err != nil {
			r.Err = errors.Join(r.Err, err)
			return r
		}
		done = r.Ops
	}
}

// missingFeature is the failure of an operation that the plan can do without.
type missingFeature struct {
	feature Feature
	err     error
}

func (m *missingFeature) Error() string { return m.err.Error() }
func (m *missingFeature) Unwrap() error { return m.err }

func (e *Engine) apply(u Unit) Result {
	r := Result{Unit: u}
	before, err := e.view(map[string]bool{u.Device: true})
	if err != nil {
		r.Err = err
		return r
	}
	var record Record
	if r.Plan, record, r.Err = e.plan(u, before); r.Err != nil {
		return r
	}
	r.Ops = Diff(r.Plan.Targets, before)
	if len(r.Ops) == 0 {
		return r
	}
	next := recordOf(r.Plan, before.Links[u.Device], before.Devices[u.Device], record)
	if r.Err = e.Records.Save(u.Device, next); r.Err != nil {
		return r
	}
	x := &execution{kernel: e.Kernel, unit: u}
	if r.Err = e.carryOut(x, r.Ops, r.Plan.Targets); r.Err == nil {
		return r
	}
	if err := e.takeBack(x, before, r.Plan.Targets); err != nil {
		// Two errors of a unit are one line: the first says what was wanted.
		r.Err = fmt.Errorf("%w; %w", r.Err, err)
	}
	if record == (Record{}) {
		err = e.Records.Forget(u.Device)
	} else {
		err = e.Records.Save(u.Device, record)
	}
	r.Err = errors.Join(r.Err, err)
	return r
}

// carryOut executes operations and asks the kernel whether it now shows what was
// wanted.
func (e *Engine) carryOut(x *execution, ops []Op, targets []Target) error {
	if err := x.run(ops); err != nil {
		return err
	}
	after, err := e.view(map[string]bool{x.unit.Device: true})
	if err != nil {
		return err
	}
	if left := Diff(targets, after); len(left) > 0 {
		if x.doubt != nil {
			return x.doubt
		}
		return x.failed(left[0], errors.New("the kernel accepted it and does not show it"))
	}
	return nil
}
