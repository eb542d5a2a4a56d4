// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Link layers of size tables and rates (TC_LINKLAYER_*, linux/pkt_sched.h).
const (
	LinkUnaware  uint8 = iota
	LinkEthernet       // bytes count as they are
	LinkATM            // 48 payload bytes travel in cells of 53
)

// SizeTable is a size table (tc-stab(8)): it makes a classful shaper count
// packets as large as they are on the link. It can be given only when the qdisc
// is created.
type SizeTable struct {
	// LinkLayer is LinkEthernet or LinkATM.
	LinkLayer uint8
	// Overhead is added to every packet, in bytes; may be negative.
	Overhead int32
	// MPU is the least size a packet counts as, MTU the largest the table
	// covers, both bytes; TSize is the number of table entries. 0 in MTU is
	// 2047 and in TSize 512; without MPU and ATM there is no table, and both
	// read 0.
	MPU, MTU, TSize uint32
}

func (s *SizeTable) encode(e *encoder) {}

func decodeSizeTable(d decoder) *SizeTable { return nil }
