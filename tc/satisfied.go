// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// What is asked for against what the kernel has.

// Satisfied reports whether have, as dumped, is what want asks for, after the
// kernel's own rounding. Fields that want leaves open do not count.
func Satisfied(want, have Options) bool {
	if want == nil {
		return true
	}
	if have == nil {
		_, none := want.(*None)
		return none
	}
	return want.Kind() == have.Kind() && want.satisfied(have)
}

// Complete returns options in which everything that was left open has the
// kernel's default, as far as that is the same everywhere. Sent to a living
// qdisc they also undo what was configured before.
func Complete(o Options) Options {
	if c, ok := o.(completer); ok {
		return c.complete()
	}
	return o
}

type completer interface{ complete() Options }

// Changeable reports whether a living qdisc or class with options have can be
// brought to [Complete](want) in place, keeping its queue. When it cannot, the
// qdisc must be deleted first: to the kernel, replacing a qdisc by one of the
// same kind is a change too.
func Changeable(want, have Options) bool {
	if want == nil || have == nil || want.Kind() != have.Kind() {
		return false
	}
	if c, ok := Complete(want).(changer); ok {
		return c.changeable(have)
	}
	return false
}

// changer is implemented by kinds that the kernel can change in place.
type changer interface{ changeable(have Options) bool }

// forChange leaves out what a kind takes only at creation, and refuses later
// even when it is what it already has.
func forChange(o Options) Options {
	if c, ok := o.(creationOnly); ok {
		return c.forChange()
	}
	return o
}

type creationOnly interface{ forChange() Options }

// cloner is implemented by kinds that words can be applied on top of. The copy
// shares what pointers point to, which is never written.
type cloner interface{ clone() Options }

func cloned[T any, P interface{ *T }](o P) P {
	c := *o
	return &c
}
