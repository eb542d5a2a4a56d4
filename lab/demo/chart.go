// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"
	"time"

	"sqmd/lab/chart"
	"sqmd/lab/traffic"
)

// Layout of the chart, in pixels: pings over time above, throughput as bars below.
const (
	chartWidth, chartHeight = 960, 640
	plotLeft, plotRight     = 70.0, 940.0
	pingTop, pingBottom     = 96.0, 380.0
	barTop, barBottom       = 450.0, 590.0
)

const (
	grid       = "#e3e3e3"
	axis       = "#888888"
	faint      = "#f6f6f4"
	configured = "#444444"
)

// colours of the shapers, in their order; told apart also by people who do not see red and green.
var colours = []string{"#d1495b", "#1f6fb4", "#3a9e75"}

// Chart draws the measurements as SVG.
func Chart(line Line, all []Measurement) []byte {
	canvas := chart.NewCanvas(chartWidth, chartHeight)
	canvas.Write(plotLeft-50, 30, chart.Text{Size: 20, Bold: true}, "A full cable line without and with sqmd")
	canvas.Write(plotLeft-50, 52, chart.Text{Colour: "#666666", Size: 13}, fmt.Sprintf(
		"Modem of %d/%d Mbit/s with 3 MB of buffer each way, server %d ms away; sqmd is set to %s/%s Mbit/s. %d TCP connections a direction.",
		modemDown/1_000_000, modemUp/1_000_000, 2*pathDelay.Milliseconds(), megabits(line.Down), megabits(line.Up), flows))
	drawLegend(canvas)
	drawPings(canvas, all)
	half := (plotLeft + plotRight) / 2
	bars{"download", line.Down, plotLeft, half - 30, func(m Measurement) (Throughput, bool) { return m.Down, m.Load.Down }}.draw(canvas, all)
	bars{"upload", line.Up, half + 40, plotRight, func(m Measurement) (Throughput, bool) { return m.Up, m.Load.Up }}.draw(canvas, all)
	canvas.Write(plotLeft-50, chartHeight-14, chart.Text{Size: 11, Colour: "#666666"},
		"Bars: data received by applications; their pale tops: packet headers and acknowledgements. Dashes: the configured rate.")
	return canvas.SVG("Ping times and throughput of a full cable line, without sqmd, with cake and with htb and fq_codel")
}

func drawLegend(canvas *chart.Canvas) {
	x := plotLeft
	for i, shaper := range Shapers() {
		canvas.Rectangle(x, 68, 22, 10, colours[i])
		label := shaper.Name
		if shaper.Script != "" {
			label = "sqmd, " + label
		}
		canvas.Write(x+28, 78, chart.Text{Size: 13, Bold: true, Colour: colours[i]}, label)
		x += 190
	}
}

// drawPings draws the slowest ping of each tenth of a second, one panel for each load.
func drawPings(canvas *chart.Canvas, all []Measurement) {
	vertical := chart.Scale{From: 10, To: mostPing(all), Begin: pingBottom, End: pingTop, Log: true}
	canvas.Write(plotLeft-50, (pingTop+pingBottom)/2, chart.Text{Anchor: chart.Middle, Upright: true}, "ping, ms (logarithmic)")
	const space = 14.0
	width := (plotRight - plotLeft - 2*space) / 3
	for i, load := range Loads() {
		left := plotLeft + float64(i)*(width+space)
		horizontal := chart.Scale{From: 0, To: window.Seconds(), Begin: left, End: left + width}
		canvas.Rectangle(left, pingTop, width, pingBottom-pingTop, faint)
		for _, tick := range vertical.Ticks(0) {
			canvas.Line(left, vertical.At(tick), left+width, vertical.At(tick), 1, grid)
			if i == 0 {
				canvas.Write(left-6, vertical.At(tick)+4, chart.Text{Anchor: chart.End}, fmt.Sprintf("%.0f", tick))
			}
		}
		for _, tick := range horizontal.Ticks(4) {
			canvas.Line(horizontal.At(tick), pingBottom, horizontal.At(tick), pingBottom+4, 1, axis)
			if tick < horizontal.To { // the label would run into the next panel's first
				canvas.Write(horizontal.At(tick), pingBottom+17, chart.Text{Anchor: chart.Middle, Size: 11}, fmt.Sprintf("%.0f s", tick))
			}
		}
		canvas.Line(left, pingBottom, left+width, pingBottom, 1, axis)
		canvas.Write(left+width/2, pingBottom+36, chart.Text{Anchor: chart.Middle, Size: 13, Bold: true}, loadLabel(load))
		for s, shaper := range Shapers() {
			for _, m := range all {
				if m.Shaper == shaper && m.Load == load {
					canvas.Path(pingLine(m, horizontal, vertical), 1.8, colours[s])
				}
			}
		}
	}
}

func loadLabel(load Load) string {
	if load.Down && load.Up {
		return "while downloading and uploading"
	}
	return "while " + load.Name + "ing"
}

// mostPing returns the upper end of the ping scale in ms: above all pings, and at least twice the least scale needed to
// see a normal one.
func mostPing(all []Measurement) float64 {
	most := 100.0
	for _, m := range all {
		most = max(most, traffic.Milliseconds(m.Ping.Max))
	}
	return most * 1.1
}

const pingBin = 100 * time.Millisecond

// pingLine returns the slowest answered ping of each bin of time. Bins without an answer are passed over.
func pingLine(m Measurement, horizontal, vertical chart.Scale) []chart.Point {
	slowest := make([]time.Duration, window/pingBin)
	for _, echo := range m.Echoes {
		if bin := int(echo.Sent / pingBin); bin < len(slowest) {
			slowest[bin] = max(slowest[bin], echo.RoundTrip)
		}
	}
	var points []chart.Point
	for bin, ping := range slowest {
		if ping > 0 {
			at := (time.Duration(bin)*pingBin + pingBin/2).Seconds()
			points = append(points, chart.Point{X: horizontal.At(at), Y: vertical.At(traffic.Milliseconds(ping))})
		}
	}
	return points
}
