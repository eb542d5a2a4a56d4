// SPDX-License-Identifier: GPL-2.0-or-later

package journal

import "time"

const (
	burst     = 10 // lines at once
	lineEvery = 30 * time.Second
)

// budget limits lines: burst of them at once, then one each lineEvery. Its zero
// value is unspent.
type budget struct {
	spent   int // of burst
	since   time.Duration
	leftOut uint64 // lines refused since the last one
}

// take tells whether a line may be written now, and counts it either way.
func (b *budget) take(now time.Duration) bool {
	if regained := (now - b.since) / lineEvery; regained > 0 {
		b.spent -= int(min(regained, time.Duration(b.spent)))
		b.since += regained * lineEvery
	}
	if b.spent == 0 {
		b.since = now
	}
	if b.spent == burst {
		b.leftOut++
		return false
	}
	b.spent++
	return true
}
