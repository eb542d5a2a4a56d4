// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"fmt"
	"math"
)

// Alike holds what sqmd did with a case in one guest against what it did in another, whose processor and kernel may be
// others, and lists the differences. Both are put into one form first, in which automatic handles have no number; beyond
// that, and what is kept in ticks of the kernel's timer, everything must be the same, to the last unit: what sqmd said, the
// kernel's state at each point, and what became of every packet.
func Alike(reference, o *Observation) []string {
	want, err := reference.account()
	if err != nil {
		return []string{"the reference cannot be read: " + err.Error()}
	}
	got, err := o.account()
	if err != nil {
		return []string{err.Error()}
	}
	c := comparison{equal: identical}
	c.walk(nil, want, got)
	return c.differences
}

// identical compares two values of the given name. Only what is kept in ticks of a timer may differ, by less than a tick.
func identical(name string, want, got any) bool {
	if compact(want) == compact(got) {
		return true
	}
	wantTime, wantOK := want.(float64)
	gotTime, gotOK := got.(float64)
	return name == keptAsTimerTicks && wantOK && gotOK && math.Abs(wantTime-gotTime) < longestTick
}

// account is all of an observation that another guest's is held against, as one tree.
func (o *Observation) account() (node, error) {
	if o.Error != "" {
		return nil, fmt.Errorf("the lab failed: %s", o.Error)
	}
	observed, err := o.states()
	if err != nil {
		return nil, err
	}
	paths := node{}
	for _, p := range o.Probes {
		effects := node{}
		for _, e := range p.Effects {
			effects[e.Packet.String()] = e
		}
		paths[fmt.Sprintf("%s %s", p.Device, p.Direction)] = node{"shaper": p.Shaper, "packets": effects}
	}
	account := node{
		"apply": o.Start, "before": observed.before, "after start": observed.afterStart,
		"packets": paths,
		"stop":    o.Stop, "after stop": observed.afterStop, "new files": o.NewFiles, "firewall tables": o.Tables,
	}
	text, err := json.Marshal(account)
	if err != nil {
		return nil, err
	}
	var plain node
	return plain, json.Unmarshal(text, &plain)
}
