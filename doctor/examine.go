// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

// Examine draws findings from evidence, worst first, in an order that depends on
// nothing but the evidence. It does no input or output.
func Examine(e Evidence) []Finding {
	x := &examination{Evidence: e}
	x.flowOffload()
	x.clock()
	x.configuration()
	x.managers()
	x.features()
	for _, q := range x.Queues {
		x.foreign(q)
		x.module(q)
		x.device(q)
		x.byHand(q)
		x.outside(q)
		x.linkSpeed(q)
		x.overhead(q)
		x.directions(q)
		x.segmentation(q)
	}
	if x.LostEvents > 0 {
		x.find(lostEvents, "the kernel dropped notifications; everything was read anew", count(x.LostEvents, "time")+" since the daemon started",
			"look in the system log for a service or connection that restarts all the time")
	}
	// The last one, because it is about what the others leave unexplained.
	for _, q := range x.Queues {
		x.unexplained(q)
	}
	return x.sorted()
}

// asks reports whether anything is to be shaped.
func (x *examination) asks() bool {
	for _, q := range x.Queues {
		if len(q.sides()) > 0 {
			return true
		}
	}
	return false
}
