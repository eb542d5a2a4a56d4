// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"slices"

	"sqmd/shaping"
)

// Report is what `sqmd status --json` prints and the method status answers:
// every queue as the kernel shows it at this moment.
type Report struct {
	Version string `json:"version"`
	// Shaped is set when every direction that was asked for is shaped.
	Shaped bool          `json:"shaped"`
	Queues []QueueReport `json:"queues"`
	// Findings are what is wrong with the configuration, a line each.
	Findings []string `json:"findings,omitempty"`
	// Daemon is nil in the report of a command that found none running.
	Daemon *ProcessReport `json:"daemon,omitempty"`
}

// QueueReport is one device with the queue or the two queues that shape it.
type QueueReport struct {
	Queue      string            `json:"queue"`    // the titles of the sections, for people
	Sections   []string          `json:"sections"` // one by one
	Device     string            `json:"device"`
	Link       *LinkReport       `json:"link,omitempty"` // nil while the device does not exist
	Directions []DirectionReport `json:"directions"`
	Findings   []string          `json:"findings,omitempty"`
}

// LinkReport is the device itself.
type LinkReport struct {
	Ifindex   int    `json:"ifindex"`
	MTU       int    `json:"mtu_bytes"`
	Carrier   bool   `json:"carrier"`
	OperState string `json:"operstate"` // as in RFC 2863: up, down, dormant, ...
	// SpeedMbit is the negotiated speed, 0 where the device has none.
	SpeedMbit int `json:"speed_mbit,omitempty"`
}

// DirectionReport is one direction. What only the daemon knows is absent without
// one.
type DirectionReport struct {
	shaping.DirectionStatus
	// ThroughputKbit is what left the shaper in the last second.
	ThroughputKbit uint64 `json:"throughput_kbit"`
	// StateForS is how long the state has been what it is, in seconds.
	StateForS int64 `json:"state_for_s,omitempty"`
	// Repairs is how often another program's change was undone.
	Repairs int `json:"repairs,omitempty"`
	// LastChange says what last happened, and LastChangeAgoS how many seconds ago.
	LastChange     string `json:"last_change,omitempty"`
	LastChangeAgoS int64  `json:"last_change_ago_s,omitempty"`
}

// ProcessReport is the daemon itself.
type ProcessReport struct {
	PID     int   `json:"pid"`
	UptimeS int64 `json:"uptime_s"`
	// Bus tells whether ubus is connected.
	Bus bool `json:"ubus"`
	// Reconciles counts the times that the kernel was compared with the
	// configuration, Repairs those on which another program's change was undone.
	Reconciles uint64 `json:"reconciles"`
	Repairs    uint64 `json:"repairs"`
	// LostEvents counts the times that the kernel dropped notifications, after
	// which everything was read anew; ClockSteps the jumps of the wall clock.
	LostEvents uint64 `json:"lost_events"`
	ClockSteps uint64 `json:"clock_steps"`
	// MemoryBytes is the resident memory.
	MemoryBytes uint64 `json:"memory_bytes"`
}

// NewReport is the report of a command that found no daemon; usable says that all
// of the configuration can be used.
func NewReport(version string, usable bool, statuses []shaping.Status) Report {
	r := Report{Version: version, Shaped: usable, Queues: []QueueReport{}}
	for _, s := range statuses {
		q := QueueReport{Queue: s.Queue, Sections: s.Sections, Device: s.Device, Findings: s.Findings}
		for _, d := range s.Directions {
			q.Directions = append(q.Directions, DirectionReport{DirectionStatus: d})
		}
		r.Queues = append(r.Queues, q)
		r.Shaped = r.Shaped && q.shaped()
	}
	return r
}

// Only is the report about one device or queue; ok is false when there is none.
func (r Report) Only(name string) (one Report, ok bool) {
	one, one.Shaped, one.Queues = r, true, nil
	for _, q := range r.Queues {
		if q.Device == name || slices.Contains(q.Sections, name) {
			one.Queues = append(one.Queues, q)
			one.Shaped = one.Shaped && q.shaped()
		}
	}
	return one, len(one.Queues) > 0
}

// shaped reports whether every direction that was asked for is.
func (q QueueReport) shaped() bool {
	for _, d := range q.Directions {
		if d.State != shaping.Shaped && d.State != shaping.Off {
			return false
		}
	}
	return true
}
