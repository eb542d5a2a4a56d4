// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// HTB is the options of the htb qdisc, tc-htb(8). None of them can be changed on
// a living qdisc.
type HTB struct {
	// Default is the minor number of the class for unclassified packets; 0 sends
	// them past the shaper.
	Default uint32
	// R2Q divides a class's byte rate to give its default quantum; 0 is 10.
	R2Q uint32
	// DirectQlen is how many unclassified packets may wait; nil is the device's
	// transmit queue length.
	DirectQlen *uint32
	Offload    bool // leave shaping to the hardware
	// DirectPackets is how many packets went past the shaper; from a dump.
	DirectPackets uint32
}

// HTBClass is the options of an htb class, tc-htb(8). In a request, 0 in Ceil,
// Burst, Cburst and LinkLayer stands for the default of tc(8).
type HTBClass struct {
	// Rate is guaranteed; Ceil is the most, borrowing included, and by default
	// Rate. Both are bit/s.
	Rate, Ceil uint64
	// Burst and Cburst are the bytes that may go at once at Rate and at Ceil; by
	// default 1600. The kernel keeps them as times, so they read back rounded.
	Burst, Cburst uint32
	// Quantum is the bytes a leaf may send before its neighbours; 0 lets the
	// kernel take Rate over the qdisc's R2Q.
	Quantum uint32
	// Prio is 0 to 7; leaves with the lowest get spare bandwidth first.
	Prio uint32
	// Overhead is added to every packet, and MPU the least a packet counts as,
	// both bytes.
	Overhead, MPU uint16
	LinkLayer     uint8 // LinkEthernet or LinkATM
	// Level is 0 for a leaf; from a dump.
	Level uint32
}

// Kind is "htb".
func (h *HTB) Kind() string { return "htb" }

// Kind is "htb".
func (h *HTBClass) Kind() string { return "htb" }
