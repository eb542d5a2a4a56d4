// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
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
}

// Queue is the section that speaks for the direction, nil for none.
func (u Unit) Queue(d Direction) *uci.Queue {
	if d == Upload {
		return u.Upload
	}
	return u.Download
}

// Sections are the titles of the sections: none, one, or one for each direction.
func (u Unit) Sections() []string {
	var titles []string
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

// Resolve gives the device of a logical network name.
type Resolve func(network string) (device string, err error)

// Group joins enabled queues by device, in file order. A name that is no device
// is looked up as a logical network, when resolve is not nil; a name that is
// neither stays as it is and waits for its device.
//
// complete is false when an enabled section could not be tied to a device: it may
// mean any, so that none may then be taken for one that is no longer wanted.
func Group(queues []uci.Queue, exists func(device string) bool, resolve Resolve) (units []Unit, findings []uci.Finding, complete bool) {
	complete = true
	at := map[string]int{}
	for i := range queues {
		q := &queues[i]
		if !q.Enabled {
			continue
		}
		device, finding := deviceOf(q, exists, resolve)
		if finding != nil {
			findings = append(findings, *finding)
		}
		if device == "" {
			complete = false
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

func deviceOf(q *uci.Queue, exists func(string) bool, resolve Resolve) (string, *uci.Finding) {
	if !q.Logical && (exists(q.Interface) || resolve == nil) {
		return q.Interface, nil
	}
	if resolve != nil {
		if device, err := resolve(q.Interface); err == nil && device != "" {
			return device, nil
		} else if q.Logical && err != nil {
			f := q.Finding(uci.Error, "interface", fmt.Sprintf("network cannot be resolved: %v", err), "a device name, or a network that is up")
			return "", &f
		}
	} else if q.Logical {
		f := q.Finding(uci.Error, "interface", "network cannot be resolved without ubus", "a device name")
		return "", &f
	}
	return q.Interface, nil
}

// join adds a section to the unit. Two names of one device can come together
// only here, so that this also finds two sections for one direction.
func (u *Unit) join(q *uci.Queue) *uci.Finding {
	if q.Broken {
		u.Broken, u.Keep = true, true
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
