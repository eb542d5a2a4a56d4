// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Units of tc(8), see its section PARAMETERS. Rates are bit/s here and have SI
// prefixes of 1000 (or 1024 with "i"); sizes are bytes with prefixes of 1024;
// times are microseconds.

type unit struct {
	suffix string
	factor float64
}

var rateUnits = []unit{
	{"bit", 1}, {"kibit", 1 << 10}, {"kbit", 1e3}, {"mibit", 1 << 20}, {"mbit", 1e6},
	{"gibit", 1 << 30}, {"gbit", 1e9}, {"tibit", 1 << 40}, {"tbit", 1e12},
	{"bps", 8}, {"kibps", 8 << 10}, {"kbps", 8e3}, {"mibps", 8 << 20}, {"mbps", 8e6},
	{"gibps", 8 << 30}, {"gbps", 8e9}, {"tibps", 8 << 40}, {"tbps", 8e12},
	{"", 1},
}

var sizeUnits = []unit{
	{"b", 1}, {"k", 1 << 10}, {"kb", 1 << 10}, {"kbit", 1 << 7}, {"m", 1 << 20}, {"mb", 1 << 20},
	{"mbit", 1 << 17}, {"g", 1 << 30}, {"gb", 1 << 30}, {"gbit", 1 << 27}, {"", 1},
}

var timeUnits = []unit{
	{"s", 1e6}, {"sec", 1e6}, {"secs", 1e6}, {"ms", 1e3}, {"msec", 1e3}, {"msecs", 1e3},
	{"us", 1}, {"usec", 1}, {"usecs", 1}, {"", 1},
}

// measure reads a decimal number followed by a unit and gives it in base units,
// rounded down.
func measure(s, what string, units []unit, limit float64) (uint64, error) {
	end := strings.LastIndexAny(s, "0123456789.") + 1
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || strings.ContainsAny(s[:end], "eExXpP_") {
		return 0, fmt.Errorf("%q is not a %s", s, what)
	}
	suffix := strings.ToLower(s[end:])
	for _, u := range units {
		if u.suffix == suffix {
			if n*u.factor > limit {
				return 0, fmt.Errorf("%q is too large a %s", s, what)
			}
			return uint64(n * u.factor), nil
		}
	}
	return 0, fmt.Errorf("%q is not a %s: unknown unit %q", s, what, s[end:])
}

// ParseRate reads a tc(8) rate such as "12mbit" and gives bit/s.
func ParseRate(s string) (uint64, error) {
	return measure(s, "rate", rateUnits, 1<<62)
}

// ParseSize reads a tc(8) size such as "4mb" and gives bytes.
func ParseSize(s string) (uint32, error) {
	n, err := measure(s, "size", sizeUnits, math.MaxUint32)
	return uint32(n), err
}

// ParseTime reads a tc(8) time such as "5ms" and gives microseconds.
func ParseTime(s string) (uint32, error) {
	n, err := measure(s, "time", timeUnits, math.MaxUint32)
	return uint32(n), err
}

// parseU32 reads an unsigned number as C does: decimal, octal behind 0 or
// hexadecimal behind 0x.
func parseU32(s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 0, 32)
	if err != nil || strings.ContainsAny(s, "_oO") || strings.HasPrefix(strings.ToLower(s), "0b") {
		return 0, fmt.Errorf("%q is not a number from 0 to 4294967295", s)
	}
	return uint32(n), nil
}

// upTo makes a reader of numbers, written as for parseU32, with a limit.
func upTo(limit uint32) func(string) (uint32, error) {
	return func(s string) (uint32, error) {
		n, err := parseU32(s)
		if err != nil || n > limit {
			return 0, fmt.Errorf("%q is not a number from 0 to %d", s, limit)
		}
		return n, nil
	}
}

// parseDecimal reads an unsigned number that has to be decimal.
func parseDecimal[T uint16 | uint32](s string) (T, error) {
	limit := ^T(0)
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > uint64(limit) {
		return 0, fmt.Errorf("%q is not a decimal number from 0 to %d", s, limit)
	}
	return T(n), nil
}

// parseWithin makes a reader of signed numbers in a range, written as for
// parseU32.
func parseWithin(low, high int32) func(string) (int32, error) {
	return parseSignedIn(0, low, high)
}

// parseSignedIn makes a reader of signed numbers to a base, 0 for any that C has.
func parseSignedIn(base int, low, high int32) func(string) (int32, error) {
	return func(s string) (int32, error) {
		n, err := strconv.ParseInt(s, base, 32)
		if err != nil || int32(n) < low || int32(n) > high {
			return 0, fmt.Errorf("%q is not a number from %d to %d", s, low, high)
		}
		return int32(n), nil
	}
}

// rateText writes bit/s in the largest unit that loses nothing.
func rateText(bits uint64) string {
	for _, u := range []unit{{"Gbit", 1e9}, {"Mbit", 1e6}, {"Kbit", 1e3}} {
		if f := uint64(u.factor); bits >= f && bits%f == 0 {
			return strconv.FormatUint(bits/f, 10) + u.suffix
		}
	}
	return strconv.FormatUint(bits, 10) + "bit"
}

// sizeText writes bytes.
func sizeText(n uint32) string { return strconv.FormatUint(uint64(n), 10) + "b" }

// timeText writes microseconds in the largest unit that loses nothing.
func timeText(us uint32) string {
	switch {
	case us >= 1e6 && us%1e6 == 0:
		return strconv.Itoa(int(us/1e6)) + "s"
	case us >= 1e3 && us%1e3 == 0:
		return strconv.Itoa(int(us/1e3)) + "ms"
	}
	return strconv.FormatUint(uint64(us), 10) + "us"
}

func numberText[T int32 | uint32 | uint16 | int](n T) string { return fmt.Sprint(n) }

// codelRounded is what codel-like qdiscs give back for a time in microseconds:
// they keep it in units of 1024 ns (codel_time_t, net/codel.h).
func codelRounded(us uint32) uint32 {
	return uint32(uint64(us) * 1000 >> 10 << 10 / 1000)
}

// same compares an optional field asked for with the kernel's.
func same[T comparable](want, have *T) bool {
	return want == nil || have != nil && *want == *have
}
