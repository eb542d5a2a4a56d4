// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"maps"
	"testing"
	"time"
)

// twoQueues is a daemon at rest that shapes two devices.
func twoQueues(t testing.TB) *world {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("guest", "eth2", someHTB))
	w.addDevice("eth2", "device")
	w.start().pass(5 * time.Second)
	return w
}

// work is what the daemon does at rest, each with what it may ask the kernel for.
// Classes are asked for by device, filters by device and hook.
var work = map[string]struct {
	do    func(w *world)
	costs map[string]int
}{
	"reconcile": { // which also looks for devices that are no longer configured
		func(w *world) { w.c.reconcile(w.now) },
		map[string]int{"dump links": 2, "dump qdiscs": 1, "dump classes": 2, "dump filters": 6},
	},
	"tick": {
		func(w *world) { w.c.tick(w.c.nextTick) },
		map[string]int{"dump qdiscs": 1, "dump classes": 2},
	},
	"status": {
		func(w *world) { _, err := w.ask(MethodStatus, "{}"); w.must(err) },
		map[string]int{"dump links": 1, "dump qdiscs": 1, "dump classes": 2, "dump filters": 6},
	},
	"stats": {
		func(w *world) { _, err := w.ask(MethodStats, "{}"); w.must(err) },
		map[string]int{"dump qdiscs": 1, "dump classes": 2},
	},
}

// What nothing is to be done about costs one dump of qdiscs, and no change.
func TestWorkAtRest(t *testing.T) {
	for name, test := range work {
		t.Run(name, func(t *testing.T) {
			w := twoQueues(t)
			asked := map[string]int{}
			w.k.Fail(func(op string) error { asked[op]++; return nil })
			test.do(w)
			if !maps.Equal(asked, test.costs) {
				t.Errorf("the kernel was asked for %v, want %v", asked, test.costs)
			}
		})
	}
}

// The times have the simulated kernel's in them; the allocations too.
func BenchmarkWorkAtRest(b *testing.B) {
	for name, bench := range work {
		b.Run(name, func(b *testing.B) {
			w := twoQueues(b)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				bench.do(w)
			}
		})
	}
}
