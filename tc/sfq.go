// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// SFQ is the options of the sfq qdisc, tc-sfq(8). The kernel takes all of them
// at once: what is nil keeps its value when that is a number from Limit to
// Depth, and goes back to nothing when it is one of the others.
type SFQ struct {
	Limit *uint32 // packets, 2 or more
	// Quantum is the bytes a flow may send per round, at least 256. The kernel's
	// default is the device's MTU and link header.
	Quantum *uint32
	// Divisor is the size of the hash table, a power of two to 65536, and Flows
	// the number of flows; only at creation.
	Divisor, Flows *uint32
	Depth          *uint32 // packets of one flow, to 127
	// Perturb is the seconds after which the hash is changed, 0 for never.
	Perturb  *uint32
	HeadDrop *uint32 // 1 to drop the oldest packet instead of the newest
	// RedFlowLimit is the most bytes of one flow and switches RED on for each
	// flow. The others of RED, 0 or nil for tc(8)'s computation from it: Min and
	// Max are average lengths in bytes, AvPkt a packet's bytes, Burst packets.
	RedFlowLimit, Min, Max, AvPkt, Burst *uint32
	// Probability is the most packets dropped, in units of 1/2^32.
	Probability   *uint32
	ECN, HardDrop *uint32 // 0 or 1
}

// Kind is "sfq".
func (s *SFQ) Kind() string { return "sfq" }
