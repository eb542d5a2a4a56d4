// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Processor is how long the guest's processor has been at work and idle since boot, in ticks.
type Processor struct {
	busy, idle uint64
}

// ReadProcessor reads the times of this moment.
func ReadProcessor() (Processor, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Processor{}, fmt.Errorf("read processor times: %w", err)
	}
	return parseProcessor(string(text))
}

// parseProcessor reads the first line of /proc/stat: cpu user nice system idle iowait irq softirq... (proc(5)).
func parseProcessor(text string) (Processor, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	const first, idle, iowait = 1, 4, 5
	if len(fields) <= iowait || fields[0] != "cpu" {
		return Processor{}, fmt.Errorf("read processor times: unexpected %.40q", line)
	}
	var p Processor
	for i := first; i < len(fields); i++ {
		ticks, err := strconv.ParseUint(fields[i], 10, 64)
		if err != nil {
			return Processor{}, fmt.Errorf("read processor times: %w", err)
		}
		if i == idle || i == iowait {
			p.idle += ticks
		} else {
			p.busy += ticks
		}
	}
	return p, nil
}

// BusySince returns which part of the time since an earlier moment the processor was at work, 0 to 1. From about 0.95 on
// a guest in real time measures its host's load more than its network.
func (p Processor) BusySince(earlier Processor) float64 {
	// The kernel's idle and iowait times may go back a little (proc(5)).
	busy := max(0, float64(p.busy)-float64(earlier.busy))
	idle := max(0, float64(p.idle)-float64(earlier.idle))
	if busy+idle == 0 {
		return 0
	}
	return busy / (busy + idle)
}
