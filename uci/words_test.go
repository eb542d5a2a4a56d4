// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import "testing"

func TestNearest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"fq_codel", "fq_codel"},
		{"fqcodel", "fq_codel"},
		{"fq-codel", "fq_codel"},
		{"efq_codel", "fq_codel"},
		{"cakes", "cake"},
		{"kake", "cake"},
		{"coddel", "codel"},
		{"red", ""},
		{"drr", ""},
		{"", ""},
		{"an entirely different thing", ""},
	} {
		if got := nearest(c.word, leafQdiscs); got != c.want {
			t.Errorf("nearest to %q is %q, want %q", c.word, got, c.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"abc", "abc", 0}, {"abc", "axc", 1},
		{"abc", "ac", 1}, {"ac", "abc", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestQuantities(t *testing.T) {
	const bad = -1
	for _, c := range []struct {
		kind string
		read func(string) (int64, bool)
		in   map[string]int64
	}{
		{"digits", digits, map[string]int64{"0": 0, "007": 7, "9223372036854775807": 9223372036854775807,
			"9223372036854775808": bad, "": bad, "+1": bad, "-1": bad, " 1": bad, "1 ": bad, "0x1": bad, "1_0": bad, "1e3": bad, "1.0": bad, "\u0663": bad}},
		{"signed", signedDigits, map[string]int64{"-5": -5, "5": 5, "-0": 0, "--5": bad, "-": bad, "+5": bad}},
		{"duration", duration, map[string]int64{"5ms": 5000, "5msec": 5000, "5msecs": 5000, "7us": 7, "7usec": 7, "7usecs": 7, "2s": 2_000_000, "2sec": 2_000_000, "2secs": 2_000_000,
			"5": bad, "5 ms": bad, "ms": bad, "1.5ms": bad, "-5ms": bad, "5MS": bad, "9223372036854775807s": bad}},
		{"round trip time", roundTripTime, map[string]int64{"satellite": 1_000_000, "internet": 100_000, "interplanetary": 3_600_000_000, "30ms": 30_000, "Internet": bad, "30": bad}},
		{"size", size, map[string]int64{"4194304": 4 << 20, "4mb": 4 << 20, "4M": 4 << 20, "32k": 32 << 10, "32kb": 32 << 10, "1g": 1 << 30, "1GB": 1 << 30, "10b": 10,
			"4mbit": bad, "mb": bad, "4 mb": bad, "9999999999g": bad}},
		{"meant rate", kbitOf, map[string]int64{"50Mbit": 50_000, "50 mbit": 50_000, "1gbit": 1_000_000, "20000 ": 20_000, "20mbps": 20_000, "85.5": bad, "1,000": bad, "fast": bad, "9223372036854775807g": bad}},
	} {
		for in, want := range c.in {
			got, ok := c.read(in)
			if !ok {
				got = bad
			}
			if got != want {
				t.Errorf("%s of %q is %d, want %d", c.kind, in, got, want)
			}
		}
	}
}

func TestBoolean(t *testing.T) {
	type result struct{ value, clean, ok bool }
	for in, want := range map[string]result{
		"1": {true, true, true}, "on": {true, true, true}, "Yes": {true, true, true}, "TRUE": {true, true, true}, "enabled": {true, true, true},
		"0": {false, true, true}, "off": {false, true, true}, "no": {false, true, true}, "False": {false, true, true}, "disabled": {false, true, true},
		"01": {true, false, true}, "2": {false, false, true}, "-1": {false, false, true}, "00": {false, false, true},
		"": {}, "y": {}, " 1": {}, "1 ": {}, "maybe": {},
	} {
		value, clean, ok := boolean(in)
		if got := (result{value, clean, ok}); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}
