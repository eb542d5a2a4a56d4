// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"slices"
	"time"

	"sqmd/daemon/history"
	"sqmd/daemon/journal"
	"sqmd/shaping"
)

// maxHistories bounds the memory of all histories: that many directions have one.
const maxHistories = 16

// unlikeReadings is after how many readings of other series, one after the other,
// a direction that is shaped has a new history.
const unlikeReadings = 3

// sample reads the counters of all shapers, once a second. It also notices at
// once a shaper that is not there.
func (c *core) sample(now time.Duration) {
	if c.engine.Kernel == nil {
		return
	}
	var shapers []shaping.Shaper
	var of []*direction
	for _, device := range c.order {
		q := c.queues[device]
		for _, s := range q.shapers {
			shapers, of = append(shapers, s), append(of, q.direction(s.Direction))
		}
	}
	if len(shapers) == 0 {
		return
	}
	counts, err := c.engine.Count(shapers)
	if err != nil {
		c.reopen = true
		c.say(now, journal.Error, err.Error())
		c.touch(now)
		return
	}
	for i, count := range counts {
		if count.Qdisc == "" && of[i].state == shaping.Shaped {
			c.touch(now)
		}
		c.record(now, of[i], count)
	}
}

// record adds one reading to a direction's history.
func (c *core) record(now time.Duration, of *direction, count shaping.DirectionStatus) {
	of.throughput = 0
	if count.Qdisc == "" {
		if of.history != nil {
			of.history.Gap()
		}
		of.sampled = 0
		return
	}
	if passed := now - of.sampled; of.sampled > 0 && passed > 0 && count.SentBytes >= of.sentBytes {
		of.throughput = (count.SentBytes - of.sentBytes) * 8 / uint64(max(passed/time.Millisecond, 1))
	}
	of.sentBytes, of.sampled = count.SentBytes, now
	names, counters := seriesOf(count)
	if c.historyOf(of, names) {
		of.history.Record(c.uptime(now), counters)
	}
}

// historyOf sees to it that a direction has a history of these series, and reports
// whether it has one. Other series than before are at first taken for another
// program's qdisc, which is put back in a moment: a day is not forgotten for that.
func (c *core) historyOf(of *direction, names []string) bool {
	switch {
	case of.history == nil && c.histories() >= maxHistories:
		return false
	case of.history == nil:
	case slices.Equal(of.history.Series(), names):
		of.unlike = 0
		return true
	default:
		of.history.Gap()
		if of.unlike++; of.unlike < unlikeReadings || of.state != shaping.Shaped {
			return false
		}
	}
	of.history, of.unlike = history.New(names), 0
	return true
}

// histories is how many directions have one.
func (c *core) histories() int {
	n := 0
	for _, q := range c.queues {
		for i := range q.directions {
			if q.directions[i].history != nil {
				n++
			}
		}
	}
	return n
}

// seriesOf is what is kept of a reading: the whole, and each tin or class.
func seriesOf(count shaping.DirectionStatus) (names []string, counters []history.Counters) {
	names = append(names, "total")
	total := history.Counters{SentBytes: count.SentBytes, Drops: count.Drops, BacklogBytes: count.BacklogBytes}
	counters = append(counters, total)
	for _, t := range count.Tins {
		counters[0].Marks += t.Marks
		counters[0].PeakDelayUs = max(counters[0].PeakDelayUs, t.PeakDelayUs)
		counters[0].AvgDelayUs = max(counters[0].AvgDelayUs, t.AvgDelayUs)
		names = append(names, t.Name)
		counters = append(counters, history.Counters{SentBytes: t.SentBytes, Drops: t.Drops, Marks: t.Marks,
			PeakDelayUs: t.PeakDelayUs, AvgDelayUs: t.AvgDelayUs, BacklogBytes: t.BacklogBytes})
	}
	for _, class := range count.Classes {
		names = append(names, class.Class)
		counters = append(counters, history.Counters{SentBytes: class.SentBytes, Drops: class.Drops, BacklogBytes: class.BacklogBytes})
	}
	n := min(len(names), history.MaxSeries)
	return names[:n], counters[:n]
}
