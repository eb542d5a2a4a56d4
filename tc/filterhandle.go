// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import "math"

// ParseFilterHandle reads the handle of a filter as tc(8) has it before the
// kind: for u32 table:bucket:node, for fw the mark with an optional mask, for
// the others a number. The mask is all ones for kinds and handles without.
func ParseFilterHandle(kind, s string) (handle, mask uint32, err error) {
	mask = math.MaxUint32
	switch kind {
	case "u32":
		handle, err = parseU32Handle(s)
	case "fw":
		var m masked
		m, err = parseMasked(s)
		handle = m.Value
		if m.mask != nil {
			mask = *m.mask
		}
	default:
		handle, err = parseU32(s)
	}
	return handle, mask, err
}
