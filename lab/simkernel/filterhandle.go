// SPDX-License-Identifier: GPL-2.0-or-later

package simkernel

import (
	"slices"
	"syscall"
)

// Handles of u32 (net/sched/cls_u32.c): 12 bits of table, 8 of bucket, 12 of
// node. The kernel's own tables begin at the first one, and the nodes that it
// chooses at the middle.
const (
	u32FirstTable = 0x800
	u32LastTable  = 0xfff
	u32FirstNode  = 0x800
	u32NodeMask   = 0xfff
	u32TableShift = 20
)

// freeTable is the number of a table that no other preference has.
func (b *block) freeTable() uint32 {
	for n := uint32(u32FirstTable); n <= u32LastTable; n++ {
		if !slices.ContainsFunc(b.heads, func(h *head) bool { return h.table == n<<u32TableShift }) {
			return n << u32TableShift
		}
	}
	return 0
}

// filter finds a filter by its handle.
func (h *head) filter(handle uint32) *filter {
	for _, f := range h.filters {
		if handle != 0 && f.Handle == handle {
			return f
		}
	}
	return nil
}

// full completes the handle of a new u32 rule, which may name the node alone;
// the kernel finds it only by the full one.
func (h *head) full(handle uint32) uint32 {
	if h.kind == "u32" && handle != 0 && handle&^u32NodeMask == 0 {
		return h.table | handle
	}
	return handle
}

// giveHandle is the handle of a new filter: the one asked for, or one that is
// free.
func (h *head) giveHandle(asked uint32) (uint32, error) {
	switch {
	case asked != 0 && h.filter(h.full(asked)) != nil:
		return 0, refusal(syscall.ENOSPC)
	case asked != 0:
		return h.full(asked), nil
	case h.kind == "fw":
		return 0, refusal(syscall.EINVAL)
	case h.kind == "u32":
		for node := uint32(u32FirstNode); node <= u32NodeMask; node++ {
			if h.filter(h.table|node) == nil {
				return h.table | node, nil
			}
		}
		return 0, refusal(syscall.ENOSPC)
	}
	handle := uint32(1)
	for h.filter(handle) != nil {
		handle++
	}
	return handle, nil
}

// insert puts a filter at its place: rules of u32 run in the order of their
// nodes.
func (h *head) insert(f *filter) {
	at := len(h.filters)
	if h.kind == "u32" {
		if i := slices.IndexFunc(h.filters, func(other *filter) bool { return other.Handle > f.Handle }); i >= 0 {
			at = i
		}
	}
	h.filters = slices.Insert(h.filters, at, f)
}
