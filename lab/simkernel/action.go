// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"syscall"

	"sqmd/tc"
)

// actionsOf is the actions of a filter's options, which share memory with them.
func actionsOf(o tc.Options) tc.Actions {
	switch o := o.(type) {
	case *tc.Matchall:
		return o.Actions
	case *tc.U32:
		return o.Actions
	case *tc.Flower:
		return o.Actions
	case *tc.Fw:
		return o.Actions
	}
	return nil
}

// classOf is the class that a filter sends packets to, 0 for none.
func classOf(o tc.Options) tc.Handle {
	switch o := o.(type) {
	case *tc.Matchall:
		return o.ClassID
	case *tc.U32:
		return o.ClassID
	case *tc.Flower:
		return o.ClassID
	case *tc.Fw:
		return o.ClassID
	}
	return 0
}

// makeActions gives each action its number, and refuses those that the kernel
// lacks and redirects to devices that do not exist.
func (k *Kernel) makeActions(list tc.Actions) error {
	for i := range list {
		a := &list[i]
		if k.lacking[a.Options.Kind()] {
			return refusal(syscall.ENOENT)
		}
		if m, ok := a.Options.(*tc.Mirred); ok && m.Ifindex == 0 {
			return refusal(syscall.EINVAL)
		} else if ok && k.byIndex(m.Ifindex) == nil {
			return refusal(syscall.ENODEV)
		}
		if a.Index == 0 {
			k.actions[a.Options.Kind()]++
			a.Index = k.actions[a.Options.Kind()]
		}
		a.Stats = &tc.Stats{}
	}
	return nil
}
