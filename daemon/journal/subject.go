// SPDX-License-Identifier: GPL-2.0-or-later

package journal

import (
	"bytes"
	"strings"
	"time"
)

// maxSubjects is how many subjects are kept apart: 32 queues of two directions.
const maxSubjects = 64

// subject is what the journal knows of one direction of one queue.
type subject struct {
	queue, direction string
	used             uint64 // the use of all subjects that was its last; 0 in a free place
	last             []byte // the line written last, empty if the last one was left out
	writtenAt        time.Duration
	repeated         uint64 // how often last came again since it was told
	budgets          [5]budget
}

// repeats tells whether the subject wrote the same line last.
func (s *subject) repeats(line []byte) bool {
	return len(s.last) > 0 && bytes.Equal(s.last, line)
}

// budget returns the budget of a level, or of the next less important one that
// there is.
func (s *subject) budget(level Level) *budget {
	for i, known := range []Level{Error, Warning, Info, Debug} {
		if level <= known {
			return &s.budgets[i]
		}
	}
	return &s.budgets[len(s.budgets)-1]
}

// subjects are the subjects heard of last.
type subjects struct {
	places []subject
	uses   uint64
}

func newSubjects() subjects {
	places := make([]subject, maxSubjects)
	for i := range places {
		places[i].last = make([]byte, 0, roomForLine)
	}
	return subjects{places: places}
}

// find returns the subject of these names. A new one takes the place of the one
// that was silent longest, and goes on with its budgets: otherwise subjects without
// number would write lines without number.
func (all *subjects) find(queue, direction string) *subject {
	queue, direction = key(queue), key(direction)
	all.uses++
	oldest := &all.places[0]
	for i := range all.places {
		s := &all.places[i]
		if s.queue == queue && s.direction == direction {
			s.used = all.uses
			return s
		}
		if s.used < oldest.used {
			oldest = s
		}
	}
	budgets := oldest.budgets
	for i := range budgets {
		budgets[i].leftOut = 0
	}
	*oldest = subject{
		queue:     strings.Clone(queue),
		direction: strings.Clone(direction),
		used:      all.uses,
		last:      oldest.last[:0],
		budgets:   budgets,
	}
	return oldest
}

// key bounds the memory that a name takes.
func key(name string) string {
	return name[:min(len(name), maxPart)]
}
