// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// digits reads a plain decimal number: no sign, no blanks, leading zeros
// allowed. It reports false for anything else and beyond int64.
func digits(s string) (int64, bool) {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// signedDigits reads a plain decimal number with an optional minus.
func signedDigits(s string) (int64, bool) {
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		n, ok := digits(rest)
		return -n, ok
	}
	return digits(s)
}

// numberAndUnit splits "12ms" into 12 and "ms".
func numberAndUnit(s string) (n int64, unit string, ok bool) {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n, ok = digits(s[:i])
	return n, s[i:], ok
}

// scaled multiplies, and reports false where the result exceeds int64.
func scaled(n, factor int64) (int64, bool) {
	if n > math.MaxInt64/factor {
		return 0, false
	}
	return n * factor, true
}

// duration reads a whole number with one of [DurationUnits], in microseconds.
func duration(s string) (int64, bool) {
	n, unit, ok := numberAndUnit(s)
	if !ok {
		return 0, false
	}
	return inUnits(DurationUnits, n, unit)
}

// Unit is a suffix of a number, and how much of the base unit it stands for.
type Unit struct {
	Name   string
	Factor int64
}

// DurationUnits are those of [KindDuration], in microseconds. A number without one
// is none. They are tc(8)'s.
var DurationUnits = []Unit{
	{"s", 1_000_000}, {"sec", 1_000_000}, {"secs", 1_000_000},
	{"ms", 1000}, {"msec", 1000}, {"msecs", 1000},
	{"us", 1}, {"usec", 1}, {"usecs", 1},
}

// SizeUnits are those of [KindSize], in bytes and in any case. They are tc(8)'s,
// whose k, m and g are powers of 1024.
var SizeUnits = []Unit{
	{"", 1}, {"b", 1}, {"k", 1 << 10}, {"kb", 1 << 10}, {"m", 1 << 20}, {"mb", 1 << 20}, {"g", 1 << 30}, {"gb", 1 << 30},
}

func inUnits(units []Unit, n int64, name string) (int64, bool) {
	for _, u := range units {
		if u.Name == name {
			return scaled(n, u.Factor)
		}
	}
	return 0, false
}

// namedRTT holds the round trip times cake has names for, in microseconds
// (tc-cake(8), round trip time parameters).
var namedRTT = []struct {
	name string
	us   int64
}{
	{"datacentre", 100}, {"lan", 1000}, {"metro", 10_000}, {"regional", 30_000},
	{"internet", 100_000}, {"oceanic", 300_000}, {"satellite", 1_000_000}, {"interplanetary", 3_600_000_000},
}

func namesOfRTT() []string {
	var names []string
	for _, r := range namedRTT {
		names = append(names, r.name)
	}
	return names
}

// roundTripTime reads a duration or one of cake's names, in microseconds.
func roundTripTime(s string) (int64, bool) {
	if i := slices.Index(namesOfRTT(), s); i >= 0 {
		return namedRTT[i].us, true
	}
	return duration(s)
}

// size reads a number of bytes with one of [SizeUnits].
func size(s string) (int64, bool) {
	n, unit, ok := numberAndUnit(s)
	if !ok {
		return 0, false
	}
	return inUnits(SizeUnits, n, strings.ToLower(unit))
}

// kbitOf guesses what rate in kbit/s was meant by a number with a unit, such as
// "50Mbit".
func kbitOf(s string) (int64, bool) {
	n, unit, ok := numberAndUnit(strings.ReplaceAll(s, " ", ""))
	if !ok {
		return 0, false
	}
	switch strings.ToLower(unit) {
	case "", "k", "kbit", "kbps", "kbit/s":
		return n, true
	case "m", "mbit", "mbps", "mbit/s":
		return scaled(n, 1000)
	case "g", "gbit", "gbps", "gbit/s":
		return scaled(n, 1_000_000)
	}
	return 0, false
}

// Truths and Falsehoods are the words that [KindFlag] can be, in any case.
var (
	Truths     = []string{"1", "on", "yes", "true", "enabled"}
	Falsehoods = []string{"0", "off", "no", "false", "disabled"}
)

// boolean reads OpenWrt's truth values in any case. As in sqm-scripts a number
// is true if it is 1, whatever its leading zeros; clean is false where the
// number is neither 0 nor 1 as it should be written.
func boolean(s string) (value, clean, ok bool) {
	word := strings.ToLower(s)
	if yes := slices.Contains(Truths, word); yes || slices.Contains(Falsehoods, word) {
		return yes, true, true
	}
	n, ok := signedDigits(s)
	return n == 1, false, ok
}
