// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"sqmd/daemon"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9]*m")

// FuzzFrame draws any report into any window: nothing is wider or higher, and
// nothing but our colours reaches the terminal.
func FuzzFrame(f *testing.F) {
	for i, test := range pictures {
		text, err := json.Marshal(test.report(uint64(i)))
		if err != nil {
			f.Fatal(err)
		}
		for _, width := range []uint8{0, 1, 2, 13, 14, 20, 40, 80, 111, 132, 255} {
			f.Add(text, width, uint8(i*5), uint16(1000))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, width, height uint8, ms uint16) {
		var r daemon.Report
		if json.Unmarshal(data, &r) != nil {
			return
		}
		var p picture
		p.add(sample(1), nil, noon)
		p.add(r, nil, noon.Add(time.Duration(ms)*time.Millisecond))
		checkFrame(t, p.frame(int(width), int(height)), int(width), int(height))
		for _, c := range p.plain(noon) {
			if c != '\n' && !plainRune(c) {
				t.Fatalf("%q in a plain line", c)
			}
		}
	})
}

func checkFrame(t *testing.T, lines []line, width, height int) {
	t.Helper()
	if len(lines) > height {
		t.Fatalf("%d lines in %d", len(lines), height)
	}
	if len(lines) == 0 && width > 0 && height > 0 {
		t.Fatal("nothing is drawn")
	}
	for _, l := range lines {
		text := l.text(false)
		if columns := len([]rune(text)); columns > width || columns != l.columns() {
			t.Fatalf("%d columns in %d, said to be %d: %q", columns, width, l.columns(), text)
		}
		for _, c := range text {
			if !plainRune(c) {
				t.Fatalf("%q in %q", c, text)
			}
		}
		if bare := sgr.ReplaceAllString(l.text(true), ""); bare != text {
			t.Fatalf("in colour %q, without %q", bare, text)
		}
	}
}

// TestAllSizes draws every picture into every window up to a size.
func TestAllSizes(t *testing.T) {
	for _, test := range pictures {
		p := paint(test.report, test.failure)
		for width := range 150 {
			for _, height := range []int{0, 2, 24} {
				checkFrame(t, p.frame(width, height), width, height)
			}
		}
	}
}

func FuzzClip(f *testing.F) {
	for _, text := range []string{"", "eth1", "büro", "客", "\x1b[2J", "a\xffb", "\u202eabc", "e\u0301", "ｆ"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = min(width, 500)
		got := []rune(clip(text, width))
		if len(got) > max(0, width) {
			t.Fatalf("%q is %d columns, %d are allowed", string(got), len(got), width)
		}
		for _, c := range got {
			if !plainRune(c) {
				t.Fatalf("%q in %q", c, string(got))
			}
		}
	})
}
