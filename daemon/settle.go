// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sqmd/daemon/journal"
	"sqmd/shaping"
	"sqmd/uci"
	"sqmd/watch"
)

// The states that only the daemon knows; see [shaping.Shaped] for the others.
const (
	Conflict = "conflict" // left to another program that kept undoing it
	Stopped  = "stopped"  // set free by hand, until apply or reload
)

const stoppedReason = "stopped by hand; sqmd apply or a reload shapes it again"

// ask decides what the kernel is to be brought to for a queue.
func (c *core) ask(now time.Duration, q *queue) shaping.Unit {
	for i := range q.directions {
		if of := &q.directions[i].conflict; of.ended(now) {
			of.release()
		}
	}
	if q.stopped = c.engine.Records.Stopped(q.device); q.stopped {
		q.asked = shaping.Unit{Device: q.device}
		return q.asked
	}
	unit := q.unit
	if q.keeps {
		unit = *q.good
	}
	if q.armed(now) {
		c.findConflict(now, q, q.unheld(now, unit))
	}
	q.asked = q.unheld(now, q.unit)
	return q.asked
}

// unheld is the unit without the directions that are left to other programs.
func (q *queue) unheld(now time.Duration, u shaping.Unit) shaping.Unit {
	for _, d := range directions {
		if q.direction(d).conflict.held(now) {
			u = u.Leave(d)
		}
	}
	return u
}

// findConflict gives up directions that another program has disturbed once more
// than can be chance.
func (c *core) findConflict(now time.Duration, q *queue, u shaping.Unit) {
	r := c.engine.Preview(u)
	if r.Err != nil || basisOf(c.config.generation, r) != q.applied {
		return
	}
	for _, d := range directions {
		if of := &q.direction(d).conflict; of.armed(now) && r.Changes(d) {
			of.begin(now, r.Disturbance(d))
		}
	}
}

// settle notes what became of a queue.
func (c *core) settle(now time.Duration, q *queue, r shaping.Result) {
	findings := r.Plan.Findings
	q.failure = ""
	if r.Err != nil {
		q.failure = r.Err.Error()
		q.backoff.fail(now)
		c.reopen = true
	} else {
		q.backoff.reset()
	}
	if q.keeps = q.good != nil && (r.Plan.Refused() || r.Err != nil && !q.isGood()); q.keeps {
		// What was good before stays in force, and is kept true.
		q.asked = q.unheld(now, *q.good)
		r = c.engine.Apply(q.asked)[0]
		findings = append(findings, r.Plan.Findings...)
	}
	c.tellFindings(now, q, findings)
	rests := basisOf(c.config.generation, r)
	for _, d := range directions {
		repaired := r.Err == nil && rests == q.applied && r.Changes(d)
		c.settleDirection(now, q, d, r, repaired)
	}
	q.shapers = r.Shapers()
	if r.Err != nil {
		return
	}
	q.applied = rests
	if r.Plan.Refused() {
		q.applied = basis{} // when what is in the way has gone, that is no repair
		return
	}
	if !q.keeps && !q.stopped && !r.Plan.Waiting && !q.unit.Broken && !q.unit.Keep {
		unit := q.unit
		q.good = &unit
	}
}

// isGood reports whether the unit that is wanted is the last good one.
func (q *queue) isGood() bool {
	return q.good.Upload == q.unit.Upload && q.good.Download == q.unit.Download
}

func (c *core) settleDirection(now time.Duration, q *queue, d shaping.Direction, r shaping.Result, repaired bool) {
	of := q.direction(d)
	state, reason := c.overlay(now, q, d, r.State)
	if repaired {
		c.repairs++
		of.repairs++
		of.lastChange, of.lastChangeAt = r.Disturbance(d)+"; put back", now
		if of.conflict.repaired(now) {
			of.lastChange += "; " + atOdds
			c.tell(now, journal.Error, q, d, of.lastChange)
		} else {
			c.tell(now, journal.Warning, q, d, of.lastChange)
		}
	}
	first := of.state == ""
	if state != of.state {
		of.since = now
	}
	same := state == of.state && reason == of.reason && !r.Changes(d)
	of.state, of.reason = state, reason
	if !repaired && !same && !(first && state == shaping.Off) {
		of.lastChange, of.lastChangeAt = describe(state, reason, r, d), now
		c.tell(now, levelOf(state), q, d, of.lastChange)
	}
}

