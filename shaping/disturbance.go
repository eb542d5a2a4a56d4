// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"strings"

	"sqmd/tc"
)

// State says how a direction of the unit is now; see [DirectionStatus].
func (r Result) State(d Direction) (state, reason string) {
	switch {
	case r.Err != nil && r.Plan.Unit.Device == "": // there is no plan
		return Unshaped, r.Err.Error()
	case r.After.Links == nil:
		return Unshaped, "the kernel could not be asked"
	}
	state, reason = directionState(r.Unit, r.Plan, Diff(r.Plan.Targets, r.After), d)
	if state == Unshaped && r.Err != nil {
		reason = r.Err.Error()
	}
	return state, reason
}

// Changes reports whether operations concern a direction.
func (r Result) Changes(d Direction) bool { return remaining(r.Ops, d) != nil }

// Disturbance says what was not as it should be in a direction before the
// operations, with the kind and handle of what stood there instead. The kernel
// does not tell which program did it.
func (r Result) Disturbance(d Direction) string {
	first := remaining(r.Ops, d)
	if first == nil {
		return ""
	}
	if d == Upload {
		return rootDisturbance(r.Unit.Device, r.Before.Devices[r.Unit.Device], first)
	}
	device := r.Before.Devices[r.Unit.Device]
	link, exists := r.Before.ifbOf(r.Unit.Device)
	switch {
	case !exists:
		return "the IFB was deleted" + others(device)
	case !link.Up:
		return link.Name + " was set down"
	case device == nil || device.Hook == nil:
		return fmt.Sprintf("the ingress qdisc of %s was removed", r.Unit.Device)
	case first.Device == r.Unit.Device:
		return fmt.Sprintf("the redirect of %s was removed or changed", r.Unit.Device) + others(device)
	}
	return rootDisturbance(link.Name, r.Before.Devices[link.Name], first)
}

func rootDisturbance(name string, d *Device, first *Op) string {
	switch {
	case d == nil || d.Root == nil:
		return fmt.Sprintf("the root qdisc of %s was removed", name)
	case first.Qdisc != nil && first.Qdisc.Parent == tc.Root && first.Verb != Change:
		return fmt.Sprintf("the root qdisc of %s was replaced by %s %s", name, d.Root.Root.Kind, d.Root.Root.Handle)
	}
	return fmt.Sprintf("%s was changed, to be undone: %s", name, first)
}

// others lists the filters that stand on arriving packets, since one of them may
// be of the program that is in the way.
func others(d *Device) string {
	if d == nil || len(d.Ingress) == 0 {
		return ""
	}
	var list []string
	for _, f := range d.Ingress {
		list = append(list, fmt.Sprintf("%s pref %d", f.Kind, f.Pref))
	}
	return "; filters there: " + strings.Join(list, ", ")
}
