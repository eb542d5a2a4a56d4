// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"fmt"
	"slices"
	"strings"

	"sqmd/shaping"
	"sqmd/uci"
)

// configuration looks at /etc/config/sqm.
func (x *examination) configuration() {
	twice := x.twoSections()
	var errors []uci.Finding
	for _, f := range x.Config.Findings {
		// The mistake of a second section for a device is told as what it is.
		if f.Severity == uci.Error && !(f.Option == "interface" && slices.Contains(twice, f.Section)) {
			errors = append(errors, f)
		}
	}
	if len(errors) > 0 {
		x.find(configErrors, fmt.Sprintf("the configuration has %s; what an error concerns is not configured", count(uint64(len(errors)), "error")),
			errors[0].String(), "run sqmd check and mend what it names")
	}
	enabled := slices.ContainsFunc(x.Config.Queues, func(q uci.Queue) bool { return q.Enabled })
	if !enabled && !x.Config.Incomplete && !x.Config.Damaged && len(errors) == 0 {
		x.find(nothingEnabled, "no queue is enabled, so that nothing is shaped", count(uint64(len(x.Config.Queues)), "queue")+" in the configuration, none with enabled '1'",
			"set enabled '1' in a queue of /etc/config/sqm")
	}
}

// twoSections finds directions of a device that two enabled sections shape, and
// gives the titles of those that come too late.
func (x *examination) twoSections() (late []string) {
	type claim struct {
		device    string
		direction shaping.Direction
	}
	first := map[claim]uci.Queue{}
	for _, q := range x.Config.Queues {
		device := x.deviceOf(q)
		var taken []string
		var holder uci.Queue
		for _, d := range directionsOf(q) {
			key := claim{device, d}
			if h, held := first[key]; held {
				holder, taken = h, append(taken, d.String())
				continue
			}
			first[key] = q
		}
		if len(taken) > 0 {
			late = append(late, q.Section)
			x.add(Finding{ID: twoSections, Device: device, Queue: q.Section,
				Problem:  fmt.Sprintf("queues '%s' and '%s' both shape the %s of %s; only the first counts", holder.Section, q.Section, strings.Join(taken, " and "), device),
				Evidence: fmt.Sprintf("lines %d and %d of %s", holder.Line, q.Line, q.File),
				Remedy:   fmt.Sprintf("disable queue '%s', or set the rate 0 for what the other one shapes", q.Section)})
		}
	}
	return late
}

// directionsOf are the directions that an enabled section asks for.
func directionsOf(q uci.Queue) []shaping.Direction {
	if !q.Enabled || q.Interface == "" {
		return nil
	}
	var asked []shaping.Direction
	if q.Upload > 0 || q.Unlimited.Upload {
		asked = append(asked, shaping.Upload)
	}
	if q.Download > 0 || q.Unlimited.Download {
		asked = append(asked, shaping.Download)
	}
	return asked
}

// deviceOf is the device that the section is tied to, else what it names.
func (x *examination) deviceOf(q uci.Queue) string {
	for _, known := range x.Queues {
		for _, s := range known.sides() {
			if s.Section == q.Section {
				return known.Device
			}
		}
	}
	if q.Logical {
		return "@" + q.Interface
	}
	return q.Interface
}

// count is a number with its noun.
func count(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
