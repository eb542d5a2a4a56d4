// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"time"

	"sqmd/daemon"
)

// counted is what counts bytes: a direction, or a tin or class of it.
type counted struct {
	queue, device, direction string
	leaf                     string // empty for the direction itself
}

// reading are the byte counters of a report, and when they were read.
type reading struct {
	at   time.Time
	sent map[counted]uint64
}

func read(r daemon.Report, at time.Time) reading {
	sent := map[counted]uint64{}
	for _, q := range r.Queues {
		for _, d := range q.Directions {
			key := counted{q.Queue, q.Device, d.Direction, ""}
			sent[key] = d.SentBytes
			for _, t := range d.Tins {
				key.leaf = t.Name
				sent[key] = t.SentBytes
			}
			for _, c := range d.Classes {
				key.leaf = c.Class
				sent[key] = c.SentBytes
			}
		}
	}
	return reading{at, sent}
}

// since gives the rates in kbit/s between an earlier reading and this one. A
// counter that is new or started again has none.
func (r reading) since(earlier reading) map[counted]uint64 {
	rates := map[counted]uint64{}
	ms := r.at.Sub(earlier.at).Milliseconds()
	if ms <= 0 {
		return rates
	}
	for key, now := range r.sent {
		if before, known := earlier.sent[key]; known && now >= before {
			rates[key] = kbit(now-before, uint64(ms))
		}
	}
	return rates
}

// kbit is the rate in kbit/s of so many bytes in so many milliseconds.
func kbit(bytes, ms uint64) uint64 {
	const most = 1 << 60
	return min(bytes, most) * 8 / ms
}
