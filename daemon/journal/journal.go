// SPDX-License-Identifier: GPL-2.0-or-later

// Package journal writes the daemon's log: one line for each thing that changed,
// without a time, which syslog adds. Whatever happens the log stays short: what
// repeats is counted, what comes too fast is left out and counted. All memory is
// taken when a Journal is made.
package journal

import (
	"io"
	"strconv"
	"time"
)

// Level is how important a line is, in the numbers of the option verbosity.
type Level int

// The levels, the most important one first.
const (
	Error   Level = 1
	Warning Level = 2
	Info    Level = 5
	Debug   Level = 8
	Trace   Level = 10
)

// repeatEvery is how long a line that repeats is only counted.
const repeatEvery = 10 * time.Minute

// Journal writes entries as lines. It is not safe for use by several goroutines at
// once.
type Journal struct {
	w        io.Writer
	subjects subjects
	entry    []byte // what is to be logged, as a line
	out      []byte // what is written
}

// Entry is one thing to be told.
type Entry struct {
	Level Level
	// Queue, Device and Direction name what it is about, as far as it is about one.
	// Queue and Direction together are the subject of the entry.
	Queue, Device, Direction string
	// Text says what happened. Spaces and newlines around it are left out, control
	// characters and bytes that are not UTF-8 are shown as in a Go string.
	Text string
}

// New makes a Journal that hands each line to w in one Write. What Write returns is
// not looked at: a log that cannot be written is no reason to stop. A Write that
// waits makes Log wait.
func New(w io.Writer) *Journal {
	return &Journal{
		w:        w,
		subjects: newSubjects(),
		entry:    make([]byte, 0, roomForLine),
		out:      make([]byte, 0, roomForLine),
	}
}

// Log writes one line of at most 400 bytes, such as
//
//	warning: wan (eth1) upload: root qdisc was removed by another program
//
// unless the level is above verbosity or the rate limit of its subject is spent.
// Errors are always within verbosity. now is the time of a monotonic clock.
//
// A line that its subject had last is counted instead, and told with "(repeated N
// times)" before another line of the subject, or by the first repetition after ten
// minutes. A subject may write ten lines of a level at once, and one each 30 s from
// then on; "N lines left out" comes before the next line. Each level has its own
// budget: a flood of others does not hide an error. Of more than 64 subjects the
// one that was silent longest is forgotten, with what was counted.
func (j *Journal) Log(now time.Duration, verbosity int, e Entry) {
	if int(e.Level) > max(verbosity, int(Error)) {
		return
	}
	s := j.subjects.find(e.Queue, e.Direction)
	j.entry = appendLine(j.entry[:0], e)
	if !s.repeats(j.entry) {
		j.tellRepeated(s)
		j.writeLimited(now, s, e)
		return
	}
	switch {
	case now-s.writtenAt < repeatEvery:
		s.repeated++
	case s.repeated > 0:
		s.repeated++
		j.tellRepeated(s)
		s.writtenAt = now
	default: // alone in all that time: news again
		j.writeLimited(now, s, e)
	}
}

// tellRepeated tells how often the last line was repeated, if it was.
func (j *Journal) tellRepeated(s *subject) {
	switch {
	case s.repeated == 1:
		j.write(s.last, " (repeated once)")
	case s.repeated > 1:
		j.write(s.last, " (repeated "+strconv.FormatUint(s.repeated, 10)+" times)")
	}
	s.repeated = 0
}

// writeLimited writes j.entry, which is e, if the budget of its level allows.
func (j *Journal) writeLimited(now time.Duration, s *subject, e Entry) {
	b := s.budget(e.Level)
	if !b.take(now) {
		s.last = s.last[:0] // the next one like it does not repeat a line that can be read
		return
	}
	switch {
	case b.leftOut == 1:
		e.Text = "1 line left out"
	case b.leftOut > 1:
		e.Text = strconv.FormatUint(b.leftOut, 10) + " lines left out"
	}
	if b.leftOut > 0 {
		j.write(appendLine(j.out[:0], e), "")
		b.leftOut = 0
	}
	j.write(j.entry, "")
	s.last = append(s.last[:0], j.entry...)
	s.writtenAt = now
}

// write writes text and end as a line. Text gives way where they do not fit.
func (j *Journal) write(text []byte, end string) {
	j.out = cut(append(j.out[:0], text...), maxLine-len(end)-len("\n"))
	j.out = append(append(j.out, end...), '\n')
	_, _ = j.w.Write(j.out)
}
