// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"fmt"
	"strings"
	"time"
)

// scaled writes n with the largest of the units that leaves a whole number, each
// a thousand times the one before. Numbers below exact then have a decimal.
func scaled(n, exact uint64, units ...string) string {
	rest, whole := uint64(0), true
	for len(units) > 1 && n >= 1000 {
		n, rest, units, whole = n/1000, n%1000, units[1:], false
	}
	if whole || n >= exact {
		return fmt.Sprintf("%d%s", n, units[0])
	}
	return fmt.Sprintf("%d.%d%s", n, rest/100, units[0])
}

func size(n uint64) string   { return scaled(n, 10, "B", "kB", "MB", "GB", "TB") }
func delay(us uint32) string { return scaled(uint64(us), 10, "us", "ms", "s") }

func rate(kbit uint64) string {
	if kbit == 0 {
		return "0"
	}
	return scaled(kbit, 100, "k", "M", "G", "T", "P", "E")
}

// counter is exact as long as it is short.
func counter(n uint64) string {
	if n < 100_000 {
		return fmt.Sprint(n)
	}
	return scaled(n, 100, "", "k", "M", "G", "T", "P", "E")
}

// limit writes the rate of a shaper.
func limit(kbit uint64) string {
	if kbit == 0 {
		return "none"
	}
	return rate(kbit)
}

// age writes a time span with its two largest units.
func age(seconds int64) string {
	d := time.Duration(max(0, min(seconds, 1<<32))) * time.Second
	days, hours := d/(24*time.Hour), d/time.Hour%24
	minutes, rest := d/time.Minute%60, d/time.Second%60
	switch {
	case days > 0:
		return fmt.Sprintf("%dd%02dh", days, hours)
	case hours > 0:
		return fmt.Sprintf("%dh%02dm", hours, minutes)
	case minutes > 0:
		return fmt.Sprintf("%dm%02ds", minutes, rest)
	}
	return fmt.Sprintf("%ds", rest)
}

// bar shows part of whole in so many columns.
func bar(part, whole uint64, columns int) string {
	full := columns
	if part < whole {
		// The quotient first: counters may be large.
		full = int(min(part/max(1, whole/uint64(columns)), uint64(columns)))
	}
	return strings.Repeat("#", full) + strings.Repeat(".", columns-full)
}
