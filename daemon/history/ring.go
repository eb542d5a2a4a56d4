// SPDX-License-Identifier: GPL-2.0-or-later

package history

import "sort"

// fields is how many numbers values has.
const fields = 6

// values are one sample of one series.
type values struct {
	rateKbit, drops, marks                uint32
	peakDelayUs, avgDelayUs, backlogBytes uint32
}

// ring holds the newest samples in the order of time. It is one array, without
// pointers so that the garbage collector passes it by.
type ring struct {
	cells  []uint32
	rows   int // how many fit
	width  int // numbers in a row
	next   int // the row to be written next
	filled int
}

// row is one sample of all series: its time in seconds, then fields numbers for
// each series.
type row []uint32

func newRing(rows, series int) ring {
	width := 1 + fields*series
	cells := make([]uint32, rows*width)
	clear(cells) // the kernel gives memory when it is written: now, not over a day
	return ring{cells: cells, rows: rows, width: width}
}

// push returns the row for a new sample, which takes the place of the oldest one
// in a full ring.
func (r *ring) push(atS int64) row {
	fresh := r.slot(r.next)
	fresh[0] = uint32(atS)
	r.next = (r.next + 1) % r.rows
	r.filled = min(r.filled+1, r.rows)
	return fresh
}

func (r *ring) slot(i int) row {
	return row(r.cells[i*r.width : (i+1)*r.width])
}

// at returns a sample by its age: 0 is the oldest one, filled-1 the newest.
func (r *ring) at(i int) row {
	return r.slot((r.next - r.filled + i + r.rows) % r.rows)
}

// after returns the index, as at has it, of the first sample later than sinceS.
func (r *ring) after(sinceS int64) int {
	return sort.Search(r.filled, func(i int) bool { return r.at(i).timeS() > sinceS })
}

func (s row) timeS() int64 {
	return int64(s[0])
}

func (s row) put(series int, v values) {
	copy(s[1+fields*series:], []uint32{v.rateKbit, v.drops, v.marks, v.peakDelayUs, v.avgDelayUs, v.backlogBytes})
}

func (s row) get(series int) values {
	f := s[1+fields*series:][:fields]
	return values{f[0], f[1], f[2], f[3], f[4], f[5]}
}
