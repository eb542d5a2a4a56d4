// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"fmt"
	"time"

	"sqmd/lab"
	"sqmd/uci"
)

// The line: a cable modem that is a little faster than what sqmd is told, and a server 20 ms away. Both buffers are as
// large as those of real modems, 200 ms of downloads and nearly two seconds of uploads.
const (
	modemDown   = 122_000_000 // bit/s
	modemUp     = 13_000_000  // bit/s
	modemBuffer = 3_000_000   // bytes, each way
	pathDelay   = 10 * time.Millisecond
)

// Line is what sqmd's configuration says of the line.
type Line struct {
	Interface string
	// Down and Up are the configured rates in bit/s.
	Down, Up float64
}

// ReadLine reads the line from the one enabled queue of an sqm configuration.
func ReadLine(path string) (Line, error) {
	config, err := uci.LoadSQM(path)
	if err != nil {
		return Line{}, fmt.Errorf("read configuration: %w", err)
	}
	var enabled []uci.Queue
	for _, queue := range config.Queues {
		if queue.Enabled {
			enabled = append(enabled, queue)
		}
	}
	for _, finding := range config.Findings {
		if finding.Severity == uci.Error {
			return Line{}, fmt.Errorf("read configuration: %v", finding)
		}
	}
	if len(enabled) != 1 {
		return Line{}, fmt.Errorf("%s: needs exactly one enabled queue, has %d", path, len(enabled))
	}
	line := Line{enabled[0].Interface, float64(enabled[0].Download), float64(enabled[0].Upload)}
	if line.Down <= 0 || line.Down >= modemDown || line.Up <= 0 || line.Up >= modemUp {
		return Line{}, fmt.Errorf("%s: rates must be above 0 and below the modem's %d and %d kbit/s", path, modemDown/1000, modemUp/1000)
	}
	return line, nil
}

func (l Line) build() (*lab.Network, error) {
	return lab.Topology{WAN: l.Interface, Delay: pathDelay}.Build()
}

// emptyModem limits the modem, with nothing in its buffers.
func emptyModem(network *lab.Network) error {
	return network.SetBottleneck(
		lab.Bottleneck{Rate: modemDown, Buffer: modemBuffer},
		lab.Bottleneck{Rate: modemUp, Buffer: modemBuffer},
	)
}
