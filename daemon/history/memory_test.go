// SPDX-License-Identifier: GPL-2.0-or-later

package history

import (
	"runtime"
	"testing"
)

// TestRecordAllocatesNothing goes through more than a day, so that both rings go
// round.
func TestRecordAllocatesNothing(t *testing.T) {
	d := New(make([]string, MaxSeries))
	c := make([]Counters, MaxSeries)
	at := int64(0)
	allocations := testing.AllocsPerRun(100, func() {
		for range 1000 {
			at++
			for i := range c {
				c[i].SentBytes += 1500
				c[i].Drops++
			}
			if at%777 == 0 {
				d.Gap()
			}
			d.Record(at, c)
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations in 1000 records", allocations)
	}
	if d.seconds.filled != keptSeconds || d.minutes.filled != keptMinutes {
		t.Errorf("%d seconds and %d minutes after %d s", d.seconds.filled, d.minutes.filled, at)
	}
}

// TestMemory holds the figures in the description of Direction, with what the
// allocator rounds up to (an eighth at most).
func TestMemory(t *testing.T) {
	for _, n := range []int{1, 2, 5, MaxSeries} {
		rings := 6960 * (1 + 6*n)
		d, got := allocated(make([]string, n))
		if have := 4 * (cap(d.seconds.cells) + cap(d.minutes.cells)); have != rings {
			t.Errorf("%d series: the rings have %d bytes, want %d", n, have, rings)
		}
		if got < rings || got > rings*9/8+1000+200*n {
			t.Errorf("%d series: %d bytes for rings of %d", n, got, rings)
		}
	}
}

// allocated makes a direction and tells how many bytes that took: the least of a few times, as the runtime allocates for
// itself now and then.
func allocated(names []string) (d *Direction, bytes int) {
	for try := range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d = New(names)
		runtime.ReadMemStats(&after)
		if got := int(after.TotalAlloc - before.TotalAlloc); try == 0 || got < bytes {
			bytes = got
		}
	}
	return d, bytes
}
