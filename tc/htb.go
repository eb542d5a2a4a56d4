// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

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

// Attributes of htb (TCA_HTB_*, linux/pkt_sched.h).
const (
	htbParms      = 1
	htbInit       = 2
	htbDirectQlen = 5
	htbRate64     = 6
	htbCeil64     = 7
	htbOffload    = 9
)

const (
	htbVersion    = 3 // of the protocol
	htbDefaultR2Q = 10
)

// Kind is "htb".
func (h *HTB) Kind() string { return "htb" }

func (h *HTB) r2q() uint32 {
	if h.R2Q == 0 {
		return htbDefaultR2Q
	}
	return h.R2Q
}

// Words spells the options for tc-htb(8); class numbers are hexadecimal there.
func (h *HTB) Words(Names) []string {
	var out []string
	if h.Default != 0 {
		out = append(out, "default", strconv.FormatUint(uint64(h.Default), 16))
	}
	if h.r2q() != htbDefaultR2Q {
		out = append(out, "r2q", numberText(h.R2Q))
	}
	if h.DirectQlen != nil {
		out = append(out, "direct_qlen", numberText(*h.DirectQlen))
	}
	if h.Offload {
		out = append(out, "offload")
	}
	return out
}

// encode: TCA_HTB_INIT is struct tc_htb_glob {u32 version, rate2quantum, defcls,
// debug, direct_pkts}.
func (h *HTB) encode(e *encoder) error {
	p := e.space(htbInit, 20)
	for i, v := range []uint32{htbVersion, h.r2q(), h.Default} {
		e.order.PutUint32(p[4*i:], v)
	}
	e.optU32(htbDirectQlen, h.DirectQlen)
	if h.Offload {
		e.flag(htbOffload)
	}
	return nil
}

func (h *HTB) decode(d decoder) error {
	return d.each(func(typ uint16, v value) {
		switch typ {
		case htbInit:
			h.R2Q, h.Default, h.DirectPackets = v.u32At(4), v.u32At(8), v.u32At(16)
		case htbDirectQlen:
			h.DirectQlen = ref(v.u32())
		case htbOffload:
			h.Offload = true
		}
	})
}

func (h *HTB) parse(w *words) error {
	return wordTable{
		"default":     to(&h.Default, parseHex),
		"r2q":         to(&h.R2Q, parseDecimal[uint32]),
		"direct_qlen": with(&h.DirectQlen, parseDecimal[uint32]),
		"offload":     flag(&h.Offload),
		// debug has done nothing since Linux 2.6.
		"debug": func(w *words) error { _, err := w.argument(); return err },
	}.parse(w)
}

func parseHex(s string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a hexadecimal number", s)
	}
	return uint32(n), nil
}

func (h *HTB) clone() Options { return cloned(h) }

func (h *HTB) satisfied(have Options) bool {
	got, ok := have.(*HTB)
	return ok && h.Default == got.Default && h.r2q() == got.r2q() && h.Offload == got.Offload &&
		same(h.DirectQlen, got.DirectQlen)
}

// changeable: htb has no change operation.
func (h *HTB) changeable(have Options) bool { return h.satisfied(have) }

// rateSpecSize is the size of struct tc_ratespec {u8 cell_log, u8 linklayer, u16
// overhead, s16 cell_align, u16 mpu, u32 rate}.
const rateSpecSize = 12

// rateSpec is a rate in byte/s with what it counts for a packet.
type rateSpec struct {
	rate          uint64
	overhead, mpu uint16
	linkLayer     uint8
}

// put writes the specification. With a link layer given, kernels since 3.11
// count packets by it and want no rate table; cell_log and cell_align, which
// describe one, are what tc(8) sends for the largest packet of mtu bytes.
func (r rateSpec) put(order binary.ByteOrder, p []byte, mtu uint32) {
	for mtu>>p[0] > 255 {
		p[0]++
	}
	p[1] = r.linkLayer
	order.PutUint16(p[2:], r.overhead)
	order.PutUint16(p[4:], 0xffff)
	order.PutUint16(p[6:], r.mpu)
	order.PutUint32(p[8:], uint32(min(r.rate, math.MaxUint32)))
}

// rateSpecAt reads a specification from a structure.
func (v value) rateSpecAt(at int) rateSpec {
	if len(v.b) < at+rateSpecSize {
		return rateSpec{}
	}
	return rateSpec{rate: uint64(v.u32At(at + 8)), overhead: v.u16At(at + 2), mpu: v.u16At(at + 6), linkLayer: v.b[at+1] & 0xf}
}

// rate64 appends a rate that does not fit into a specification.
func (e *encoder) rate64(typ uint16, rate uint64) {
	if rate > math.MaxUint32 {
		e.u64(typ, rate)
	}
}

var errNoRate = errors.New("needs a rate of at least 8 bit/s")

// parseBurst reads a size that may be followed by the cell size of a rate table,
// as in "1600/8".
func parseBurst(s string) (uint32, error) {
	size, cell, slash := strings.Cut(s, "/")
	if slash {
		n, err := strconv.ParseUint(cell, 10, 32)
		if err != nil || n == 0 || n&(n-1) != 0 {
			return 0, fmt.Errorf("%q is not a size: %q behind the slash is not a power of two", s, cell)
		}
	}
	return ParseSize(size)
}