// atOdds is said with the third repair in a minute.
const atOdds = "another program keeps undoing the shaping: after the next time sqmd leaves it alone for a while"

// overlay is the state of a direction with what only the daemon knows; kernel
// says how it is otherwise.
func (c *core) overlay(now time.Duration, q *queue, d shaping.Direction, kernel func(shaping.Direction) (state, reason string)) (string, string) {
	of := &q.direction(d).conflict
	state, reason := kernel(d)
	section := q.asked.Queue(d)
	switch {
	case q.stopped:
		return Stopped, stoppedReason
	case of.until != 0: // also when its end was not yet noted
		return Conflict, fmt.Sprintf("another program keeps undoing the shaping (%s), so that it is left alone for %v; stop that program, then: sqmd apply", of.by, of.hold)
	case section != nil && q.keeps && q.failure != "" && state == shaping.Shaped:
		return shaping.Refused, q.failure + "; the last good configuration is in force"
	case section != nil && (q.keeps || c.config.kept[section.Section]) && state == shaping.Shaped:
		return shaping.Refused, "the configuration has an error; the last good one is in force"
	case state == shaping.Unshaped && q.failure != "":
		return state, q.failure
	}
	return state, reason
}

// describe says what a direction has become.
func describe(state, reason string, r shaping.Result, d shaping.Direction) string {
	if state != shaping.Shaped {
		if reason == "" {
			return state
		}
		return state + ": " + reason
	}
	bits, outside := r.Plan.Rate(d)
	switch {
	case bits == 0:
		return "shaped, without a limit"
	case outside:
		return fmt.Sprintf("shaped at %d kbit/s, which another program has set", bits/1000)
	}
	return fmt.Sprintf("shaped at %d kbit/s", bits/1000)
}

func levelOf(state string) journal.Level {
	switch state {
	case shaping.Shaped, shaping.Off, shaping.Waiting, Stopped:
		return journal.Info
	}
	return journal.Error
}

// tellFindings logs what the plan found, when it is new.
func (c *core) tellFindings(now time.Duration, q *queue, findings []uci.Finding) {
	old := q.findings
	q.findings = nil
	for _, f := range findings {
		text := f.String()
		if slices.Contains(q.findings, text) {
			continue
		}
		q.findings = append(q.findings, text)
		if !slices.Contains(old, text) {
			c.tellFinding(now, f)
		}
	}
}

// bothOf names the directions that a unit asks for.
func bothOf(u shaping.Unit) string {
	var names []string
	for _, d := range directions {
		if u.Queue(d) != nil {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, " and ")
}

// tellLink logs what happened to a queue's device.
func (c *core) tellLink(now time.Duration, q *queue, e watch.Event) {
	text := ""
	switch {
	case e.Kind == watch.LinkAppeared && e.Link.Index == q.applied.ifindex:
		return // seen before it was told, as at the start
	case e.Kind == watch.LinkAppeared:
		text = fmt.Sprintf("the device is there (index %d)", e.Link.Index)
	case e.Kind == watch.LinkGone:
		text = "the device is gone"
	case e.Before.Name != e.Link.Name:
		text = fmt.Sprintf("%s is now called %s", e.Before.Name, e.Link.Name)
	case e.Before.Carrier != e.Link.Carrier && e.Link.Carrier:
		text = "the carrier is back"
	case e.Before.Carrier != e.Link.Carrier:
		text = "the carrier is lost"
	default:
		return
	}
	c.log(now, journal.Entry{Level: journal.Info, Queue: q.unit.Title(), Device: q.device, Direction: bothOf(q.unit), Text: text})
}
