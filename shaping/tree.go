// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import "sqmd/tc"

// Tree is a root qdisc with all that hangs under it.
type Tree struct {
	Root    tc.Qdisc
	Classes []tc.Class
	Leaves  []tc.Qdisc // every qdisc but the root
	Filters []tc.Filter
}

// Action says what is to become of one place in a device.
type Action int

// What a [Target] asks for.
const (
	Keep  Action = iota // leave as it is
	Clear               // remove what is there
	Set                 // make it so
)

// Target is what one device should look like. The zero value of every part
// leaves that part alone.
type Target struct {
	Device string

	// IFB is Set for a device that is an IFB of ours, to be made if it is not
	// there; Clear to delete it.
	IFB    Action
	Owner  string // the device whose packets the IFB shapes
	Queues int    // transmit queues of the IFB

	Root Action
	Tree *Tree // for Set

	// Redirect leads arriving packets to an IFB.
	Redirect Action
	To       string // the IFB, for Set and Clear
	// DropHook also removes the ingress qdisc, once no filter is left under it.
	DropHook bool
}

// kind is the root's kind, "" for no tree.
func (t *Tree) kind() string {
	if t == nil {
		return ""
	}
	return t.Root.Kind
}
