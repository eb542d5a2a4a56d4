// SPDX-License-Identifier: GPL-2.0-or-later

package history

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// model keeps everything and works it out anew for each question.
type model struct {
	series  int
	base    []Counters // nil after a gap
	lastS   int64
	samples []modelSample
}

type modelSample struct {
	endS, elapsedS int64
	before, now    []Counters
}

func (m *model) record(atS int64, c []Counters) {
	if atS <= m.lastS {
		return
	}
	now := append([]Counters(nil), c...)
	if m.base != nil && !m.restarted(now) {
		m.samples = append(m.samples, modelSample{atS, atS - m.lastS, m.base, now})
	}
	m.base, m.lastS = now, atS
}

// restarted tells whether any counter is behind, where a wrap is a small step from
// the upper half of the range to the lower.
func (m *model) restarted(now []Counters) bool {
	behind := func(a, b uint32) bool { return (int64(b)-int64(a)+1<<32)%(1<<32) >= 1<<31 }
	for i := range now {
		if now[i].SentBytes < m.base[i].SentBytes || behind(m.base[i].Drops, now[i].Drops) || behind(m.base[i].Marks, now[i].Marks) {
			return true
		}
	}
	return false
}

// grouped returns what the samples come to that end in the same step, for one
// series.
func (m *model) grouped(stepS int64, series int) []sample {
	var all []sample
	for from := 0; from < len(m.samples); {
		end := (m.samples[from].endS + stepS - 1) / stepS * stepS
		to := from
		for to < len(m.samples) && m.samples[to].endS <= end {
			to++
		}
		if end <= m.lastS {
			all = append(all, m.merge(end, m.samples[from:to], series))
		}
		from = to
	}
	return all
}

func (m *model) merge(endS int64, group []modelSample, series int) sample {
	bits, seconds, drops, marks, avg := new(big.Int), int64(0), uint64(0), uint64(0), uint64(0)
	out := sample{TimeS: endS}
	for _, s := range group {
		a, b := s.before[series], s.now[series]
		sent := new(big.Int).SetUint64(b.SentBytes - a.SentBytes)
		bits.Add(bits, sent.Mul(sent, big.NewInt(8)))
		seconds += s.elapsedS
		drops += (uint64(b.Drops) + 1<<32 - uint64(a.Drops)) % (1 << 32)
		marks += (uint64(b.Marks) + 1<<32 - uint64(a.Marks)) % (1 << 32)
		avg += uint64(b.AvgDelayUs)
		out.PeakUs = max(out.PeakUs, b.PeakDelayUs)
		out.BacklogsBytes = max(out.BacklogsBytes, b.BacklogBytes)
	}
	out.RateKbit = math.MaxUint32
	if rate := bits.Div(bits, big.NewInt(1000*seconds)); rate.IsUint64() && rate.Uint64() < math.MaxUint32 {
		out.RateKbit = uint32(rate.Uint64())
	}
	out.Drops = uint32(min(drops, math.MaxUint32))
	out.Marks = uint32(min(marks, math.MaxUint32))
	out.AvgUs = uint32(avg / uint64(len(group)))
	return out
}

// newest returns the last n of the samples.
func newest(all []sample, n int) []sample {
	return all[max(0, len(all)-n):]
}

// life is a random life of a shaper: mostly seconds, with standstills, looks that
// come too early, gaps, restarts and counters about to wrap.
type life struct {
	*rand.Rand
	atS     int64
	c       []Counters
	slowest int // the usual interval is 1 to this, in seconds
}

func (l *life) step() {
	switch n := l.Intn(200); {
	case n == 0:
		l.atS += l.Int63n(5000)
	case n < 4:
		l.atS += l.Int63n(150)
	case n < 8:
		l.atS -= l.Int63n(4)
	default:
		l.atS += 1 + int64(l.Intn(l.slowest))
	}
	l.atS = max(l.atS, 0)
	for i := range l.c {
		c := &l.c[i]
		c.SentBytes += uint64(l.Int63n(1 << l.Intn(40)))
		c.Drops += uint32(l.Int63n(1 << l.Intn(32)))
		c.Marks += uint32(l.Int63n(1 << l.Intn(32)))
		c.PeakDelayUs, c.AvgDelayUs, c.BacklogBytes = l.Uint32(), l.Uint32(), l.Uint32()
	}
	if one := &l.c[l.Intn(len(l.c))]; l.Intn(150) == 0 {
		*one = Counters{SentBytes: l.Uint64() >> l.Intn(40), Drops: l.Uint32(), Marks: l.Uint32()}
	}
}

func TestAgainstModel(t *testing.T) {
	for seed := int64(1); seed <= 12; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewSource(seed))
			n := 1 + r.Intn(MaxSeries)
			l := &life{Rand: r, c: make([]Counters, n), slowest: []int{1, 2, 60, 100}[seed%4]}
			d, m := New(make([]string, n)), &model{series: n, lastS: -1}
			for range 4 {
				for range r.Intn(1500) {
					l.step()
					if r.Intn(100) == 0 {
						d.Gap()
						m.base = nil
					}
					d.Record(l.atS, l.c)
					m.record(l.atS, l.c)
				}
				compare(t, r, d, m)
			}
		})
	}
}

// compare walks through the whole of both rings in pages of random size and holds
// it against the model.
func compare(t *testing.T, r *rand.Rand, d *Direction, m *model) {
	t.Helper()
	for step, kept := range map[int]int{1: keptSeconds, 60: keptMinutes} {
		got := make([][]sample, m.series)
		for q := (Query{SinceS: -1, StepS: step}); ; {
			q.Limit = r.Intn(2) * r.Intn(200)
			a := answer(t, d, q)
			checkBounds(t, q, a)
			for i := range got {
				got[i] = append(got[i], samples(a, i)...)
			}
			if !a.More {
				break
			}
			if a.NextS <= q.SinceS {
				t.Fatalf("%+v goes on at %d", q, a.NextS)
			}
			q.SinceS = a.NextS
		}
		for i := range got {
			if diff := cmp.Diff(newest(m.grouped(int64(step), i), kept), got[i]); diff != "" {
				t.Fatalf("step %d, series %d (-want +got):\n%s", step, i, diff)
			}
		}
	}
}

func checkBounds(t *testing.T, q Query, a Answer) {
	t.Helper()
	values := len(a.TimesS)
	for _, s := range a.Series {
		values += len(s.RateKbit) + len(s.Drops) + len(s.Marks) + len(s.PeakDelayUs) + len(s.AvgDelayUs) + len(s.BacklogBytes)
	}
	if values > 12000 {
		t.Errorf("%+v: %d values", q, values)
	}
	if q.Limit > 0 && len(a.TimesS) > q.Limit {
		t.Errorf("%+v: %d samples", q, len(a.TimesS))
	}
}

// TestAnswerAsLargeAsFits holds that the bound is used, and kept, by full rings.
func TestAnswerAsLargeAsFits(t *testing.T) {
	for series, want := range map[int]map[int]int{
		1:         {1: 300, 60: 1440},
		5:         {1: 300, 60: 387},
		MaxSeries: {1: 218, 60: 218},
	} {
		d := New(make([]string, series))
		for at := int64(0); at <= 30*keptMinutes*2+60; at += 30 {
			d.Record(at, make([]Counters, series))
		}
		got := map[int]int{}
		for step := range want {
			a := answer(t, d, Query{StepS: step})
			checkBounds(t, Query{StepS: step}, a)
			got[step] = len(a.TimesS)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d series (-want +got):\n%s", series, diff)
		}
	}
}
