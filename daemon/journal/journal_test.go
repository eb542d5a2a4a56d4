// SPDX-License-Identifier: GPL-2.0-or-later

package journal

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lines keeps what is written, one element a Write.
type lines struct{ all []string }

func (l *lines) Write(line []byte) (int, error) {
	l.all = append(l.all, string(line))
	return len(line), nil
}

// said is one call of Log.
type said struct {
	at        time.Duration
	verbosity int
	e         Entry
}

// upload is an entry about one direction of wan.
func upload(level Level, text string) Entry {
	return Entry{level, "wan", "eth1", "upload", text}
}

// times returns n calls with entries of different text, a second apart.
func times(n int, from time.Duration, level Level, word string) []said {
	var all []said
	for i := range n {
		all = append(all, said{from + time.Duration(i)*time.Second, 10, upload(level, fmt.Sprintf("%s %d", word, i))})
	}
	return all
}

func concat(parts ...[]said) []said {
	var all []said
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// same returns n calls with one entry, a period apart.
func same(n int, from, period time.Duration, e Entry) []said {
	var all []said
	for i := range n {
		all = append(all, said{from + time.Duration(i)*period, 10, e})
	}
	return all
}

func TestLog(t *testing.T) {
	up, down := upload(Info, "link up"), upload(Info, "link down")
	tests := []struct {
		name string
		said []said
		want []string
	}{
		{
			name: "levels and verbosity",
			said: []said{
				{0, 0, upload(Error, "a")}, {0, 0, upload(Warning, "not b")},
				{0, 1, upload(Error, "c")}, {0, 1, upload(Warning, "not d")},
				{0, 2, upload(Warning, "e")}, {0, 2, upload(Info, "not f")},
				{0, 5, upload(Info, "g")}, {0, 5, upload(Debug, "not h")},
				{0, 8, upload(Debug, "i")}, {0, 8, upload(Trace, "not j")},
				{0, 10, upload(Trace, "k")}, {0, -5, upload(Error, "l")}, {0, -5, upload(Warning, "not m")},
			},
			want: []string{
				"error: wan (eth1) upload: a\n", "error: wan (eth1) upload: c\n", "warning: wan (eth1) upload: e\n",
				"wan (eth1) upload: g\n", "wan (eth1) upload: i\n", "wan (eth1) upload: k\n", "error: wan (eth1) upload: l\n",
			},
		},
		{
			name: "a repetition is told before the next line",
			said: concat(same(4, 0, time.Second, up), same(2, 9*time.Second, time.Second, down), same(1, 20*time.Second, 0, up)),
			want: []string{
				"wan (eth1) upload: link up\n", "wan (eth1) upload: link up (repeated 3 times)\n",
				"wan (eth1) upload: link down\n", "wan (eth1) upload: link down (repeated once)\n",
				"wan (eth1) upload: link up\n",
			},
		},
		{
			name: "another subject does not end a repetition, another level does",
			said: []said{
				{0, 5, up}, {0, 5, Entry{Info, "wan", "eth1", "download", "link up"}}, {0, 5, up},
				{0, 5, upload(Debug, "not shown")}, {0, 5, up}, {0, 5, upload(Warning, "link up")},
			},
			want: []string{
				"wan (eth1) upload: link up\n", "wan (eth1) download: link up\n",
				"wan (eth1) upload: link up (repeated 2 times)\n", "warning: wan (eth1) upload: link up\n",
			},
		},
		{
			name: "a repetition is told after ten minutes",
			said: concat(same(1205, time.Hour, time.Second, up), same(1, 2*time.Hour, 0, down)),
			want: []string{
				"wan (eth1) upload: link up\n", "wan (eth1) upload: link up (repeated 600 times)\n",
				"wan (eth1) upload: link up (repeated 600 times)\n", "wan (eth1) upload: link up (repeated 4 times)\n",
				"wan (eth1) upload: link down\n",
			},
		},
		{
			name: "the same once an hour is no repetition",
			said: same(3, 0, time.Hour, up),
			want: []string{"wan (eth1) upload: link up\n", "wan (eth1) upload: link up\n", "wan (eth1) upload: link up\n"},
		},
		{
			name: "a flood, and another after it",
			said: concat(times(40, 0, Info, "flood"), times(2, 50*time.Second, Info, "later"), times(12, 20*time.Minute, Info, "anew")),
			want: append(append(numbered("flood", 0, 10),
				"wan (eth1) upload: 20 lines left out\n", "wan (eth1) upload: flood 30\n", // 30 s after the first
				"wan (eth1) upload: 11 lines left out\n"), // 9, and 2 within a minute of the first
				numbered("anew", 0, 10)...),
		},
		{
			name: "one line left out",
			said: concat(times(11, 0, Warning, "w"), []said{{time.Minute, 10, upload(Warning, "x")}}),
			want: append(prefixed("warning: ", numbered("w", 0, 10)),
				"warning: wan (eth1) upload: 1 line left out\n", "warning: wan (eth1) upload: x\n"),
		},
		{
			name: "a flood does not hide an error, nor a warning",
			said: concat(times(20, 0, Trace, "t"), times(1, 20*time.Second, Error, "e"), times(1, 20*time.Second, Warning, "w"), times(1, 21*time.Second, Info, "i")),
			want: append(numbered("t", 0, 10), "error: wan (eth1) upload: e 0\n", "warning: wan (eth1) upload: w 0\n", "wan (eth1) upload: i 0\n"),
		},
		{
			name: "errors are limited too",
			said: concat(times(29, 0, Error, "e"), times(1, 30*time.Second, Error, "f")),
			want: append(prefixed("error: ", numbered("e", 0, 10)),
				"error: wan (eth1) upload: 19 lines left out\n", "error: wan (eth1) upload: f 0\n"),
		},
		{
			name: "what was left out is not repeated later",
			said: concat(times(10, 0, Info, "flood"), same(3, 10*time.Second, time.Second, up), same(2, 40*time.Second, time.Second, up), same(1, time.Minute, 0, down)),
			want: append(numbered("flood", 0, 10), "wan (eth1) upload: 3 lines left out\n", "wan (eth1) upload: link up\n",
				"wan (eth1) upload: link up (repeated once)\n", "wan (eth1) upload: link down\n"),
		},
		{
			name: "after a line that was left out there is no repetition of the one before",
			said: concat(times(10, 0, Info, "flood"), []said{{10 * time.Second, 5, up}, {11 * time.Second, 5, upload(Info, "flood 9")}, {30 * time.Second, 5, down}}),
			want: append(numbered("flood", 0, 10), "wan (eth1) upload: 2 lines left out\n", "wan (eth1) upload: link down\n"),
		},
		{
			name: "thirty seconds count from the first line",
			said: concat(times(12, 58*time.Second, Info, "flood"), []said{{88 * time.Second, 5, up}}),
			want: append(numbered("flood", 0, 10), "wan (eth1) upload: 2 lines left out\n", "wan (eth1) upload: link up\n"),
		},
		{
			name: "a clock that goes back gives no budget",
			said: concat(times(5, time.Hour, Info, "later"), times(20, 0, Info, "before")),
			want: append(numbered("later", 0, 5), numbered("before", 0, 5)...),
		},
		{
			name: "a repetition takes nothing of the budget",
			said: concat(times(9, 0, Info, "flood"), same(500, 9*time.Second, time.Millisecond, up), times(1, 10*time.Second, Info, "out")),
			want: append(numbered("flood", 0, 9), "wan (eth1) upload: link up\n", "wan (eth1) upload: link up (repeated 499 times)\n"),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var w lines
			j := New(&w)
			for _, s := range test.said {
				j.Log(s.at, s.verbosity, s.e)
			}
			if diff := cmp.Diff(test.want, w.all); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// numbered returns the lines of entries made by times.
func numbered(word string, from, to int) []string {
	var all []string
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("wan (eth1) upload: %s %d\n", word, i))
	}
	return all
}

func prefixed(prefix string, all []string) []string {
	for i := range all {
		all[i] = prefix + all[i]
	}
	return all
}

// TestFloodIsBounded holds the size of the log of an hour in which ten subjects say
// something ten times a second, with each level and some of it twice.
func TestFloodIsBounded(t *testing.T) {
	var w lines
	j := New(&w)
	for i := range 36000 {
		for s := range 10 {
			e := Entry{[]Level{Error, Warning, Info, Debug, Trace}[i/2%5], "wan", "eth1", fmt.Sprint(s), fmt.Sprint(i / 4)}
			j.Log(time.Duration(i)*100*time.Millisecond, 10, e)
		}
	}
	// The budget, and with each line at most one of repetitions and one of lines left out.
	most := 10 * 5 * 3 * (burst + 3600/30)
	if len(w.all) > most || len(w.all) < most/3-50 {
		t.Errorf("%d lines, want at most %d", len(w.all), most)
	}
}

// TestSubjectsAreBounded holds that more subjects than there are places for share
// the budgets of the places, and that the one heard of last is not forgotten.
func TestSubjectsAreBounded(t *testing.T) {
	var w lines
	j := New(&w)
	for i := range 100000 {
		j.Log(time.Second, 5, Entry{Info, fmt.Sprint("queue", i), "", "upload", "new"})
		j.Log(time.Second, 5, upload(Info, "the same"))
	}
	if want := (maxSubjects-1)*burst + 1; len(w.all) != want {
		t.Errorf("%d lines, want %d", len(w.all), want)
	}
	w.all = nil
	j.Log(2*time.Second, 5, upload(Info, "another"))
	want := []string{"wan (eth1) upload: the same (repeated 99999 times)\n", "wan (eth1) upload: another\n"}
	if diff := cmp.Diff(want, w.all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestForgotten holds that nothing of a forgotten subject is told of another.
func TestForgotten(t *testing.T) {
	var w lines
	j := New(&w)
	for _, s := range times(15, 0, Info, "flood") {
		j.Log(s.at, s.verbosity, s.e)
	}
	j.Log(time.Minute, 5, upload(Warning, "w"))
	j.Log(time.Minute, 5, upload(Warning, "w"))
	for i := range maxSubjects - 1 {
		j.Log(time.Hour, 5, Entry{Info, fmt.Sprint(i), "", "", "x"})
	}
	w.all = nil
	j.Log(time.Hour, 5, Entry{Info, "lan", "", "", "y"})
	j.Log(time.Hour, 5, upload(Warning, "w"))
	if diff := cmp.Diff([]string{"lan: y\n", "warning: wan (eth1) upload: w\n"}, w.all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTimeBackwards holds that a clock that is wrong costs lines, and no more.
func TestTimeBackwards(t *testing.T) {
	var w bytes.Buffer
	j := New(&w)
	for i, at := range []time.Duration{0, math.MaxInt64, math.MinInt64, -1, math.MaxInt64, 5} {
		j.Log(at, 5, upload(Info, fmt.Sprint(i)))
		j.Log(at, 5, upload(Info, "the same"))
	}
	if got := strings.Count(w.String(), "\n"); got < 10 || got > 12 {
		t.Errorf("%d lines:\n%s", got, w.String())
	}
}

// broken counts the lines that it was to write.
type broken struct{ calls int }

func (b *broken) Write([]byte) (int, error) {
	b.calls++
	return 0, io.ErrClosedPipe
}

func TestWriteErrors(t *testing.T) {
	var w broken
	j := New(&w)
	for i := range 3 {
		j.Log(0, 5, upload(Info, fmt.Sprint(i)))
	}
	if w.calls != 3 {
		t.Errorf("%d lines tried, want 3", w.calls)
	}
}

// TestMemory holds that known subjects cost no memory: a daemon that lives for
// months says much.
func TestMemory(t *testing.T) {
	var w broken
	j := New(&w)
	now := time.Duration(0)
	long := upload(Info, strings.Repeat("long\x01\U0010ffff", 1000))
	short := upload(Warning, "short")
	got := testing.AllocsPerRun(1000, func() {
		now += time.Minute
		j.Log(now, 5, short)
		j.Log(now, 5, short)
		j.Log(now, 5, upload(Error, "failed"))
	})
	if got != 0 || w.calls < 3000 {
		t.Errorf("%v allocations for three entries, %d lines in all", got, w.calls)
	}
	long.Queue, long.Direction = long.Text, long.Text
	j.Log(now, 5, long)
	j.Log(now, 5, long)
	j.Log(now, 5, upload(Info, "short"))
	s := j.subjects.find(long.Queue, long.Direction)
	for what, size := range map[string]int{"entry": cap(j.entry), "out": cap(j.out), "last": cap(s.last)} {
		if size != roomForLine {
			t.Errorf("room for %d bytes of %s", size, what)
		}
	}
	if len(s.queue) != maxPart || len(s.direction) != maxPart {
		t.Errorf("names of %d and %d bytes are kept", len(s.queue), len(s.direction))
	}
}
