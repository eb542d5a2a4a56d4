// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// compare lists where got differs from want, each difference led by the path to it.
func compare(want, got any) []string {
	c := comparison{equal: equal}
	c.walk(nil, want, got)
	return c.differences
}

// comparison walks two trees; equal compares two values that are no objects, of the given name.
type comparison struct {
	equal       func(name string, want, got any) bool
	differences []string
}

func (c *comparison) add(path []string, format string, args ...any) {
	c.differences = append(c.differences, strings.Join(path, " ")+": "+fmt.Sprintf(format, args...))
}

func (c *comparison) walk(path []string, want, got any) {
	wantObject, wantIsObject := want.(node)
	gotObject, gotIsObject := got.(node)
	switch {
	case want == nil && got == nil:
	case got == nil:
		c.add(path, "missing, want %s", compact(want))
	case want == nil:
		c.add(path, "%s, want none", compact(got))
	case wantIsObject && gotIsObject && wantObject["kind"] != gotObject["kind"]:
		c.add(path, "%s, want %s", compact(got), compact(want))
	case wantIsObject && gotIsObject:
		c.walkObject(path, wantObject, gotObject)
	case !c.equal(path[len(path)-1], want, got):
		c.add(path, "%s, want %s", compact(got), compact(want))
	}
}

func (c *comparison) walkObject(path []string, want, got node) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(got))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c.walk(append(slices.Clone(path), name), want[name], got[name])
	}
}

// compact writes a value on one line, an object by its kind if it has one.
func compact(value any) string {
	if object, ok := value.(node); ok {
		if kind, ok := object["kind"].(string); ok {
			return kind
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// keptAsTime are the figures that the kernel keeps as a time in ticks, so that they come back rounded.
var keptAsTime = []string{"burst", "cburst", "ce_threshold", "interval", "lat", "target"}

// keptAsTimerTicks is the figure that the kernel keeps in ticks of its timer: pie's default of 15 ms reads as 20 ms with
// 100 ticks a second, 16 ms with 250 and 15 ms with 1000.
const keptAsTimerTicks = "tupdate"

// longestTick is that of kernels in use, in microseconds.
const longestTick = 10000

// equal compares two values of the given name.
func equal(name string, want, got any) bool {
	if identical(name, want, got) {
		return true
	}
	if !slices.Contains(keptAsTime, name) {
		return false
	}
	wantSize, wantRest, wantOK := quantity(want)
	gotSize, gotRest, gotOK := quantity(got)
	return wantOK && gotOK && wantRest == gotRest && near(wantSize, gotSize)
}

// near allows 2 bytes (or microseconds) or one in a thousand, whichever is more.
func near(want, got float64) bool {
	return math.Abs(want-got) <= max(2, math.Ceil(want/1000))
}

// quantity reads a number of bytes or microseconds, or a size as tc writes it: "1749b/1" with the cell size behind the
// slash, "2Kb/1", "117382b".
func quantity(value any) (number float64, rest string, ok bool) {
	switch value := value.(type) {
	case float64:
		return value, "", true
	case string:
		size, rest, _ := strings.Cut(value, "/")
		for _, unit := range []struct {
			suffix string
			bytes  float64
		}{{"Mb", 1 << 20}, {"Kb", 1 << 10}, {"b", 1}} {
			if digits, found := strings.CutSuffix(size, unit.suffix); found {
				number, err := strconv.ParseFloat(digits, 64)
				return number * unit.bytes, rest, err == nil
			}
		}
	}
	return 0, "", false
}
