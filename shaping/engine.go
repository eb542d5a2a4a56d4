// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"fmt"
	"syscall"
)

// Engine brings the kernel to what units ask for. It keeps no state of its own
// between calls.
type Engine struct {
	Kernel  Kernel
	Records Records
	// Resolve looks up logical network names; nil where there is no bus.
	Resolve Resolve
	// RespectRates leaves rates alone that another program has set; see
	// [Knowledge].
	RespectRates bool
}

// Result is what became of one unit.
type Result struct {
	Unit Unit
	Plan Plan
	// Before is what the kernel had, and After what it has; an After without links
	// says that it could not be read.
	Before, After State
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

// Preview says what Apply would do, without doing it.
func (e *Engine) Preview(u Unit) Result { return e.preview(u, e.look(u)) }

// PreviewAll is Preview of several units, for which the kernel is read once.
func (e *Engine) PreviewAll(units ...Unit) []Result {
	l := e.look(units...)
	results := make([]Result, len(units))
	for i, u := range units {
		results[i] = e.preview(u, l)
	}
	return results
}

func (e *Engine) preview(u Unit, l *look) Result {
	r := Result{Unit: u}
	if r.Before, r.Err = l.read(); r.Err != nil {
		return r
	}
	if r.Plan, _, r.Err = e.plan(u, r.Before); r.Err == nil {
		r.Ops = Diff(r.Plan.Targets, r.Before)
	}
	return r
}

// plan plans one unit.
func (e *Engine) plan(u Unit, state State) (Plan, Record, error) {
	record, err := e.Records.Load(u.Device)
	if err != nil {
		return Plan{}, record, err
	}
	return NewPlan(u, state, Knowledge{Record: record, Without: e.Records.Missing(), RespectRates: e.RespectRates}), record, nil
}

// Apply brings units to what they ask for, one after the other, or leaves each as
// it was. The kernel is read once for all of them, and again after a change. A
// feature that the kernel turns out to lack is remembered and planned around. A
// unit that asks for nothing is forgotten when nothing of ours is left.
func (e *Engine) Apply(units ...Unit) []Result {
	l := e.look(units...)
	results := make([]Result, len(units))
	for i, u := range units {
		results[i] = e.applyOne(u, l)
		results[i].After, _ = l.read() // what fails is told by the next unit, or the next call
	}
	return results
}

func (e *Engine) applyOne(u Unit, l *look) Result {
	var done []Op
	for replaced := 0; ; {
		r := e.try(u, l)
		if r.Err != nil && replaced < maxReplaced && l.replaced(r) {
			// What failed was about a device that is gone.
			replaced++
			continue
		}
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

// maxReplaced is how often a unit is tried anew because its device came, went or
// was made anew meanwhile.
const maxReplaced = 3

// errReplaced says that a device is not the one any more that was planned for.
var errReplaced = errors.New("the device came, went or was made anew meanwhile")

// missingFeature is the failure of an operation that the plan can do without.
type missingFeature struct {
	feature Feature
	err     error
}

func (m *missingFeature) Error() string { return m.err.Error() }
func (m *missingFeature) Unwrap() error { return m.err }

func (e *Engine) try(u Unit, l *look) Result {
	r := Result{Unit: u}
	if r.Before, r.Err = l.read(); r.Err != nil {
		return r
	}
	var record Record
	if r.Plan, record, r.Err = e.plan(u, r.Before); r.Err != nil {
		return r
	}
	r.Ops = Diff(r.Plan.Targets, r.Before)
	if len(r.Ops) == 0 {
		r.Err = e.confirm(r.Plan, record, r.Before)
		return r
	}
	next := recordOf(r.Plan, r.Before.Links[u.Device], r.Before.Devices[u.Device], record)
	x := &execution{kernel: e.Kernel, unit: u}
	l.stale()
	if r.Err = e.save(u.Device, record, underWay(record, next, r.Ops)); r.Err != nil {
		_ = x.run(rescue(r.Ops), r.Before) // packets are not to be lost for want of a file
		return r
	}
	if r.Err = e.carryOut(x, r, l); r.Err == nil {
		r.Err = e.Records.Save(u.Device, next)
		return r
	}
	if errors.Is(r.Err, errReplaced) {
		l.stale()
	} else if err := e.takeBack(x, r.Before, r.Plan.Targets, l); err != nil {
		// Two errors of a unit are one line: the first says what was wanted. What is
		// left of it is still ours, and the record has to say so.
		r.Err = fmt.Errorf("%w; %w", r.Err, err)
		e.narrow(u, l)
		return r
	}
	var err error
	if record == (Record{}) {
		err = e.Records.Forget(u.Device)
	} else {
		err = e.Records.Save(u.Device, record)
	}
	r.Err = errors.Join(r.Err, err)
	return r
}

// narrow takes a hook that is not there out of the record: one that appears later
// is another's.
func (e *Engine) narrow(u Unit, l *look) {
	now, err := l.read()
	l.stale()
	d := now.Devices[u.Device]
	if err != nil || d == nil || d.Hook != nil {
		return
	}
	if record, err := e.Records.Load(u.Device); err == nil && record.Hook {
		record.Hook = false
		_ = e.Records.Save(u.Device, record) // the worst is a claim on an empty hook
	}
}

// save writes a record that differs from the one there.
func (e *Engine) save(device string, have, want Record) error {
	if have == want {
		return nil
	}
	return e.Records.Save(device, want)
}

// rescue picks the operations that only keep packets from being lost: what removes
// a redirect of ours, because it leads nowhere or is to go.
func rescue(ops []Op) []Op {
	var picked []Op
	for _, o := range ops {
		if o.Verb == Delete && o.Filter != nil && o.To != "" {
			picked = append(picked, o)
		}
	}
	return picked
}

// confirm remembers what is ours and the rates that the configuration asks for,
// where the kernel had all of it already. On a device without a record nothing
// becomes ours by being as we would make it.
func (e *Engine) confirm(p Plan, record Record, state State) error {
	link, exists := state.Links[p.Unit.Device]
	if !exists || record.Ifindex != link.Index || p.Refused() {
		return nil
	}
	return e.save(p.Unit.Device, record, recordOf(p, link, state.Devices[link.Name], record))
}

// carryOut executes operations and asks the kernel whether it now shows what was
// wanted.
func (e *Engine) carryOut(x *execution, r Result, l *look) error {
	if err := x.run(r.Ops, r.Before); err != nil {
		return err
	}
	after, err := l.read()
	if err != nil {
		return err
	}
	if left := Diff(r.Plan.Targets, after); len(left) > 0 {
		if x.doubt != nil {
			return x.doubt
		}
		return x.failed(left[0], errors.New("the kernel accepted it and does not show it"))
	}
	return nil
}
