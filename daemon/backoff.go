// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import "time"

// The first and the longest delay after a failure.
const (
	retryFirst = time.Second
	retryLast  = 30 * time.Second
)

// backoff says when to try again what failed. The zero value has not failed.
type backoff struct {
	delay time.Duration
	at    time.Duration
}

func (b *backoff) fail(now time.Duration) {
	b.delay = min(max(2*b.delay, retryFirst), retryLast)
	b.at = now + b.delay
}

func (b *backoff) reset() { *b = backoff{} }

// ready reports whether nothing speaks against a try.
func (b *backoff) ready(now time.Duration) bool { return now >= b.at }

// due reports whether it is time to try again.
func (b *backoff) due(now time.Duration) bool { return b.delay > 0 && now >= b.at }
