// SPDX-License-Identifier: GPL-2.0-or-later

package traffic

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"sqmd/lab"
)

// Counter returns a number of bytes that only grows.
type Counter func() (uint64, error)

// WireReceived counts the bytes of the Ethernet frames that a device has received, as a shaper without overhead counts
// them: headers included, preamble and checksum not.
func WireReceived(in lab.Namespace, device string) Counter {
	return func() (bytes uint64, err error) {
		err = in.Do(func() error {
			text, err := os.ReadFile("/proc/thread-self/net/dev")
			if err != nil {
				return fmt.Errorf("read link statistics: %w", err)
			}
			bytes, err = receivedBytes(string(text), device)
			return err
		})
		return bytes, err
	}
}

// receivedBytes finds a device's first counter in the text of /proc/net/dev (proc(5)).
func receivedBytes(text, device string) (uint64, error) {
	for _, line := range strings.Split(text, "\n") {
		name, counters, found := strings.Cut(line, ":")
		fields := strings.Fields(counters)
		if found && strings.TrimSpace(name) == device && len(fields) > 0 {
			bytes, err := strconv.ParseUint(fields[0], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read statistics of link %s: %w", device, err)
			}
			return bytes, nil
		}
	}
	return 0, fmt.Errorf("read statistics of link %s: no such link", device)
}

// Rates reads all counters, sleeps for the window, reads them again and returns how fast each grew, in bit/s.
func Rates(window time.Duration, counters ...Counter) ([]float64, error) {
	before := make([]reading, len(counters))
	for i, counter := range counters {
		var err error
		if before[i], err = read(counter); err != nil {
			return nil, err
		}
	}
	time.Sleep(window)
	rates := make([]float64, len(counters))
	for i, counter := range counters {
		after, err := read(counter)
		if err != nil {
			return nil, err
		}
		rates[i] = float64(after.bytes-before[i].bytes) * 8 / after.at.Sub(before[i].at).Seconds()
	}
	return rates, nil
}

type reading struct {
	bytes uint64
	at    time.Time
}

func read(counter Counter) (reading, error) {
	bytes, err := counter()
	return reading{bytes, time.Now()}, err
}
