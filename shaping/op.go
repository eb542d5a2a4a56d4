// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"

	"sqmd/tc"
)

// Verb is what an [Op] does.
type Verb string

// The verbs. Those of qdiscs, classes and filters are tc(8)'s.
const (
	Add     Verb = "add"
	Replace Verb = "replace"
	Change  Verb = "change"
	Delete  Verb = "delete"

	CreateIFB Verb = "create"
	SetAlias  Verb = "mark"
	SetUp     Verb = "set up"
	DeleteIFB Verb = "remove"
)

// Op is one operation on the kernel. Devices are named, since an IFB has no index
// before it exists.
type Op struct {
	Verb      Verb
	Device    string
	Direction Direction
	// Exactly one of these is set for the verbs of tc(8).
	Qdisc  *tc.Qdisc
	Class  *tc.Class
	Filter *tc.Filter
	// To is the device that Filter redirects to.
	To string
	// Alias is for SetAlias, Queues for CreateIFB.
	Alias  string
	Queues int
	// Feature is what the operation needs and the plan can do without.
	Feature Feature
}

// onLink reports whether the operation concerns the device itself.
func (o Op) onLink() bool { return o.Qdisc == nil && o.Class == nil && o.Filter == nil }

// String says what the operation does, for messages.
func (o Op) String() string {
	switch {
	case o.Qdisc != nil:
		return fmt.Sprintf("%s qdisc %s on %s", o.Verb, o.Qdisc.Kind, o.Device)
	case o.Class != nil:
		return fmt.Sprintf("%s class %s on %s", o.Verb, o.Class.Handle, o.Device)
	case o.Filter != nil && o.To != "":
		return fmt.Sprintf("%s redirect from %s to %s", o.Verb, o.Device, o.To)
	case o.Filter != nil:
		return fmt.Sprintf("%s filter (pref %d) on %s", o.Verb, o.Filter.Pref, o.Device)
	}
	return fmt.Sprintf("%s device %s", o.Verb, o.Device)
}

// Command is the operation as a line for a shell. names gives the indexes of the
// devices that exist.
func (o Op) Command(names tc.Names) string {
	switch {
	case o.Qdisc != nil:
		return o.Qdisc.Command(string(o.Verb), names)
	case o.Class != nil:
		return o.Class.Command(string(o.Verb), names)
	case o.Filter != nil:
		return o.Filter.Command(string(o.Verb), names)
	}
	switch o.Verb {
	case CreateIFB:
		if o.Queues > 1 {
			return fmt.Sprintf("ip link add name %s numtxqueues %d numrxqueues %d type ifb", o.Device, o.Queues, o.Queues)
		}
		return fmt.Sprintf("ip link add name %s type ifb", o.Device)
	case SetAlias:
		return fmt.Sprintf("ip link set dev %s alias '%s'", o.Device, o.Alias)
	case SetUp:
		return fmt.Sprintf("ip link set dev %s up", o.Device)
	}
	return fmt.Sprintf("ip link delete dev %s", o.Device)
}

// request is the operation as a netlink request; index gives a device's index.
func (o Op) request(index func(device string) int) (tc.Request, error) {
	modes := map[Verb]tc.Mode{Add: tc.Add, Replace: tc.Replace, Change: tc.Change}
	o = o.resolved(index)
	switch {
	case o.Qdisc != nil && o.Verb == Delete:
		return tc.QdiscDelete(*o.Qdisc), nil
	case o.Qdisc != nil:
		return tc.QdiscRequest(modes[o.Verb], *o.Qdisc)
	case o.Class != nil && o.Verb == Delete:
		return tc.ClassDelete(*o.Class), nil
	case o.Class != nil:
		return tc.ClassRequest(modes[o.Verb], *o.Class)
	case o.Verb == Delete:
		return tc.FilterDelete(*o.Filter), nil
	}
	return tc.FilterRequest(modes[o.Verb], *o.Filter)
}

// resolved fills in the indexes of the devices.
func (o Op) resolved(index func(device string) int) Op {
	switch {
	case o.Qdisc != nil:
		q := *o.Qdisc
		q.Ifindex, o.Qdisc = index(o.Device), &q
	case o.Class != nil:
		c := *o.Class
		c.Ifindex, o.Class = index(o.Device), &c
	case o.Filter != nil:
		f := *o.Filter
		if o.To != "" && o.Verb != Delete {
			f.Options = redirectOptions(index(o.To))
		}
		f.Ifindex, o.Filter = index(o.Device), &f
	}
	return o
}
