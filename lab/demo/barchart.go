// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"

	"sqmd/lab/chart"
)

// bars is the throughput of one direction under the loads that load it.
type bars struct {
	direction string
	// rate is what sqmd is told, in bit/s.
	rate        float64
	left, right float64
	throughput  func(Measurement) (t Throughput, loaded bool)
}

// paleness of the part of a bar that is not goodput.
var pale = []string{"#edc3c9", "#b5d0e6", "#bfdfd3"}

func (b bars) draw(canvas *chart.Canvas, all []Measurement) {
	vertical := chart.Scale{From: 0, To: b.rate * 1.15, Begin: barBottom, End: barTop}
	canvas.Write(b.left-50, (barTop+barBottom)/2, chart.Text{Anchor: chart.Middle, Upright: true}, b.direction+", Mbit/s")
	for _, tick := range (chart.Scale{From: 0, To: vertical.To / bitsPerMegabit}).Ticks(5) {
		y := vertical.At(tick * bitsPerMegabit)
		canvas.Line(b.left, y, b.right, y, 1, grid)
		canvas.Write(b.left-6, y+4, chart.Text{Anchor: chart.End}, fmt.Sprintf("%.0f", tick))
	}
	b.drawGroups(canvas, all, vertical)
	canvas.Line(b.left, barBottom, b.right, barBottom, 1, axis)
	for x := b.left; x < b.right; x += 8 {
		canvas.Line(x, vertical.At(b.rate), min(x+4, b.right), vertical.At(b.rate), 1, configured)
	}
}

// drawGroups draws, for each load, the bars of all shapers side by side.
func (b bars) drawGroups(canvas *chart.Canvas, all []Measurement, vertical chart.Scale) {
	const loadsPerDirection, barWidth, gap = 2, 44.0, 10.0
	groupWidth := (b.right - b.left) / loadsPerDirection
	group := 0
	for _, load := range Loads() {
		x := b.left + float64(group)*groupWidth + (groupWidth-float64(len(Shapers()))*(barWidth+gap)+gap)/2
		drawn := false
		for s, shaper := range Shapers() {
			for _, m := range all {
				t, loaded := b.throughput(m)
				if m.Load != load || m.Shaper != shaper || !loaded {
					continue
				}
				top, goodput := vertical.At(t.Wire), vertical.At(t.Goodput)
				canvas.Rectangle(x, top, barWidth, barBottom-top, pale[s])
				canvas.Rectangle(x, goodput, barWidth, barBottom-goodput, colours[s])
				canvas.Write(x+barWidth/2, barBottom-6, chart.Text{Anchor: chart.Middle, Colour: "#ffffff", Bold: true}, megabits(t.Goodput))
				x += barWidth + gap
				drawn = true
			}
		}
		if drawn {
			center := b.left + (float64(group)+0.5)*groupWidth
			canvas.Write(center, barBottom+17, chart.Text{Anchor: chart.Middle}, loadLabel(load))
			group++
		}
	}
}
