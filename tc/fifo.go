// SPDX-License-Identifier: GPL-2.0-or-later

package tc

// Fifo is the options of the pfifo, bfifo and pfifo_head_drop qdiscs,
// tc-pfifo(8).
type Fifo struct {
	// Name is "pfifo", "bfifo" or "pfifo_head_drop"; "" is pfifo.
	Name string
	// Limit is packets, for bfifo bytes; nil is the device's transmit queue
	// length, for bfifo times its MTU.
	Limit *uint32
}

// Kind is the Name.
func (f *Fifo) Kind() string {
	if f.Name == "" {
		return "pfifo"
	}
	return f.Name
}
