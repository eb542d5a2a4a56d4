// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Link layers of size tables and rates (TC_LINKLAYER_*, linux/pkt_sched.h).
const (
	LinkUnaware  uint8 = iota
	LinkEthernet       // bytes count as they are
	LinkATM            // 48 payload bytes travel in cells of 53
)

// SizeTable is a size table (tc-stab(8)): it makes a classful shaper count
// packets as large as they are on the link. The kernel takes it with any request
// for a qdisc, and takes it away with a change that leaves it out.
type SizeTable struct {
	// LinkLayer is LinkEthernet or LinkATM.
	LinkLayer uint8
	// Overhead is added to every packet, in bytes; may be negative.
	Overhead int32
	// MPU is the least size a packet counts as, MTU the largest the table
	// covers, both bytes; TSize is the number of table entries, to 32749. 0 in
	// MTU is 2047 and in TSize 512. Without MPU and LinkATM the kernel needs no
	// table, and both read 0.
	MPU, MTU, TSize uint32
}

// Attributes of a size table (TCA_STAB_*, linux/rtnetlink.h).
const (
	stabBase = 1
	stabData = 2
)

// stabSizeMax is how many 16-bit entries fit into a nested attribute behind the
// base.
const stabSizeMax = (math.MaxUint16 - 4 - 28 - 4) / 2

// normal is the table with all defaults filled in.
func (s SizeTable) normal() SizeTable {
	if s.LinkLayer <= LinkEthernet && s.MPU == 0 {
		s.MTU, s.TSize = 0, 0
		return s
	}
	if s.MTU == 0 {
		s.MTU = 2047
	}
	if s.TSize == 0 {
		s.TSize = 512
	}
	return s
}

// Satisfied reports whether the table have of a living qdisc does what s asks
// for. Both may be nil, for no size table.
func (s *SizeTable) Satisfied(have *SizeTable) bool {
	if s == nil || have == nil {
		return s == nil && have == nil
	}
	want, got := s.normal(), have.normal()
	want.LinkLayer, got.LinkLayer = max(want.LinkLayer, LinkEthernet), max(got.LinkLayer, LinkEthernet)
	return want == got
}

// onLink is a packet's size after MPU and framing. The kernel adds the overhead
// before it looks the size up.
func (s SizeTable) onLink(size uint32) uint32 {
	size = max(size, s.MPU)
	if s.LinkLayer == LinkATM {
		return (size/48 + min(size%48, 1)) * 53
	}
	return size
}

// table gives the entries, for packet sizes up to 1<<cell, 2<<cell and so on,
// each shifted right by scale to fit.
func (s SizeTable) table() (entries []uint16, cell, scale uint8) {
	for s.MTU>>cell > s.TSize-1 {
		cell++
	}
	largest := uint32(0)
	for i := range s.TSize {
		largest = max(largest, s.onLink((i+1)<<cell))
	}
	for largest>>scale > math.MaxUint16 {
		scale++
	}
	entries = make([]uint16, s.TSize)
	for i := range entries {
		entries[i] = uint16(s.onLink(uint32(i+1)<<cell) >> scale)
	}
	return entries, cell, scale
}

// encode appends the contents of TCA_STAB: struct tc_sizespec {u8 cell_log, u8
// size_log, s16 cell_align, s32 overhead, u32 linklayer, mpu, mtu, tsize}, then
// the entries when there are any.
func (s *SizeTable) encode(e *encoder) error {
	full := s.normal()
	if full.TSize > stabSizeMax {
		return fmt.Errorf("size table: tsize %d is above %d", full.TSize, stabSizeMax)
	}
	base := e.space(stabBase, 24)
	for i, v := range []uint32{uint32(full.Overhead), uint32(full.LinkLayer), full.MPU, full.MTU, full.TSize} {
		e.order.PutUint32(base[4+4*i:], v)
	}
	if full.TSize == 0 {
		return nil
	}
	entries, cell, scale := full.table()
	base[0], base[1] = cell, scale
	e.order.PutUint16(base[2:], 0xffff) // cell_align -1: entry i is for sizes up to (i+1)<<cell
	data := e.space(stabData, 2*len(entries))
	for i, v := range entries {
		e.order.PutUint16(data[2*i:], v)
	}
	return nil
}

func decodeSizeTable(d decoder) *SizeTable {
	s := &SizeTable{}
	// A truncated tail is the table, which is not looked at.
	_ = d.each(func(typ uint16, v value) {
		if typ == stabBase {
			s.Overhead, s.LinkLayer = int32(v.u32At(4)), uint8(v.u32At(8))
			s.MPU, s.MTU, s.TSize = v.u32At(12), v.u32At(16), v.u32At(20)
		}
	})
	return s
}

// Words spells the table for tc-stab(8), behind "stab".
func (s *SizeTable) Words() []string {
	full := s.normal()
	var out []string
	number := func(word string, n int64) {
		if n != 0 {
			out = append(out, word, strconv.FormatInt(n, 10))
		}
	}
	number("mtu", int64(full.MTU))
	number("tsize", int64(full.TSize))
	number("mpu", int64(full.MPU))
	number("overhead", int64(full.Overhead))
	return append(out, linkLayerWords(full.LinkLayer)...)
}

// ParseSizeTable reads tc-stab(8) words, behind "stab", up to the end or the
// first that is not about the size table; rest is what follows.
func ParseSizeTable(list []string) (s *SizeTable, rest []string, err error) {
	s = &SizeTable{}
	w := &words{list: list}
	err = wordTable{
		"mtu":       to(&s.MTU, parseDecimal[uint32]),
		"tsize":     to(&s.TSize, parseDecimal[uint32]),
		"mpu":       to(&s.MPU, parseDecimal[uint32]),
		"overhead":  to(&s.Overhead, parseSignedIn(10, math.MinInt32, math.MaxInt32)),
		"linklayer": to(&s.LinkLayer, parseLinkLayer),
	}.parse(w)
	if err == nil && s.LinkLayer == LinkUnaware && s.MPU == 0 && s.Overhead == 0 {
		err = errors.New("needs linklayer, mpu or overhead")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("stab: %w", err)
	}
	return s, w.list[w.at:], nil
}

// linkLayerWords spells a link layer; "ethernet" is not what every kind takes
// silence for.
func linkLayerWords(layer uint8) []string {
	switch layer {
	case LinkEthernet:
		return []string{"linklayer", "ethernet"}
	case LinkATM:
		return []string{"linklayer", "atm"}
	}
	return nil
}

func parseLinkLayer(s string) (uint8, error) {
	switch s {
	case "ethernet":
		return LinkEthernet, nil
	case "atm", "adsl":
		return LinkATM, nil
	}
	return 0, fmt.Errorf("%q is not a link layer: ethernet, atm or adsl", s)
}
