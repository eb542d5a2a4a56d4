// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"sqmd/daemon"
	"sqmd/shaping"
)

// rows are the direction and below it its tins or classes.
func (f *drawing) rows(q daemon.QueueReport, d daemon.DirectionReport) []row {
	rows := []row{f.direction(q, d)}
	key := counted{q.Queue, q.Device, d.Direction, ""}
	for _, t := range d.Tins {
		key.leaf = t.Name
		rows = append(rows, f.tin(key, d, t))
	}
	for _, c := range d.Classes {
		key.leaf = c.Class
		rows = append(rows, f.class(key, d, c))
	}
	return rows
}

func (f *drawing) direction(q daemon.QueueReport, d daemon.DirectionReport) row {
	r := row{rank: queueRank}
	r.cells[nameColumn].text = " " + d.Direction
	r.cells[stateColumn] = span{d.State, stateColour(d.State)}
	if d.Qdisc == "" {
		return r // no shaper, nothing to count
	}
	f.rate(&r, d.RateKbit, d, f.throughput(q, d))
	r.cells[dropsColumn].text = counter(uint64(d.Drops))
	r.cells[backlogColumn].text = size(uint64(d.BacklogBytes))
	if len(d.Tins) > 0 {
		average, peak := delayOf(d)
		r.delays(average, peak)
		r.cells[marksColumn].text = counter(marksOf(d))
	}
	return r
}

func (f *drawing) tin(key counted, d daemon.DirectionReport, t shaping.TinStatus) row {
	r := leaf(t.Name)
	f.rate(&r, t.ThresholdKbit, d, f.counterRate(key))
	r.delays(t.AvgDelayUs, t.PeakDelayUs)
	r.cells[dropsColumn].text = counter(uint64(t.Drops))
	r.cells[marksColumn].text = counter(uint64(t.Marks))
	r.cells[backlogColumn].text = size(uint64(t.BacklogBytes))
	return r
}

func (f *drawing) class(key counted, d daemon.DirectionReport, c shaping.ClassStatus) row {
	r := leaf(c.Class)
	f.rate(&r, c.CeilKbit, d, f.counterRate(key))
	r.cells[dropsColumn].text = counter(uint64(c.Drops))
	r.cells[backlogColumn].text = size(uint64(c.BacklogBytes))
	return r
}

func leaf(name string) row {
	r := row{rank: leafRank}
	r.cells[nameColumn].text = "  " + name
	return r
}

// rate fills in a limit and the throughput, and the latter's bar, which is part
// of the direction's limit in all rows, so that they can be compared.
func (f *drawing) rate(r *row, most uint64, d daemon.DirectionReport, now measured) {
	r.cells[limitColumn].text = limit(most)
	if !now.known {
		r.cells[nowColumn].text = "-"
		return
	}
	r.cells[nowColumn].text = rate(now.kbit)
	if d.RateKbit > 0 {
		r.cells[barColumn].text = bar(now.kbit, d.RateKbit, barColumns(f.width))
	}
}

func (r *row) delays(average, peak uint32) {
	r.cells[delayColumn].text = delay(average)
	r.cells[peakColumn].text = delay(peak)
}
