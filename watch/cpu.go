// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"bytes"
	"path/filepath"
)

// Load is how busy the processors were between two samples.
type Load struct {
	// BusyPercent is of the busiest processor, 0 to 100. Waiting for a disk is not
	// work.
	BusyPercent int
	// SoftirqPercent is how much of the busiest processor's time went into handling
	// packets, and other work of that kind, 0 to 100.
	SoftirqPercent int
	// CPUs is how many processors there are, at most 64.
	CPUs int
}

// maxCPUs bounds the processors that are looked at.
const maxCPUs = 64

// cpuTimes is what a processor has done since the machine was started, in ticks of
// the kernel's.
type cpuTimes struct {
	known                 bool
	total, idle, softirqs uint64
}

// CPU measures how busy the processors are. It is not safe for concurrent use.
type CPU struct {
	stat   procFile
	buffer [8 << 10]byte // for 64 lines
	times  [2][maxCPUs]cpuTimes
	now    int // which of times is the newest
	load   Load
	known  bool
}

// NewCPU will read proc/stat below root. Where there is none nothing is known.
func NewCPU(root string) *CPU {
	return &CPU{stat: procFile{path: filepath.Join(root, "proc/stat")}}
}

// Sample takes a reading; it allocates nothing.
func (c *CPU) Sample() {
	before := &c.times[c.now]
	c.now = 1 - c.now
	parseStat(c.stat.read(c.buffer[:]), &c.times[c.now])
	c.load, c.known = loadBetween(before, &c.times[c.now])
}

// Load is how busy the processors were between the last two samples, false if that
// is not known.
func (c *CPU) Load() (Load, bool) { return c.load, c.known }

// parseStat reads the lines of processors in /proc/stat (proc(5)): the number, and
// the times in user, nice, system, idle, iowait, irq, softirq and steal. Those that
// are not there, as older kernels leave some out, are 0.
func parseStat(text []byte, times *[maxCPUs]cpuTimes) {
	*times = [maxCPUs]cpuTimes{}
	for {
		row, rest, ok := line(text)
		if !ok || !bytes.HasPrefix(row, []byte("cpu")) {
			return
		}
		text = rest
		row = row[len("cpu"):]
		if len(row) == 0 || row[0] == ' ' {
			continue // of all together
		}
		cpu, row, ok := number(row)
		if !ok || cpu >= maxCPUs {
			continue
		}
		times[cpu] = parseTimes(row)
	}
}

func parseTimes(row []byte) cpuTimes {
	const idle, iowait, softirq, steal = 3, 4, 6, 7
	t := cpuTimes{known: true}
	for i := 0; i <= steal; i++ { // what follows is part of the first two
		n, rest, ok := number(row)
		if !ok {
			break
		}
		row = rest
		t.total += n
		switch i {
		case idle, iowait:
			t.idle += n
		case softirq:
			t.softirqs = n
		}
	}
	return t
}

// loadBetween compares two readings. A counter that went back, as that of iowait
// may, did not go on.
func loadBetween(before, now *[maxCPUs]cpuTimes) (l Load, known bool) {
	for i := range now {
		if !now[i].known {
			continue
		}
		l.CPUs++
		total := since(before[i].total, now[i].total)
		if !before[i].known || total == 0 {
			continue
		}
		idle := min(since(before[i].idle, now[i].idle), total)
		busy := percent(total-idle, total)
		if !known || busy > l.BusyPercent {
			l.BusyPercent = busy
			l.SoftirqPercent = percent(min(since(before[i].softirqs, now[i].softirqs), total), total)
		}
		known = true
	}
	return l, known
}

func since(before, now uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}

// percent is rounded; part is at most whole.
func percent(part, whole uint64) int {
	for whole > 1<<32 { // so that nothing overflows
		part, whole = part>>1, whole>>1
	}
	return int((part*100 + whole/2) / whole)
}
