// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryOf reads what a process holds.
func memoryOf(pid int) (m Memory, err error) {
	status := fmt.Sprintf("/proc/%d/status", pid)
	for name, value := range map[string]*int{"VmRSS": &m.Resident, "RssAnon": &m.Anonymous, "VmHWM": &m.Peak, "Threads": &m.Threads} {
		if *value, err = field(status, name); err != nil {
			return m, err
		}
	}
	return m, nil
}

// field is a number of a file of the form of /proc/PID/status, see proc(5).
func field(file, name string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("%s: no %s", file, name)
}

// cpuTime is the time that the threads of a process have run, to the nanosecond: see schedstat in the kernel's
// Documentation/scheduler/sched-stats.rst.
func cpuTime(pid int) (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("no CPU time of process %d", pid)
	}
	var sum time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		running, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(running, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		sum += time.Duration(n)
	}
	return sum, nil
}
