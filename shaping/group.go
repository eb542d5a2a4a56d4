// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sqmd/uci"
)

// Unit is one device with the queues that shape it: one section, or two of
// which each shapes one direction. Units are independent: what happens to one
// touches no other.
type Unit struct {
	Device string
	// Upload and Download are the queues that say how the direction is to be
	// shaped. nil leaves the direction unshaped, unless Broken.
	Upload, Download *uci.Queue
	// Broken is set when a section that names the device cannot be used.
	Broken bool
	// Keep leaves a direction that no section speaks of as it is: the section that
	// would speak of it cannot be used, or may have been lost.
	Keep bool
	// Untied is set where the only reason for Keep is a section whose network has
	// no device at present: it may mean this one.
	Untied bool
	// Left are the directions that are left as they are, see [Unit.Leave].
	Left [2]bool
	// Unusable are the titles of the sections that cannot be used.
	Unusable []string
}

// Leave is the unit with a direction left as it is: another program wants it
// otherwise.
func (u Unit) Leave(d Direction) Unit {
	if d == Upload {
		u.Upload = nil
	} else {
		u.Download = nil
	}
	u.Left[d] = true
	return u
}

// keeps reports whether a direction that no section speaks of stays as it is.
func (u Unit) keeps(d Direction) bool { return u.Keep || u.Left[d] }

// Queue is the section that speaks for the direction, nil for none.
func (u Unit) Queue(d Direction) *uci.Queue {
	if d == Upload {
		return u.Upload
	}
	return u.Download
}

// Sections are the titles of the sections: none, one, or one for each direction,
// and those that cannot be used.
func (u Unit) Sections() []string {
	titles := append([]string{}, u.Unusable...)
	for _, q := range []*uci.Queue{u.Upload, u.Download} {
		if q != nil && !slices.Contains(titles, q.Section) {
			titles = append(titles, q.Section)
		}
	}
	return titles
}

// Title is the sections' titles, for messages; the device where there is none.
func (u Unit) Title() string {
	if titles := u.Sections(); len(titles) > 0 {
		return strings.Join(titles, " and ")
	}
	return u.Device
}

// ErrNoDevice is wrapped by the error of a [Resolve] that knows for certain that
// the network has no device now, nor had one that is still shaped.
var ErrNoDevice = errors.New("no device")

// Resolve gives the device of a logical network name.
type Resolve func(network string) (device string, err error)

// Group joins enabled queues by device, in file order. A name that is no device
// is looked up as a logical network, when resolve is not nil; a name that is
// neither stays as it is and waits for its device.
//
// complete is false when an enabled section could not be tied to a device: it may
// mean any, so that none may then be taken for one that is no longer wanted. A
// network that certainly has no device ([ErrNoDevice]) means none.
func Group(queues []uci.Queue, exists func(device string) bool, resolve Resolve) (units []Unit, findings []uci.Finding, complete bool) {
	complete = true
	at := map[string]int{}
	for i := range queues {
		q := &queues[i]
		if !q.Enabled {
			continue
		}
		device, finding, certain := deviceOf(q, exists, resolve)
		if finding != nil {
			findings = append(findings, *finding)
		}
		if device == "" {
			complete = complete && certain
			continue
		}
		n, known := at[device]
		if !known {
			n = len(units)
			at[device] = n
			units = append(units, Unit{Device: device})
		}
		if finding := units[n].join(q); finding != nil {
			findings = append(findings, *finding)
		}
	}
	return units, findings, complete
}

// deviceOf is the device that a queue is about; without one, certain tells that
// there is none, and not only that it cannot be told.
func deviceOf(q *uci.Queue, exists func(string) bool, resolve Resolve) (device string, finding *uci.Finding, certain bool) {
	if !q.Logical && (exists(q.Interface) || resolve == nil) {
		return q.Interface, nil, false
	}
	if resolve != nil {
		if device, err := resolve(q.Interface); err == nil && device != "" {
			return device, nil, false
		} else if q.Logical && err != nil {
			severity, certain := uci.Error, errors.Is(err, ErrNoDevice)
			if certain { // it may come
				severity = uci.Warning
			}
			f := q.Finding(severity, "interface", fmt.Sprintf("network cannot be resolved: %v", err), "a device name, or a network that is up")
			return "", &f, certain
		}
	} else if q.Logical {
		f := q.Finding(uci.Error, "interface", "network cannot be resolved without ubus", "a device name")
		return "", &f, false
	}
	return q.Interface, nil, false
}

// join adds a section to the unit. Two names of one device can come together
// only here, so that this also finds two sections for one direction.
func (u *Unit) join(q *uci.Queue) *uci.Finding {
	if q.Broken {
		u.Broken, u.Keep = true, true
		u.Unusable = append(u.Unusable, q.Section)
		return nil
	}
	up, down := sideOf(q, Upload).wanted(), sideOf(q, Download).wanted()
	for _, d := range []struct {
		wanted bool
		by     *uci.Queue
	}{{up, u.Upload}, {down, u.Download}} {
		if d.wanted && d.by != nil {
			u.Broken, u.Keep = true, true
			f := q.Finding(uci.Error, "interface", fmt.Sprintf("%s is already shaped in this direction by queue '%s' (line %d)", u.Device, d.by.Section, d.by.Line),
				"one section for a direction of a device")
			return &f
		}
	}
	if up {
		u.Upload = q
	}
	if down {
		u.Download = q
	}
	return nil
}
