// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"sqmd/ifb"
	"sqmd/tc"
	"sqmd/uci"
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
func (e *Engine) plan(u Unit, state State, without map[Feature]bool) (Plan, Record, error) {
	record, err := e.Records.Load(u.Device)
	if err != nil {
		return Plan{}, record, err
	}
	var o Ownership
	if d := state.Devices[u.Device]; d != nil {
		o = owned(d, record)
	}
	return NewPlan(u, state, o, without), record, nil
}

// Preview says what Apply would do, without doing it.
func (e *Engine) Preview(u Unit) Result {
	r := Result{Unit: u}
	state, err := e.view(map[string]bool{u.Device: true})
	if err != nil {
		r.Err = err
		return r
	}
	if r.Plan, _, r.Err = e.plan(u, state, nil); r.Err == nil {
		r.Ops = Diff(r.Plan.Targets, state)
	}
	return r
}

// Apply brings one unit to what it asks for, or leaves it as it was. A feature
// that the kernel turns out to lack is planned around, and said so.
func (e *Engine) Apply(u Unit) Result {
	without := map[Feature]bool{}
	var degraded []uci.Finding
	for {
		r := e.apply(u, without)
		var missing *missingFeature
		if !errors.As(r.Err, &missing) || without[missing.feature] {
			r.Plan.Findings = append(degraded, r.Plan.Findings...)
			return r
		}
		without[missing.feature] = true
		if missing.feature == FeatureWash {
			degraded = append(degraded, u.Download.Finding(uci.Warning, "squash_dscp",
				fmt.Sprintf("DSCP is not cleared: %v", missing.err), "act_pedit and act_csum (kmod-sched)"))
		}
	}
}

// missingFeature is the failure of an operation that the plan can do without.
type missingFeature struct {
	feature Feature
	err     error
}

func (m *missingFeature) Error() string { return m.err.Error() }
func (m *missingFeature) Unwrap() error { return m.err }

