// SPDX-License-Identifier: GPL-2.0-or-later

package history

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown is one call: Gap where gap is set, then Record.
type shown struct {
	gap bool
	atS int64
	c   Counters
}

// sample is one moment of an Answer with one series.
type sample struct {
	TimeS                        int64
	RateKbit, Drops, Marks       uint32
	PeakUs, AvgUs, BacklogsBytes uint32
}

func samples(a Answer, series int) []sample {
	var all []sample
	for i, t := range a.TimesS {
		s := a.Series[series]
		all = append(all, sample{t, s.RateKbit[i], s.Drops[i], s.Marks[i], s.PeakDelayUs[i], s.AvgDelayUs[i], s.BacklogBytes[i]})
	}
	return all
}

func answer(t *testing.T, d *Direction, q Query) Answer {
	t.Helper()
	a, err := d.Answer(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return a
}

func TestRecord(t *testing.T) {
	const most = math.MaxUint32
	tests := []struct {
		name             string
		shown            []shown
		seconds, minutes []sample
	}{
		{name: "nothing"},
		{
			name:  "the first sets the base",
			shown: []shown{{atS: 0, c: Counters{SentBytes: 1 << 40}}},
		},
		{
			name: "differences and gauges",
			shown: []shown{
				{atS: 10, c: Counters{1000, 7, 2, 1, 2, 3}},
				{atS: 11, c: Counters{126000, 9, 3, 400, 300, 1514}},
				{atS: 12, c: Counters{126124, 9, 3, 0, 0, 0}},
			},
			seconds: []sample{{11, 1000, 2, 1, 400, 300, 1514}, {TimeS: 12}},
		},
		{
			name: "32-bit counters wrap",
			shown: []shown{
				{atS: 10, c: Counters{Drops: most - 1, Marks: most}},
				{atS: 11, c: Counters{Drops: 3, Marks: 0}},
			},
			seconds: []sample{{TimeS: 11, Drops: 5, Marks: 1}},
		},
		{
			name: "a standstill",
			shown: []shown{
				{atS: 10, c: Counters{}},
				{atS: 50, c: Counters{SentBytes: 40 * 125000, Drops: 40}},
			},
			seconds: []sample{{TimeS: 50, RateKbit: 1000, Drops: 40}},
		},
		{
			name: "times that are not later, or out of range",
			shown: []shown{
				{atS: -3, c: Counters{SentBytes: 9}},
				{atS: 10, c: Counters{}},
				{atS: 10, c: Counters{SentBytes: 1 << 20}},
				{atS: 9, c: Counters{SentBytes: 1 << 20}},
				{atS: most + 1, c: Counters{SentBytes: 1 << 20}},
				{atS: 11, c: Counters{SentBytes: 125}},
			},
			seconds: []sample{{TimeS: 11, RateKbit: 1}},
		},
		{
			name: "the last time there is",
			shown: []shown{
				{atS: most - 1, c: Counters{}},
				{atS: most, c: Counters{SentBytes: 125}},
			},
			seconds: []sample{{TimeS: most, RateKbit: 1}},
		},
		{
			name: "a gap",
			shown: []shown{
				{atS: 10, c: Counters{}},
				{atS: 11, c: Counters{SentBytes: 125}},
				{atS: 14, c: Counters{SentBytes: 1 << 30}, gap: true},
				{atS: 15, c: Counters{SentBytes: 1<<30 + 250}},
			},
			seconds: []sample{{TimeS: 11, RateKbit: 1}, {TimeS: 15, RateKbit: 2}},
		},
		{
			name: "counters that go backwards",
			shown: []shown{
				{atS: 10, c: Counters{SentBytes: 1000, Drops: 5, Marks: 5}},
				{atS: 11, c: Counters{SentBytes: 999, Drops: 5, Marks: 5}},
				{atS: 12, c: Counters{SentBytes: 1124, Drops: 5, Marks: 5}},
				{atS: 13, c: Counters{SentBytes: 2000, Drops: 4, Marks: 5}},
				{atS: 14, c: Counters{SentBytes: 3000, Drops: 4, Marks: 4}},
				{atS: 15, c: Counters{SentBytes: 3250, Drops: 4, Marks: 4}},
			},
			seconds: []sample{{TimeS: 12, RateKbit: 1}, {TimeS: 15, RateKbit: 2}},
		},
		{
			name: "what does not fit is the most there is",
			shown: []shown{
				{atS: 57, c: Counters{}},
				{atS: 58, c: Counters{SentBytes: 1 << 62, Drops: 1 << 30, Marks: math.MaxInt32, AvgDelayUs: most}},
				{atS: 59, c: Counters{SentBytes: 1 << 63, Drops: 1 << 31, Marks: most - 1, AvgDelayUs: most}},
				{atS: 60, c: Counters{SentBytes: math.MaxUint64, Drops: 1<<31 + math.MaxInt32, Marks: math.MaxInt32 - 2, AvgDelayUs: most}},
			},
			seconds: []sample{
				{58, most, 1 << 30, math.MaxInt32, 0, most, 0},
				{59, most, 1 << 30, math.MaxInt32, 0, most, 0},
				{60, most, math.MaxInt32, math.MaxInt32, 0, most, 0},
			},
			minutes: []sample{{60, most, most, most, 0, most, 0}},
		},
		{
			name: "minutes",
			shown: []shown{
				{atS: 58, c: Counters{}},
				{atS: 59, c: Counters{125, 1, 2, 30, 7, 900}},
				{atS: 60, c: Counters{625, 2, 4, 20, 8, 1000}}, // ends the first minute
				{atS: 61, c: Counters{750, 2, 4, 10, 9, 10}},
				{atS: 119, c: Counters{1875, 2, 4, 11, 1, 1}}, // 58 s without a look
				{atS: 130, c: Counters{}, gap: true},          // ends the second
				{atS: 131, c: Counters{SentBytes: 1250}},
				{atS: 239, c: Counters{}, gap: true}, // ends the third; the fourth is empty
				{atS: 240, c: Counters{SentBytes: 2500}},
				{atS: 241, c: Counters{SentBytes: 5000}}, // the running one
			},
			seconds: []sample{
				{59, 1, 1, 2, 30, 7, 900},
				{60, 4, 1, 2, 20, 8, 1000},
				{61, 1, 0, 0, 10, 9, 10},
				{119, 0, 0, 0, 11, 1, 1},
				{TimeS: 131, RateKbit: 10},
				{TimeS: 240, RateKbit: 20},
				{TimeS: 241, RateKbit: 20},
			},
			minutes: []sample{
				{60, 2, 2, 4, 30, 7, 1000},
				{120, 0, 0, 0, 11, 5, 10},
				{TimeS: 180, RateKbit: 10},
				{TimeS: 240, RateKbit: 20},
			},
		},
		{
			name: "a standstill over minutes counts where it ends",
			shown: []shown{
				{atS: 50, c: Counters{}},
				{atS: 650, c: Counters{SentBytes: 125 * 1200}},
				{atS: 660, c: Counters{SentBytes: 125 * 1220}},
			},
			seconds: []sample{{TimeS: 650, RateKbit: 2}, {TimeS: 660, RateKbit: 2}},
			minutes: []sample{{TimeS: 660, RateKbit: 2}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := New([]string{"total"})
			for _, s := range test.shown {
				if s.gap {
					d.Gap()
				}
				d.Record(s.atS, []Counters{s.c})
			}
			got := samples(answer(t, d, Query{StepS: 1}), 0)
			if diff := cmp.Diff(test.seconds, got); diff != "" {
				t.Errorf("seconds (-want +got):\n%s", diff)
			}
			got = samples(answer(t, d, Query{StepS: 60}), 0)
			if diff := cmp.Diff(test.minutes, got); diff != "" {
				t.Errorf("minutes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSeriesAreOne holds that the series of one shaper begin anew together.
func TestSeriesAreOne(t *testing.T) {
	d := New([]string{"total", "bulk"})
	d.Record(1, []Counters{{SentBytes: 500}, {SentBytes: 500}})
	d.Record(2, []Counters{{SentBytes: 750}, {SentBytes: 625}})
	d.Record(3, []Counters{{SentBytes: 900}, {SentBytes: 0}})
	d.Record(4, []Counters{{SentBytes: 1275}, {SentBytes: 500}})
	d.Record(5, []Counters{{SentBytes: 9999}}) // another shaper, with one tin less
	d.Record(6, []Counters{{SentBytes: 2000}, {SentBytes: 1000}})
	d.Record(7, []Counters{{SentBytes: 2625}, {SentBytes: 1750}})
	a := answer(t, d, Query{StepS: 1})
	total := []sample{{TimeS: 2, RateKbit: 2}, {TimeS: 4, RateKbit: 3}, {TimeS: 7, RateKbit: 5}}
	bulk := []sample{{TimeS: 2, RateKbit: 1}, {TimeS: 4, RateKbit: 4}, {TimeS: 7, RateKbit: 6}}
	if diff := cmp.Diff([][]sample{total, bulk}, [][]sample{samples(a, 0), samples(a, 1)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeriesNames(t *testing.T) {
	names := []string{"total", "1", "2", "3", "4", "5", "6", "7", "8", "one too many"}
	d := New(names)
	want := names[:MaxSeries]
	if diff := cmp.Diff(want, d.Series()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	names[0], d.Series()[1] = "changed", "changed"
	if diff := cmp.Diff("total", d.Series()[0]); diff != "" {
		t.Errorf("the names are the caller's (-want +got):\n%s", diff)
	}
	d.Record(1, make([]Counters, len(names)))
	d.Record(2, make([]Counters, len(names)))
	if a := answer(t, d, Query{StepS: 1}); len(a.TimesS) != 1 || len(a.Series) != MaxSeries {
		t.Errorf("%d samples of %d series", len(a.TimesS), len(a.Series))
	}
}

func TestAnswerRefused(t *testing.T) {
	d := New([]string{"total"})
	for q, want := range map[Query]string{
		{}:                    "no history with a step of 0 s, ask for 1 or 60",
		{StepS: -1}:           "no history with a step of -1 s, ask for 1 or 60",
		{StepS: 30}:           "no history with a step of 30 s, ask for 1 or 60",
		{StepS: 1, Limit: -1}: "limit -1 is negative, give a number of samples or 0 for as many as fit",
	} {
		a, err := d.Answer(q)
		if err == nil {
			t.Errorf("%+v: answered %+v", q, a)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
}

func TestAnswerJSON(t *testing.T) {
	d := New([]string{"total"})
	text := func() string {
		text, err := json.Marshal(answer(t, d, Query{StepS: 1}))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	empty := `{"step_s":1,"times_s":[],"series":[{"name":"total","rate_kbit":[],"drops":[],"marks":[],` +
		`"peak_delay_us":[],"avg_delay_us":[],"backlog_bytes":[]}],"next_s":0,"more":false}`
	if diff := cmp.Diff(empty, text()); diff != "" {
		t.Errorf("empty (-want +got):\n%s", diff)
	}
	d.Record(1, []Counters{{}})
	d.Record(2, []Counters{{125, 2, 3, 4, 5, 6}})
	one := `{"step_s":1,"times_s":[2],"series":[{"name":"total","rate_kbit":[1],"drops":[2],"marks":[3],` +
		`"peak_delay_us":[4],"avg_delay_us":[5],"backlog_bytes":[6]}],"next_s":2,"more":false}`
	if diff := cmp.Diff(one, text()); diff != "" {
		t.Errorf("one (-want +got):\n%s", diff)
	}
}

// TestNextS holds that a query goes on where the answer before ended, that waiting
// loses nothing, and that a time of before a restart does not make anyone wait.
func TestNextS(t *testing.T) {
	d := New([]string{"total"})
	type next struct {
		Times []int64
		NextS int64
		More  bool
	}
	ask := func(q Query) next {
		a := answer(t, d, q)
		return next{a.TimesS, a.NextS, a.More}
	}
	if diff := cmp.Diff(next{[]int64{}, 0, false}, ask(Query{SinceS: 5000, StepS: 1})); diff != "" {
		t.Errorf("nothing recorded (-want +got):\n%s", diff)
	}
	for at := int64(50); at <= 130; at++ {
		d.Record(at, []Counters{{}})
	}
	for _, test := range []struct {
		q    Query
		want next
	}{
		{Query{SinceS: 127, StepS: 1}, next{[]int64{128, 129, 130}, 130, false}},
		{Query{SinceS: 127, StepS: 1, Limit: 2}, next{[]int64{128, 129}, 129, true}},
		{Query{SinceS: 127, StepS: 1, Limit: 3}, next{[]int64{128, 129, 130}, 130, false}},
		{Query{SinceS: 130, StepS: 1}, next{[]int64{}, 130, false}},
		{Query{SinceS: 5000, StepS: 1}, next{[]int64{}, 130, false}},
		{Query{SinceS: -7, StepS: 60}, next{[]int64{60, 120}, 120, false}},
		{Query{SinceS: 60, StepS: 60}, next{[]int64{120}, 120, false}},
		{Query{SinceS: 120, StepS: 60}, next{[]int64{}, 120, false}},
		{Query{SinceS: 5000, StepS: 60}, next{[]int64{}, 130, false}},
	} {
		if diff := cmp.Diff(test.want, ask(test.q)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.q, diff)
		}
	}
}
