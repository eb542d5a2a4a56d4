// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"fmt"

	"sqmd/tc"
)

// Kind says what an [Event] or a [Message] is about.
type Kind int

// The kinds of events.
const (
	// LinkAppeared: there is a link that was not there before.
	LinkAppeared Kind = iota + 1
	// LinkChanged: a field of Link differs, Name included.
	LinkChanged
	// LinkGone: the link was deleted, or moved to another network namespace.
	LinkGone
	// AddressChanged: an IPv4 or IPv6 address of the link came, went, or had its
	// lifetimes renewed.
	AddressChanged
	// TCChanged: a qdisc, class or filter came, changed or went. The kernel does
	// not tell of those that go with their link or with their parent.
	TCChanged
	// Resynced: all links were read from the kernel, and what differed was told
	// before this event.
	Resynced
	// Interrupted: the subscription is dead or could not be had again, and Err
	// says why. Nothing is seen from here to the next Resynced. It is told at
	// every failed attempt; they come at most every 100 ms at first and every 5 s
	// later.
	Interrupted
)

// String is the name of the kind for logs.
func (k Kind) String() string {
	switch k {
	case LinkAppeared:
		return "link appeared"
	case LinkChanged:
		return "link changed"
	case LinkGone:
		return "link gone"
	case AddressChanged:
		return "address changed"
	case TCChanged:
		return "tc changed"
	case Resynced:
		return "resynced"
	case Interrupted:
		return "interrupted"
	default:
		return fmt.Sprintf("kind %d", int(k))
	}
}

// Event is one thing that happened. The fields not named by its kind are zero.
type Event struct {
	Kind Kind
	// Link is the state after LinkAppeared and LinkChanged, and the last known
	// one at LinkGone.
	Link Link
	// Before is the state before LinkChanged and LinkGone.
	Before Link
	// TC is what TCChanged is about.
	TC TC
	// Ifindex is the link of AddressChanged and TCChanged. The link need not have
	// been told of: it may be gone again.
	Ifindex int
	// Lost is set in Resynced when notifications were lost since the last one, so
	// that addresses and traffic control may have changed untold.
	Lost bool
	// Err is the cause of Interrupted.
	Err error
}

// TC is a notification about traffic control.
type TC struct {
	Object string // "qdisc", "class" or "filter"
	Gone   bool   // deleted; otherwise new or changed
	// Handle is the object's own (tcm_handle); for a class its id, for a filter a
	// number whose meaning depends on the kind, 0 when all of a preference went and
	// for a new matchall.
	Handle tc.Handle
	Parent tc.Handle // tcm_parent; the reserved ones are tc.Root, tc.IngressParent, tc.IngressHook, ...
	Kind   string    // "cake", "htb", "matchall", ...; "" when the kernel does not tell
	// Port is the netlink port of the socket whose request this was: that of our
	// own connections for our own changes, 0 for the kernel's. The first netlink
	// socket of a process has the process id as its port (netlink(7)), so that
	// the port of a change by tc(8) is the id of a process, gone by now.
	Port uint32
}
