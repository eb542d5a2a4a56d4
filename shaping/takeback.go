// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"slices"

	"sqmd/ifb"
	"sqmd/tc"
)

// takeBack restores what the device and its IFB were like before.
func (e *Engine) takeBack(x *execution, before State, targets []Target, l *look) error {
	l.stale()
	now, err := l.read()
	l.stale()
	if err == nil {
		back := &execution{kernel: x.kernel, unit: x.unit}
		err = back.run(withoutFeatures(Diff(restore(before, now, targets, x.created), now)), now)
	}
	if err != nil {
		return fmt.Errorf("taking back failed too, %s may be partly shaped: %w", x.unit.Device, err)
	}
	return nil
}

// withoutFeatures makes every operation one that has to succeed: what was there
// before did not lack anything.
func withoutFeatures(ops []Op) []Op {
	for i := range ops {
		ops[i].Feature = ""
	}
	return ops
}

// restore gives the targets that are the state before, for all that the targets
// of the plan touch. A device that is gone, or is another one by now, takes nothing
// back; an IFB that was not there before is removed only if it was us who created
// it or marked it.
func restore(before, now State, touched []Target, created map[string]bool) []Target {
	var targets []Target
	for _, t := range touched {
		link, exists := now.Links[t.Device]
		another := !exists || link.Index != before.Links[t.Device].Index
		if _, our := ours(link); t.IFB == Keep && another || before.Devices[t.Device] == nil && exists && !our && !created[t.Device] {
			continue
		}
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
	if t.Root.Kind == "cake_mq" {
		made.Root.Handle = 0 // it takes none that the kernel did not choose
	}
	for parents := []tc.Handle{tc.Root, t.Root.Handle}; len(parents) > 0; {
		var next []tc.Handle
		for _, c := range t.Classes {
			// hfsc lists itself as a class.
			if slices.Contains(parents, c.Parent) && c.Handle != t.Root.Handle {
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
