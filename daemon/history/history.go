// SPDX-License-Identifier: GPL-2.0-or-later

// Package history remembers what a shaper did: each second of the last five
// minutes and each minute of the last day, for one direction of one device and
// its tins. All memory is taken when a Direction is made.
package history

import (
	"math"
	"slices"
)

const (
	// MaxSeries is how many series a Direction has at most: the total and eight
	// tins, the most that cake has.
	MaxSeries = 9

	keptSeconds = 300
	keptMinutes = 1440
)

// Counters are what a shaper or one of its tins shows at one moment.
type Counters struct {
	// SentBytes, Drops and Marks (packets) only grow; the 32-bit ones wrap.
	SentBytes    uint64
	Drops, Marks uint32
	// PeakDelayUs, AvgDelayUs and BacklogBytes are what they are at the moment.
	PeakDelayUs, AvgDelayUs, BacklogBytes uint32
}

// Direction is the history of one direction of one device. It is not safe for
// use by several goroutines at once.
//
// With n series it holds 1740 samples of 1+6n numbers of four bytes, that is
// 6960 x (1+6n) bytes, and some hundred bytes a series beside: 90 kB for cake
// besteffort (total and one tin), 216 kB for diffserv4, 383 kB for diffserv8.
type Direction struct {
	names            []string
	last             []Counters // what was shown at lastS, where based is set
	lastS            int64
	based            bool
	seconds, minutes ring
	running          minute
}

// New makes an empty history of the series with these names, the first of which
// is conventionally "total". Series beyond MaxSeries are left out.
func New(series []string) *Direction {
	n := min(len(series), MaxSeries)
	return &Direction{
		names:   slices.Clone(series[:n]),
		last:    make([]Counters, n),
		lastS:   -1,
		seconds: newRing(keptSeconds, n),
		minutes: newRing(keptMinutes, n),
		running: minute{sums: make([]sum, n)},
	}
}

// Series returns the names of the series in the order of Record.
func (d *Direction) Series() []string {
	return slices.Clone(d.names)
}

// Gap tells that the shaper is gone or was made anew, so that its counters do not
// continue the ones before: the next Record only sets the base.
func (d *Direction) Gap() {
	d.based = false
}

// Record takes what the shaper shows at atS, in seconds of a monotonic clock (0 to
// 4294967295, as the uptime is), with one element of c for each series in order.
// It makes a sample of what happened since the last Record, however long ago that
// was. Nothing is taken unless atS is later than the last one. Counters that went
// backwards, or fewer counters than series, are those of another shaper: as with
// Gap there is no sample then.
func (d *Direction) Record(atS int64, c []Counters) {
	if atS <= d.lastS || atS > math.MaxUint32 {
		return
	}
	elapsedS := uint64(atS - d.lastS)
	d.lastS = atS
	if atS > d.running.endS {
		d.running.close(&d.minutes)
		d.running.endS = (atS + 59) / 60 * 60
	}
	if len(c) < len(d.last) {
		d.Gap()
		return
	}
	if d.based && continues(d.last, c) {
		d.sample(elapsedS, c)
	}
	copy(d.last, c)
	d.based = true
	if atS == d.running.endS {
		d.running.close(&d.minutes)
	}
}

// continues tells whether the counters can be later values of those before. The
// 32-bit ones may have wrapped; half of their range in one interval is no wrap.
func continues(before, now []Counters) bool {
	for i := range before {
		if now[i].SentBytes < before[i].SentBytes ||
			int32(now[i].Drops-before[i].Drops) < 0 ||
			int32(now[i].Marks-before[i].Marks) < 0 {
			return false
		}
	}
	return true
}

// sample adds what happened between d.last and now to the seconds and to the
// running minute.
func (d *Direction) sample(elapsedS uint64, now []Counters) {
	row := d.seconds.push(d.lastS)
	for i, before := range d.last {
		sent := now[i].SentBytes - before.SentBytes
		v := values{
			rateKbit:     rateKbit(sent, elapsedS),
			drops:        now[i].Drops - before.Drops,
			marks:        now[i].Marks - before.Marks,
			peakDelayUs:  now[i].PeakDelayUs,
			avgDelayUs:   now[i].AvgDelayUs,
			backlogBytes: now[i].BacklogBytes,
		}
		row.put(i, v)
		d.running.sums[i].add(sent, v)
	}
	d.running.samples++
	d.running.coveredS += elapsedS
}

// rateKbit is the rate at which these bytes go in this time, rounded down: 125
// bytes are a kilobit.
func rateKbit(bytes, seconds uint64) uint32 {
	return saturate(bytes / (125 * seconds))
}

func saturate(v uint64) uint32 {
	return uint32(min(v, math.MaxUint32))
}
