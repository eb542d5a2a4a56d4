// SPDX-License-Identifier: GPL-2.0-or-later

// Package chart draws simple charts as SVG 1.1, readable on a light background without style sheets or scripts.
package chart

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
)

// Canvas collects the elements of a drawing. Coordinates are in pixels from the top left corner.
type Canvas struct {
	width, height int
	body          bytes.Buffer
}

// NewCanvas returns an empty drawing on a white ground.
func NewCanvas(width, height int) *Canvas {
	c := &Canvas{width: width, height: height}
	c.Rectangle(0, 0, float64(width), float64(height), "#ffffff")
	return c
}

// Anchor is the part of a text that its position names.
type Anchor string

// The anchors of SVG 1.1, section 10.9.1.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Text is a line of text.
type Text struct {
	// Size in pixels; 12 by default.
	Size int
	// Colour as #rrggbb; dark grey by default.
	Colour string
	Anchor Anchor
	Bold   bool
	// Upright text reads from bottom to top.
	Upright bool
}

// Write places a text with its anchor at (x, y), on the base line.
func (c *Canvas) Write(x, y float64, style Text, text string) {
	if style.Size == 0 {
		style.Size = 12
	}
	if style.Colour == "" {
		style.Colour = "#333333"
	}
	if style.Anchor == "" {
		style.Anchor = Start
	}
	extra := ""
	if style.Bold {
		extra += ` font-weight="bold"`
	}
	if style.Upright {
		extra += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, number(x), number(y))
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%d" fill="%s" text-anchor="%s"%s>%s</text>`+"\n",
		number(x), number(y), style.Size, style.Colour, style.Anchor, extra, html.EscapeString(text))
}

// Rectangle draws a filled rectangle.
func (c *Canvas) Rectangle(x, y, width, height float64, colour string) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n",
		number(x), number(y), number(width), number(height), colour)
}

// Line draws a straight line.
func (c *Canvas) Line(x1, y1, x2, y2, width float64, colour string) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"/>`+"\n",
		number(x1), number(y1), number(x2), number(y2), colour, number(width))
}

// Point is a place on a canvas.
type Point struct {
	X, Y float64
}

// Path draws a line from point to point.
func (c *Canvas) Path(points []Point, width float64, colour string) {
	c.body.WriteString(`<polyline points="`)
	for i, p := range points {
		if i > 0 {
			c.body.WriteByte(' ')
		}
		c.body.WriteString(number(p.X) + "," + number(p.Y))
	}
	fmt.Fprintf(&c.body, `" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"/>`+"\n", colour, number(width))
}

// SVG returns the drawing as a document with a title for those who cannot see it.
func (c *Canvas) SVG(title string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="system-ui, Helvetica, Arial, sans-serif" role="img">`+"\n",
		c.width, c.height, c.width, c.height)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(title))
	out.Write(c.body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// number formats a coordinate to a tenth of a pixel, in the shortest way.
func number(v float64) string {
	return strconv.FormatFloat(float64(int64(v*10+sign(v)*0.5))/10, 'f', -1, 64)
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}
