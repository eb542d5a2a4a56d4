// SPDX-License-Identifier: GPL-2.0-or-later

package chart

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScaleAt(t *testing.T) {
	linear := Scale{From: 0, To: 50, Begin: 100, End: 0}
	logarithmic := Scale{From: 1, To: 1000, Begin: 0, End: 300, Log: true}
	tests := map[string]struct {
		scale Scale
		value float64
		want  float64
	}{
		"begin":               {linear, 0, 100},
		"end":                 {linear, 50, 0},
		"a fifth":             {linear, 10, 80},
		"held at the end":     {linear, 70, 0},
		"held at the begin":   {linear, -1, 100},
		"begin of logarithm":  {logarithmic, 1, 0},
		"a decade":            {logarithmic, 10, 100},
		"end of logarithm":    {logarithmic, 1000, 300},
		"zero has no place":   {logarithmic, 0, 0},
		"between two decades": {logarithmic, math.Sqrt(1000), 150},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.scale.At(test.value); math.Abs(got-test.want) > 1e-9 {
				t.Errorf("pixel of %v is %v, want %v", test.value, got, test.want)
			}
		})
	}
}

func TestTicks(t *testing.T) {
	tests := map[string]struct {
		scale Scale
		count int
		want  []float64
	}{
		"whole numbers":     {Scale{From: 0, To: 8}, 4, []float64{0, 2, 4, 6, 8}},
		"end between two":   {Scale{From: 0, To: 132}, 5, []float64{0, 50, 100}},
		"begin between two": {Scale{From: 3, To: 13}, 2, []float64{5, 10}},
		"small":             {Scale{From: 0, To: 13.8}, 5, []float64{0, 5, 10}},
		"logarithmic":       {Scale{From: 10, To: 300, Log: true}, 0, []float64{10, 20, 50, 100, 200}},
		"within a decade":   {Scale{From: 15, To: 60, Log: true}, 0, []float64{20, 50}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.scale.Ticks(test.count)); diff != "" {
				t.Errorf("ticks (-want +got):\n%s", diff)
			}
		})
	}
}
