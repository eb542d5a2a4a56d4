// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// RED is the options of the red qdisc, tc-red(8). Limit and AvPkt are required;
// 0 in the others stands for tc(8)'s computation.
type RED struct {
	Limit uint32 // most bytes that may wait
	// Min and Max are the average queue lengths in bytes at which marking starts
	// and at which it is most likely.
	Min, Max uint32
	AvPkt    uint32 // average packet, bytes
	// Burst is how many packets may burst before marking.
	Burst uint32
	// Probability is the most packets marked, in units of 1/2^32; nil is 0.02.
	Probability *uint32
	// Bandwidth is used to reckon how the average falls while the link idles,
	// bit/s; 0 is 10 Mbit/s.
	Bandwidth uint64
	// ECN marks instead of dropping, HardDrop drops above Max even so, Adaptive
	// moves Probability, NoDrop queues packets that cannot be marked.
	ECN, HardDrop, Adaptive, NoDrop bool
	// EarlyDropBlock and MarkBlock are shared blocks whose filters see the
	// packets that are dropped or marked; 0 for none.
	EarlyDropBlock, MarkBlock uint32
}

// Kind is "red".
func (r *RED) Kind() string { return "red" }
