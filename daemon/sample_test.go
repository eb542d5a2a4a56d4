// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"slices"
	"testing"
	"time"

	"sqmd/shaping"
)

// What another program puts in place does not cost the history, not even when it
// stays; another recipe in the configuration begins a new one.
func TestHistoryOutlivesForeignQdiscs(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	history := func() []string { return w.c.queues["eth1"].direction(shaping.Upload).history.Series() }
	w.pass(10 * time.Second)
	first := w.c.queues["eth1"].direction(shaping.Upload).history
	for range conflictRepairs + 1 {
		w.pass(second - gather/2 - w.now%second) // the next reading comes before the repair
		w.must(w.k.ReplaceRoot("eth1", "fq_codel", 0))
		w.pass(2 * second)
	}
	w.is("eth1", Conflict, shaping.Shaped)
	w.pass(holdFirst)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	if w.c.queues["eth1"].direction(shaping.Upload).history != first {
		t.Errorf("the history was lost, the new one has %q", history())
	}
	w.write(section("wan", "eth1", someHTB))
	w.pass((unlikeReadings + 4) * time.Second)
	if want := []string{"total", "1:11", "1:12", "1:13"}; !slices.Equal(history(), want) {
		t.Errorf("with the other recipe the history has %q, want %q", history(), want)
	}
}
