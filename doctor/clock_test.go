// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"testing"
	"time"
)

func TestClockOfThisMachine(t *testing.T) {
	if err := CheckClock(); err != nil {
		t.Error(err)
	}
}

func TestJudgeClock(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name string
		at   func(n int) time.Duration // the n-th reading, from 0
		want string
	}{
		{"fine", func(n int) time.Duration { return time.Duration(n) * 300 }, ""},
		{"coarse", func(n int) time.Duration { return time.Duration(n/20000) * 10 * time.Millisecond }, ""},
		{"busy machine", func(n int) time.Duration { return time.Duration(n) * time.Second }, ""},
		{"still", func(int) time.Duration { return 0 }, "the clock stands still"},
		{"back", func(n int) time.Duration { return -time.Duration(n) }, "the clock jumped by -1ns between two readings"},
		{"garbage at first", func(int) time.Duration { return -30 * day }, "the clock jumped by -720h0m0s between two readings"},
		{"garbage later", func(n int) time.Duration { return time.Duration(n/3) * day }, "the clock jumped by 24h0m0s between two readings"},
	} {
		n := -1
		err := judgeClock(func() time.Duration { n++; return c.at(n) })
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
