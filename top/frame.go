// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"fmt"
	"slices"

	"sqmd/daemon"
	"sqmd/shaping"
)

// frame draws the picture into at most height lines of at most width columns.
func (p *picture) frame(width, height int) []line {
	if width <= 0 || height <= 0 {
		return nil
	}
	f := drawing{picture: p, width: width}
	f.head()
	if p.drawn {
		f.queues()
		for _, text := range p.report.Findings {
			f.problem(0, text)
		}
	}
	return fit(f.lines, width, height)
}

// drawing is a frame that is being made.
type drawing struct {
	*picture
	width  int
	layout layout
	lines  []line
}

func (f *drawing) add(lines ...line) { f.lines = append(f.lines, lines...) }

// head says what matters of everything.
func (f *drawing) head() {
	if f.drawn {
		var shaped span
		switch {
		case !f.report.Shaped:
			shaped = span{"NOT SHAPED", red}
		case len(f.report.Queues) > 0:
			shaped = span{"shaped", green}
		}
		pieces := []span{{"sqmd " + f.report.Version, bold}, shaped}
		f.add(pack(needed, f.width, 0, append(pieces, process(f.report.Daemon)...)...))
	}
	switch {
	case f.failure != nil && f.drawn:
		f.add(pack(needed, f.width, 0, span{"old figures: " + f.failure.Error(), red}))
	case f.failure != nil:
		f.add(pack(needed, f.width, 0, span{"no report: " + f.failure.Error(), red}))
	case !f.drawn:
		f.add(pack(needed, f.width, 0, span{"waiting for the first report", faint}))
	}
}

func process(d *daemon.ProcessReport) []span {
	if d == nil {
		return []span{{"no daemon", yellow}}
	}
	bus := span{"ubus", normal}
	if !d.Bus {
		bus = span{"no ubus", yellow}
	}
	return []span{
		{"up " + age(d.UptimeS), normal}, bus, {size(d.MemoryBytes), normal},
		some(d.Repairs, "repairs"), some(d.LostEvents, "lost events"), some(d.ClockSteps, "clock steps"),
	}
}

// some is empty for a count of zero.
func some(n uint64, of string) span {
	if n == 0 {
		return span{}
	}
	return span{of + " " + counter(n), normal}
}

// queues draws all of them with the same columns.
func (f *drawing) queues() {
	if len(f.report.Queues) == 0 {
		f.add(pack(queueRank, f.width, 0, span{"no queue is enabled", normal}))
		return
	}
	tables := make([][][]row, len(f.report.Queues)) // by queue and direction
	var all []row
	for i, q := range f.report.Queues {
		for _, d := range q.Directions {
			rows := f.rows(q, d)
			tables[i] = append(tables[i], rows)
			all = append(all, rows...)
		}
	}
	f.layout = newLayout(all, f.width)
	f.add(f.layout.line(heading()))
	for i, q := range f.report.Queues {
		f.queue(q, tables[i])
	}
}

func (f *drawing) queue(q daemon.QueueReport, directions [][]row) {
	f.add(line{rank: spaceRank}, pack(queueRank, f.width, 0, title(q)...))
	for i, rows := range directions {
		d := q.Directions[i]
		f.add(f.layout.line(rows[0]))
		if d.Reason != "" && d.State != shaping.Off {
			f.add(pack(problemRank, f.width, 2, span{d.Reason, stateColour(d.State)}))
		}
		for _, leaf := range rows[1:] {
			f.add(f.layout.line(leaf))
		}
		f.change(d)
	}
	for _, text := range q.Findings {
		f.problem(2, text)
	}
}

func title(q daemon.QueueReport) []span {
	name := span{"queue " + q.Queue, normal}
	switch {
	case q.Device == "":
		return []span{{name.text, bold}, {"no device", yellow}}
	case q.Link == nil:
		return []span{{q.Device, bold}, {"device is not there", yellow}, name}
	}
	link := span{q.Link.OperState, normal}
	if !q.Link.Carrier {
		link = span{"no carrier", yellow}
	}
	pieces := []span{{q.Device, bold}, link}
	if q.Link.SpeedMbit > 0 {
		pieces = append(pieces, span{fmt.Sprintf("%d Mbit/s", q.Link.SpeedMbit), normal})
	}
	return append(pieces, name, span{fmt.Sprintf("mtu %d", q.Link.MTU), normal})
}

// change tells what happened to a direction.
func (f *drawing) change(d daemon.DirectionReport) {
	var last span
	if d.LastChange != "" {
		last = span{age(d.LastChangeAgoS) + " ago: " + d.LastChange, faint}
	}
	repairs := some(uint64(max(0, d.Repairs)), "repairs")
	repairs.colour = faint
	if l := pack(changeRank, f.width, 2, repairs, last); len(l.spans) > 0 {
		f.add(l)
	}
}

func (f *drawing) problem(indent int, text string) {
	f.add(pack(problemRank, f.width, indent, span{"! " + text, yellow}))
}

// fit leaves out the lines that matter least, from the bottom, and says so.
func fit(lines []line, width, height int) []line {
	if len(lines) <= height {
		return lines
	}
	all := len(lines)
	for r := spaceRank; r > needed && len(lines) >= height; r-- {
		lines = thin(lines, r, height-1)
	}
	lines = lines[:min(len(lines), max(1, height-1))]
	if height == 1 {
		return lines
	}
	return append(lines, pack(needed, width, 0, span{fmt.Sprintf("%d more lines", all-len(lines)), faint}))
}

// thin removes lines of a rank, the last ones first, until there are no more than
// most.
func thin(lines []line, r rank, most int) []line {
	surplus := len(lines) - most
	kept := make([]line, 0, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		if surplus > 0 && lines[i].rank == r {
			surplus--
			continue
		}
		kept = append(kept, lines[i])
	}
	slices.Reverse(kept)
	return kept
}
