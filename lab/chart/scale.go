// SPDX-License-Identifier: GPL-2.0-or-later

package chart

import "math"

// Scale maps values to pixels: From to the pixel Begin, To to the pixel End; values outside are held at the nearer one.
type Scale struct {
	From, To   float64
	Begin, End float64
	// Log makes equal ratios equally long; From must then be above 0.
	Log bool
}

// At returns the pixel of a value.
func (s Scale) At(value float64) float64 {
	value = min(max(value, s.From), s.To)
	part := (value - s.From) / (s.To - s.From)
	if s.Log {
		part = math.Log(value/s.From) / math.Log(s.To/s.From)
	}
	return s.Begin + part*(s.End-s.Begin)
}

// Ticks returns the values to be marked on the scale: 1, 2 and 5 times powers of ten if it is logarithmic, else about
// count round values.
func (s Scale) Ticks(count int) []float64 {
	var ticks []float64
	if s.Log {
		for decade := math.Pow(10, math.Floor(math.Log10(s.From))); decade <= s.To; decade *= 10 {
			for _, factor := range []float64{1, 2, 5} {
				if v := factor * decade; v >= s.From && v <= s.To {
					ticks = append(ticks, v)
				}
			}
		}
		return ticks
	}
	step := roundStep((s.To - s.From) / float64(count))
	for i := math.Ceil(s.From / step); i*step <= s.To; i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

// roundStep returns the least of 1, 2 and 5 times a power of ten that is not below step.
func roundStep(step float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(step)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*decade >= step {
			return factor * decade
		}
	}
	return 10 * decade
}
