// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"time"

	"sqmd/daemon/history"
	"sqmd/shaping"
)

// directions are both of them, in the order of reports.
var directions = [2]shaping.Direction{shaping.Upload, shaping.Download}

// queue is what the daemon knows of one device that is to be shaped.
type queue struct {
	device string
	unit   shaping.Unit // what the configuration asks for
	asked  shaping.Unit // what the kernel is brought to: less in a conflict, or what was good before
	good   *shaping.Unit
	// keeps is set while good stands in for a unit that cannot be planned.
	keeps   bool
	stopped bool // by hand

	applied    basis
	shapers    []shaping.Shaper
	backoff    backoff
	failure    string   // why the last reconcile failed, "" if it did not
	findings   []string // of the plan
	directions [2]direction
}

// basis is what a queue in the kernel rests on. While it is the same, whatever
// has to be done anew was undone by another program.
type basis struct {
	generation   int // of the configuration
	ifindex, mtu int
	txQueues     int
	asked        [2]bool
}

// direction is what the daemon knows of one direction.
type direction struct {
	state, reason string
	since         time.Duration

	repairs  int
	conflict conflict

	lastChange   string
	lastChangeAt time.Duration

	history    *history.Direction
	unlike     int    // readings, in a row, whose series are not the history's
	throughput uint64 // kbit/s in the last second
	sentBytes  uint64
	sampled    time.Duration
}

func newQueue(now time.Duration, device string) *queue {
	q := &queue{device: device}
	for i := range q.directions {
		q.directions[i].since = now
	}
	return q
}

// startOver forgets failures and conflicts.
func (q *queue) startOver() {
	q.backoff.reset()
	for i := range q.directions {
		q.directions[i].conflict = conflict{}
	}
}

func (q *queue) direction(d shaping.Direction) *direction { return &q.directions[d] }

// verbosity is the greater one of the sections' that shape the device.
func (q *queue) verbosity() int {
	most := -1
	for _, d := range directions {
		if section := q.unit.Queue(d); section != nil {
			most = max(most, verbosityOf(section))
		}
	}
	if most < 0 {
		return defaultVerbosity
	}
	return most
}

// basisOf is what the result rests on.
func basisOf(generation int, r shaping.Result) basis {
	link := r.Before.Links[r.Unit.Device]
	b := basis{generation: generation, ifindex: link.Index, mtu: link.MTU, txQueues: link.TxQueues}
	for i, d := range directions {
		b.asked[i] = r.Unit.Queue(d) != nil
	}
	return b
}

// holdEnds reports whether a direction that was left to another program is to be
// tried again.
func (q *queue) holdEnds(now time.Duration) bool {
	for i := range q.directions {
		if q.directions[i].conflict.ended(now) {
			return true
		}
	}
	return false
}

// armed reports whether the next disturbance of a direction is a conflict.
func (q *queue) armed(now time.Duration) bool {
	return q.directions[0].conflict.armed(now) || q.directions[1].conflict.armed(now)
}
