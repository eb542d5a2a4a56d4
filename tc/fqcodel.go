// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"strings"
)

// FqCodel is the options of the fq_codel qdisc, tc-fq_codel(8).
type FqCodel struct {
	Limit *uint32 // packets
	// Flows is the number of queues, 1 to 65536; only at creation.
	Flows *uint32
	// Quantum is the bytes a flow may send per round, at least 256. The kernel's
	// default is the device's MTU and link header.
	Quantum *uint32
	// Target is the acceptable standing delay and Interval the time within which
	// it must be met, microseconds.
	Target, Interval *uint32
	ECN              *uint32 // 1 to mark instead of drop
	// CEThreshold marks every packet that waited longer, microseconds. Once set
	// it cannot be taken away from a living qdisc by leaving it out.
	CEThreshold *uint32
	// CEThresholdSelector and CEThresholdMask limit CEThreshold to packets whose
	// DS field, under the mask, equals the selector; 8 bits each, Linux 5.16.
	CEThresholdSelector, CEThresholdMask *uint32
	DropBatch                            *uint32 // packets dropped at once at the limit
	// MemoryLimit is bytes. The default is 32 MiB in Linux and 4 MiB in OpenWrt.
	MemoryLimit *uint32
}

// Kind is "fq_codel".
func (f *FqCodel) Kind() string { return "fq_codel" }

// numbers is in iproute2's order; attributes are TCA_FQ_CODEL_*.
func (f *FqCodel) numbers() numbers {
	return numbers{
		{field: &f.Limit, attr: 2, word: "limit", form: plainForm, initial: ref[uint32](10240)},
		{field: &f.Flows, attr: 5, word: "flows", form: plainForm, initial: ref[uint32](1024), fixed: true},
		{field: &f.Quantum, attr: 6, word: "quantum", form: plainForm, kept: keptQuantum, lingers: belowMTU},
		{field: &f.Interval, attr: 3, word: "interval", form: timeForm, kept: codelRounded, initial: ref[uint32](100000)},
		{field: &f.Target, attr: 1, word: "target", form: timeForm, kept: codelRounded, initial: ref[uint32](5000)},
		{field: &f.ECN, attr: 4, word: "ecn", form: switchForm("noecn"), kept: zeroOrOne, initial: ref[uint32](1)},
		{field: &f.CEThreshold, attr: 7, word: "ce_threshold", form: timeForm.zero(), kept: codelRounded, lingers: given},
		{field: &f.CEThresholdMask, attr: 11, narrow: true, lingers: givenNonzero},
		{field: &f.CEThresholdSelector, attr: 10, narrow: true, lingers: givenNonzero},
		{field: &f.MemoryLimit, attr: 9, word: "memory_limit", form: sizeForm.zero(), kept: keptMemory, lingers: oddMemory},
		{field: &f.DropBatch, attr: 8, word: "drop_batch", form: plainForm, kept: atLeastOne, initial: ref[uint32](64)},
	}
}

// keptQuantum: the fair queueing kinds raise a quantum to 256 bytes.
func keptQuantum(given uint32) uint32 { return max(given, 256) }

// keptMemory: the kernel stops at 2 GiB.
func keptMemory(given uint32) uint32 { return min(given, 1<<31) }

func atLeastOne(given uint32) uint32 { return max(given, 1) }

// Words spells the options for tc-fq_codel(8).
func (f *FqCodel) Words(Names) []string {
	out := f.numbers().words()
	if f.CEThresholdSelector != nil && f.CEThresholdMask != nil {
		out = append(out, "ce_threshold_selector", fmt.Sprintf("0x%x/0x%x", *f.CEThresholdSelector, *f.CEThresholdMask))
	}
	return out
}

func (f *FqCodel) encode(e *encoder) error { f.numbers().encode(e); return nil }
func (f *FqCodel) decode(d decoder) error  { return f.numbers().decode(d) }

func (f *FqCodel) parse(w *words) error {
	t := f.numbers().table()
	t["ce_threshold_selector"] = func(w *words) error {
		pair, err := take(w, parseSelector)
		f.CEThresholdSelector, f.CEThresholdMask = &pair[0], &pair[1]
		return err
	}
	return t.parse(w)
}

// parseSelector reads VALUE/MASK of eight bits each.
func parseSelector(s string) ([2]uint32, error) {
	text, mask, slash := strings.Cut(s, "/")
	v, errValue := parseU32(text)
	m, errMask := parseU32(mask)
	if !slash || errValue != nil || errMask != nil || v > 255 || m > 255 {
		return [2]uint32{}, fmt.Errorf("%q is not VALUE/MASK, each from 0 to 255", s)
	}
	return [2]uint32{v, m}, nil
}

func (f *FqCodel) clone() Options               { return cloned(f) }
func (f *FqCodel) complete() Options            { return completed(f) }
func (f *FqCodel) forChange() Options           { return withoutFixed(f) }
func (f *FqCodel) restore()                     { f.numbers().restore() }
func (f *FqCodel) satisfied(have Options) bool  { return allSatisfied(f, have) }
func (f *FqCodel) changeable(have Options) bool { return allChangeable(f, have) }
