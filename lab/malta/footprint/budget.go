// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"fmt"
	"slices"
	"time"
)

// Budgets on a router.
const (
	budgetRaw      = 6_000_000 // bytes
	budgetGzip     = 2_000_000 // bytes
	budgetResident = 9_000_000 // bytes
	budgetShape    = 150 * time.Millisecond
	budgetSame     = 60 * time.Millisecond
	budgetCPU      = time.Hour / 100 // in an hour
)

// Best is the shortest: what the machine needs when nothing disturbs it.
func (t Times) Best() time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Min(t)
}

// Median is the time that half of the runs do not exceed.
func (t Times) Median() time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[(len(sorted)-1)/2]
}

// CPUPerHour is the CPU time of the idle daemon in an hour.
func (r Running) CPUPerHour() time.Duration {
	return time.Duration(float64(r.IdleCPU) / r.IdleFor.Hours())
}

// Exceeded says which budgets a size exceeds.
func (s Size) Exceeded() []string {
	var over []string
	if s.Raw > budgetRaw {
		over = append(over, fmt.Sprintf("%s: binary of %d bytes, budget %d", s.Target, s.Raw, budgetRaw))
	}
	if s.Gzip9 > budgetGzip {
		over = append(over, fmt.Sprintf("%s: binary of %d bytes packed, budget %d", s.Target, s.Gzip9, budgetGzip))
	}
	return over
}

// Exceeded says which budgets the measurements exceed. Of times the best counts. They are not held against sqmd where the
// kernel is not one for routers: a distribution's spends half as much again on the same system calls.
func (r Running) Exceeded(routerKernel bool) []string {
	var over []string
	for _, m := range []struct {
		when string
		Memory
	}{{"idle", r.Idle}, {"after events", r.After}} {
		if m.Resident*1024 > budgetResident {
			over = append(over, fmt.Sprintf("resident memory %s: %d kB, budget %d", m.when, m.Resident, budgetResident/1024))
		}
	}
	if !routerKernel {
		return over
	}
	for _, t := range []struct {
		what        string
		got, budget time.Duration
	}{
		{"from start to shaped", r.Shape.Best(), budgetShape},
		{"apply with nothing to do", r.Same.Best(), budgetSame},
		{"CPU time in an idle hour", r.CPUPerHour(), budgetCPU},
	} {
		if t.got > t.budget {
			over = append(over, fmt.Sprintf("%s: %v, budget %v", t.what, t.got.Round(time.Millisecond), t.budget))
		}
	}
	return over
}