func (e *Engine) apply(u Unit, without map[Feature]bool) Result {
	r := Result{Unit: u}
	before, err := e.view(map[string]bool{u.Device: true})
	if err != nil {
		r.Err = err
		return r
	}
	var record Record
	if r.Plan, record, r.Err = e.plan(u, before, without); r.Err != nil {
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
	if r.Err = e.carryOut(u, r.Ops, r.Plan.Targets); r.Err == nil {
		return r
	}
	r.Err = errors.Join(r.Err, e.takeBack(u, before, r.Plan.Targets))
	if record == (Record{}) {
		r.Err = errors.Join(r.Err, e.Records.Forget(u.Device))
	} else {
		r.Err = errors.Join(r.Err, e.Records.Save(u.Device, record))
	}
	return r
}

// carryOut executes operations and asks the kernel whether it now shows what was
// wanted.
func (e *Engine) carryOut(u Unit, ops []Op, targets []Target) error {
	if err := e.execute(u, ops); err != nil {
		return err
	}
	after, err := e.view(map[string]bool{u.Device: true})
	if err != nil {
		return err
	}
	if left := Diff(targets, after); len(left) > 0 {
		return e.failed(u, left[0], errors.New("the kernel accepted it and does not show it"))
	}
	return nil
}

// takeBack restores what the device and its IFB were like before.
func (e *Engine) takeBack(u Unit, before State, targets []Target) error {
	now, err := e.view(map[string]bool{u.Device: true})
	if err == nil {
		err = e.execute(u, Diff(restore(before, targets), now))
	}
	if err != nil {
		return fmt.Errorf("taking back failed too, %s may be partly shaped: %w", u.Device, err)
	}
	return nil
}

// restore gives the targets that are the state before, for all that the targets
// of the plan touch.
func restore(before State, touched []Target) []Target {
	var targets []Target
	for _, t := range touched {
		back := Target{Device: t.Device, Root: Clear, Owner: t.Owner, To: t.To}
		d := before.Devices[t.Device]
		if d != nil && d.Root != nil {
			back.Root, back.Tree = Set, remade(d.Root)
		}
		switch {
		case t.IFB != Keep && d == nil:
			back.IFB, back.Root = Clear, Keep
		case t.IFB != Keep:
			back.IFB, back.Queues = Set, d.Link.TxQueues
			back.Owner, _ = ifb.Owner(d.Link.Alias)
		default:
			restoreIngress(&back, t, d, before)
		}
		targets = append(targets, back)
	}
	return targets
}

// remade is a tree from a dump in the form to make it again: without what the
// kernel adds by itself, and parents before their children.
func remade(t *Tree) *Tree {
	made := &Tree{Root: t.Root}
	for parents := []tc.Handle{tc.Root, t.Root.Handle}; len(parents) > 0; {
		var next []tc.Handle
		for _, c := range t.Classes {
			if slices.Contains(parents, c.Parent) {
				made.Classes, next = append(made.Classes, c), append(next, c.Handle)
			}
		}
		parents = next
	}
	for _, q := range t.Leaves {
		if !q.Default() {
			made.Leaves = append(made.Leaves, q)
		}
	}
	for _, f := range t.Filters {
		made.Filters = append(made.Filters, f.Again())
	}
	return made
}

func restoreIngress(back *Target, t Target, d *Device, before State) {
	if t.Root == Keep {
		back.Root = Keep
	}
	if t.Redirect == Keep && !t.DropHook || d == nil {
		return
	}
	back.Redirect, back.DropHook = Clear, d.Hook == nil
	for _, f := range d.Ingress {
		if to, ok := redirectTarget(f); ok && to == before.Links[t.To].Index && to != 0 {
			back.Redirect = Set
		}
	}
}

// execute carries out operations. Runs of traffic control operations go to the
// kernel in one system call.
func (e *Engine) execute(u Unit, ops []Op) error {
	index, err := e.indexes()
	if err != nil {
		return err
	}
	for len(ops) > 0 {
		n := 0
		for n < len(ops) && !ops[n].onLink() {
			n++
		}
		if n == 0 {
			if err := e.executeLink(ops[0], index); err != nil {
				return e.failed(u, ops[0], err)
			}
			ops = ops[1:]
			continue
		}
		if err := e.executeBatch(u, ops[:n], index); err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

func (e *Engine) executeBatch(u Unit, ops []Op, index map[string]int) error {
	requests := make([]tc.Request, len(ops))
	for i, o := range ops {
		var err error
		if requests[i], err = o.request(func(device string) int { return index[device] }); err != nil {
			return e.failed(u, o, err)
		}
	}
	results, err := e.Kernel.Do(requests...)
	if err != nil {
		return e.failed(u, ops[0], err)
	}
	for i, err := range results {
		if err != nil && !(ops[i].Verb == Delete && gone(err)) {
			return e.failed(u, ops[i], err)
		}
	}
	return nil
}

// gone reports whether what was to be deleted is not there: another hand was
// quicker, or it went with its parent.
func gone(err error) bool {
	return errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENODEV)
}

func (e *Engine) executeLink(o Op, index map[string]int) error {
	switch o.Verb {
	case CreateIFB:
		n, err := e.Kernel.CreateIFB(o.Device, o.Queues)
		index[o.Device] = n
		return err
	case SetAlias:
		return e.Kernel.SetAlias(index[o.Device], o.Alias)
	case SetUp:
		return e.Kernel.SetUp(index[o.Device])
	}
	err := e.Kernel.DeleteLink(index[o.Device])
	if errors.Is(err, syscall.ENODEV) {
		err = nil
	}
	return err
}

func (e *Engine) indexes() (map[string]int, error) {
	links, err := e.Kernel.Links()
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	for _, l := range links {
		index[l.Name] = l.Index
	}
	return index, nil
}

func (e *Engine) failed(u Unit, o Op, err error) error {
	failure := &OpError{Title: u.Title(), Device: u.Device, Direction: o.Direction, Op: o.String(), Err: err}
	if o.Feature != "" && (errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EOPNOTSUPP)) {
		return &missingFeature{o.Feature, failure}
	}
	return failure
}
