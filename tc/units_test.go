// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"strings"
	"testing"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "8": 8, "12mbit": 12e6, "12Mbit": 12e6, "1.5mbit": 1500000, ".5gbit": 5e8, "5.kbit": 5000, "33333bit": 33333,
		"1kibit": 1024, "1mibit": 1 << 20, "1gibit": 1 << 30, "1tibit": 1 << 40, "2tbit": 2e12,
		"1bps": 8, "1kbps": 8000, "1mbps": 8e6, "1gbps": 8e9, "1tbps": 8e12, "1kibps": 8192, "1mibps": 8 << 20, "1gibps": 8 << 30, "1tibps": 8 << 40,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]uint32{
		"0": 0, "1514": 1514, "1514b": 1514, "5k": 5120, "5kb": 5120, "4mb": 4 << 20, "4M": 4 << 20, "3g": 3 << 30, "3gb": 3 << 30,
		"8kbit": 1024, "8mbit": 1 << 20, "8gbit": 1 << 30, "1.5k": 1536, "4294967295": 4294967295,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]uint32{
		"0": 0, "5": 5, "5us": 5, "5usec": 5, "5usecs": 5, "5ms": 5000, "5msec": 5000, "5msecs": 5000, "1s": 1e6, "1sec": 1e6, "1secs": 1e6,
		"13992us": 13992, "1.5ms": 1500, "4294s": 4294000000,
	} {
		if got, err := ParseTime(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// What a careless or hostile hand writes is refused by every unit.
func TestParseUnitsRefuse(t *testing.T) {
	hostile := []string{"", " ", "-1", "-1mbit", "-1kb", "-0.1ms", "1e9", "1e9bit", "1E3ms", "NaN", "nan", "inf", "+Inf", "0x10", "0x1p4", " 5", "5 ", "5 ms", "1_000", "1..5", ".",
		"mbit", "5mbits", "5xb", "5%", "٣mbit", "9999999999999999999tbit", "99999999999999999999999999999999", strings.Repeat("9", 400), "5\n", "5ms;", "--5", "5k5"}
	for _, text := range hostile {
		if n, err := ParseRate(text); err == nil {
			t.Errorf("rate %q is %d", text, n)
		}
		if n, err := ParseSize(text); err == nil {
			t.Errorf("size %q is %d", text, n)
		}
		if n, err := ParseTime(text); err == nil {
			t.Errorf("time %q is %d", text, n)
		}
	}
	for _, text := range []string{"4294967296", "5gb", "5t"} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("size %q is %d", text, n)
		}
	}
	if n, err := ParseTime("4295s"); err == nil {
		t.Errorf("time 4295s is %d", n)
	}
}

// The texts that we write are read as the same figure.
func TestUnitTexts(t *testing.T) {
	for _, n := range []uint64{0, 1, 999, 1000, 1001, 33333, 1e6, 1500000, 1e9, 2500000000, 34359738368, 40e9, 1e12, 1 << 52} {
		if got, err := ParseRate(rateText(n)); err != nil || got != n {
			t.Errorf("rate %d is written %q and read %d, %v", n, rateText(n), got, err)
		}
		small := uint32(n)
		if got, err := ParseSize(sizeText(small)); err != nil || got != small {
			t.Errorf("size %d is written %q and read %d, %v", small, sizeText(small), got, err)
		}
		if got, err := ParseTime(timeText(small)); err != nil || got != small {
			t.Errorf("time %d is written %q and read %d, %v", small, timeText(small), got, err)
		}
	}
}

func FuzzUnits(f *testing.F) {
	for _, s := range []string{"12mbit", "4mb", "5ms", "-1mbit", "1e9", "NaN", "0x10", " 5", "9999999999999999999tbit"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseRate(s); err == nil && n < 1<<53 {
			if again, err := ParseRate(rateText(n)); err != nil || again != n {
				t.Errorf("rate %q is %d, then %d, %v", s, n, again, err)
			}
		}
		if n, err := ParseSize(s); err == nil {
			if again, err := ParseSize(sizeText(n)); err != nil || again != n {
				t.Errorf("size %q is %d, then %d, %v", s, n, again, err)
			}
		}
		if n, err := ParseTime(s); err == nil {
			if again, err := ParseTime(timeText(n)); err != nil || again != n {
				t.Errorf("time %q is %d, then %d, %v", s, n, again, err)
			}
		}
	})
}
