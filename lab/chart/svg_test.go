// SPDX-License-Identifier: GPL-2.0-or-later

package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSVG(t *testing.T) {
	c := NewCanvas(100, 50)
	c.Line(0, 0.04, 10.26, -3.25, 1.5, "#000000")
	c.Path([]Point{{1, 2}, {3, 4}}, 2, "#ff0000")
	c.Write(5, 6, Text{}, "a < b & c")
	c.Write(7, 8, Text{Size: 20, Colour: "#010203", Anchor: End, Bold: true, Upright: true}, "up")
	const want = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50" font-family="system-ui, Helvetica, Arial, sans-serif" role="img">
<title>x &gt; y</title>
<rect x="0" y="0" width="100" height="50" fill="#ffffff"/>
<line x1="0" y1="0" x2="10.3" y2="-3.3" stroke="#000000" stroke-width="1.5"/>
<polyline points="1,2 3,4" fill="none" stroke="#ff0000" stroke-width="2" stroke-linejoin="round"/>
<text x="5" y="6" font-size="12" fill="#333333" text-anchor="start">a &lt; b &amp; c</text>
<text x="7" y="8" font-size="20" fill="#010203" text-anchor="end" font-weight="bold" transform="rotate(-90 7 8)">up</text>
</svg>
`
	if diff := cmp.Diff(want, string(c.SVG("x > y"))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}
