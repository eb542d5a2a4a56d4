// SPDX-License-Identifier: GPL-2.0-or-later

package history

import "fmt"

// maxValues bounds the numbers of an Answer, so that it fits into a message of the
// bus, which holds 16384 values with all else that is in it.
const maxValues = 12000

// Query asks for a part of the history.
type Query struct {
	// SinceS leaves out the samples up to and at this time; 0 asks for all.
	SinceS int64 `json:"since_s"`
	// StepS is 1 for the seconds or 60 for the minutes.
	StepS int `json:"step_s"`
	// Limit is how many samples are wanted at most, 0 as many as fit.
	Limit int `json:"limit"`
}

// Answer is a part of the history, the oldest sample first. All slices in it have
// the length of TimesS.
type Answer struct {
	StepS int `json:"step_s"`
	// TimesS are when the samples end, in seconds of the clock of Record. Times at
	// which nothing was sampled are absent. Minutes end at multiples of 60 s; the
	// running one is not here.
	TimesS []int64  `json:"times_s"`
	Series []Series `json:"series"`
	// NextS is the SinceS of the query that goes on where this answer ends.
	NextS int64 `json:"next_s"`
	// More tells that the answer does not hold all that was asked for.
	More bool `json:"more"`
}

// Series is the history of the shaper or of one tin. Numbers too large for 32 bits
// are shown as 4294967295.
type Series struct {
	Name string `json:"name"`
	// RateKbit is the mean over the time since the sample before, and over the
	// sampled seconds of a minute.
	RateKbit []uint32 `json:"rate_kbit"`
	// Drops and Marks are packets in that time.
	Drops []uint32 `json:"drops"`
	Marks []uint32 `json:"marks"`
	// PeakDelayUs and BacklogBytes are the greatest of a minute, AvgDelayUs the
	// mean of its samples.
	PeakDelayUs  []uint32 `json:"peak_delay_us"`
	AvgDelayUs   []uint32 `json:"avg_delay_us"`
	BacklogBytes []uint32 `json:"backlog_bytes"`
}

// Answer returns the oldest samples that the query asks for, as many as its limit
// and 12000 numbers allow. A step other than 1 or 60 and a negative limit are
// errors.
func (d *Direction) Answer(q Query) (Answer, error) {
	var from *ring
	switch q.StepS {
	case 1:
		from = &d.seconds
	case 60:
		from = &d.minutes
	default:
		return Answer{}, fmt.Errorf("no history with a step of %d s, ask for 1 or 60", q.StepS)
	}
	count := maxValues / from.width
	switch {
	case q.Limit < 0:
		return Answer{}, fmt.Errorf("limit %d is negative, give a number of samples or 0 for as many as fit", q.Limit)
	case q.Limit > 0:
		count = min(count, q.Limit)
	}
	first := from.after(q.SinceS)
	asked := from.filled - first
	count = min(count, asked)

	a := Answer{
		StepS:  q.StepS,
		TimesS: make([]int64, count),
		Series: make([]Series, len(d.names)),
		// A time to come is one of before a restart: who asks with it must not wait
		// until it is reached again.
		NextS: min(q.SinceS, max(d.lastS, 0)),
		More:  count < asked,
	}
	for i := range a.TimesS {
		a.TimesS[i] = from.at(first + i).timeS()
	}
	if count > 0 {
		a.NextS = a.TimesS[count-1]
	}
	for i, name := range d.names {
		a.Series[i] = from.series(i, first, count)
		a.Series[i].Name = name
	}
	return a, nil
}

// series returns count samples of one series, as at counts them.
func (r *ring) series(series, first, count int) Series {
	s := Series{
		RateKbit:     make([]uint32, count),
		Drops:        make([]uint32, count),
		Marks:        make([]uint32, count),
		PeakDelayUs:  make([]uint32, count),
		AvgDelayUs:   make([]uint32, count),
		BacklogBytes: make([]uint32, count),
	}
	for i := range count {
		v := r.at(first + i).get(series)
		s.RateKbit[i], s.Drops[i], s.Marks[i] = v.rateKbit, v.drops, v.marks
		s.PeakDelayUs[i], s.AvgDelayUs[i], s.BacklogBytes[i] = v.peakDelayUs, v.avgDelayUs, v.backlogBytes
	}
	return s
}
