// SPDX-License-Identifier: GPL-2.0-or-later

package history

// minute is the minute that is going on. Like a second it is named by the moment
// at which it ends, and has what was sampled after endS-60 and up to endS. A
// sample over more than a second counts where it ends.
type minute struct {
	endS     int64
	coveredS uint64 // the time that the samples stand for
	samples  uint64
	sums     []sum // one a series
}

// sum is what a minute's samples of one series come to.
type sum struct {
	sentBytes, drops, marks, avgDelayUs uint64
	peakDelayUs, backlogBytes           uint32
}

func (s *sum) add(sentBytes uint64, v values) {
	s.sentBytes += sentBytes
	s.drops += uint64(v.drops)
	s.marks += uint64(v.marks)
	s.avgDelayUs += uint64(v.avgDelayUs)
	s.peakDelayUs = max(s.peakDelayUs, v.peakDelayUs)
	s.backlogBytes = max(s.backlogBytes, v.backlogBytes)
}

// close writes the minute down, if there were samples in it, and empties it. The
// rate is that over the seconds that were sampled: time that nobody looked at
// does not count as idle.
func (m *minute) close(to *ring) {
	if m.samples == 0 {
		return
	}
	row := to.push(m.endS)
	for i, s := range m.sums {
		row.put(i, values{
			rateKbit:     rateKbit(s.sentBytes, m.coveredS),
			drops:        saturate(s.drops),
			marks:        saturate(s.marks),
			peakDelayUs:  s.peakDelayUs,
			avgDelayUs:   saturate(s.avgDelayUs / m.samples),
			backlogBytes: s.backlogBytes,
		})
	}
	m.samples, m.coveredS = 0, 0
	clear(m.sums)
}
