// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ms = time.Millisecond

// within is within every budget.
func within() Running {
	return Running{Kernel: "6.1 mips", MemoryKB: 120000, Start: Times{9 * ms}, Shape: Times{300 * ms, 149 * ms, 160 * ms}, Same: Times{59 * ms},
		Idle: Memory{7000, 2000, 7200, 6}, IdleFor: time.Minute, IdleCPU: 100 * ms, Events: 4, Busy: 2 * time.Second, After: Memory{7800, 2500, 7812, 7}}
}

func TestRunningExceeds(t *testing.T) {
	if over := within().Exceeded(true); over != nil {
		t.Errorf("within all budgets, but %q", over)
	}
	for want, spoil := range map[string]func(*Running){
		"resident memory idle: 8790 kB, budget 8789":         func(r *Running) { r.Idle.Resident = 8790 },
		"resident memory after events: 9000 kB, budget 8789": func(r *Running) { r.After.Resident = 9000 },
		"from start to shaped: 151ms, budget 150ms":          func(r *Running) { r.Shape = Times{170 * ms, 151 * ms} },
		"apply with nothing to do: 61ms, budget 60ms":        func(r *Running) { r.Same = Times{61 * ms} },
		"CPU time in an idle hour: 42s, budget 36s":          func(r *Running) { r.IdleCPU = 700 * ms },
	} {
		r := within()
		spoil(&r)
		if d := cmp.Diff([]string{want}, r.Exceeded(true)); d != "" {
			t.Errorf("exceeded (-want +got):\n%s", d)
		}
	}
}

func TestTimesNeedARoutersKernel(t *testing.T) {
	r := within()
	r.Same, r.Idle.Resident = Times{78 * ms}, 9000
	if over := r.Exceeded(false); len(over) != 1 {
		t.Errorf("memory alone is over its budget, but %q", over)
	}
}

func TestSizeExceeds(t *testing.T) {
	for _, test := range []struct {
		size Size
		want int
	}{
		{Size{"mips", 6_000_000, 2_000_000, 0}, 0},
		{Size{"mips", 6_000_001, 2_000_000, 0}, 1},
		{Size{"mips", 6_000_001, 2_000_001, 0}, 2},
	} {
		if over := test.size.Exceeded(); len(over) != test.want {
			t.Errorf("%+v exceeds %q, want %d", test.size, over, test.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		times Times
		want  time.Duration
	}{{nil, 0}, {Times{5}, 5}, {Times{3, 9, 1}, 3}, {Times{4, 1, 3, 2}, 2}} {
		if got := test.times.Median(); got != test.want {
			t.Errorf("median of %v is %v, want %v", []time.Duration(test.times), got, test.want)
		}
	}
}

func TestReport(t *testing.T) {
	text := Report("1.0", []Size{{"mips", 4000000, 1500000, 1100000}}, []Column{{"big-endian", within()}, {"little-endian", Running{IdleFor: 1}}})
	for _, want := range []string{
		"| mips | 4000000 | 1500000 | 1100000 |",
		"| | big-endian | little-endian | budget |",
		"| daemon idle: resident (anonymous) | 7000 (2000) | not measured | 8789 |",
		"| CPU seconds in an idle hour | 6.0 | 0.0 | 36 |",
		"| start to shaped, ms: best (median) | 149.0 (160.0) | 0.0 (0.0) | 150 |",
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %q in:\n%s", want, text)
		}
	}
}
