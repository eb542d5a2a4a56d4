// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"time"
	"unicode/utf8"

	"sqmd/shaping"
)

// OverviewReport is the answer of overview: what a page that looks every other
// second shows, as the kernel has it at this moment, in few bytes.
type OverviewReport struct {
	Version string     `json:"version"`
	UptimeS int64      `json:"uptime_s"` // of the machine, as in history
	Shaped  bool       `json:"shaped"`   // as in [Report]
	CPU     *CPUReport `json:"cpu,omitempty"`
	// Findings is how many the doctor found, within the last minute; -1 where it
	// cannot look. ConfigFindings is how many mistakes the configuration has.
	Findings       int `json:"findings"`
	ConfigFindings int `json:"config_findings"`
	// TinColumns are the names of the columns of Tins.
	TinColumns []string        `json:"tin_columns"`
	Queues     []QueueOverview `json:"queues"`
}

// CPUReport is how busy the busiest processor was in the last second, and how much
// of that was the handling of packets, and the like.
type CPUReport struct {
	BusyPercent    int `json:"busy_percent"`
	SoftirqPercent int `json:"softirq_percent"`
	CPUs           int `json:"cpus"`
}

// QueueOverview is a [QueueReport] in short.
type QueueOverview struct {
	Queue      string              `json:"queue"`
	Sections   []string            `json:"sections"`
	Device     string              `json:"device"`
	Link       *LinkOverview       `json:"link,omitempty"`
	Findings   []string            `json:"findings,omitempty"`
	Directions []DirectionOverview `json:"directions"`
}

// LinkOverview is a [LinkReport] in short.
type LinkOverview struct {
	Carrier   bool `json:"carrier"`
	SpeedMbit int  `json:"speed_mbit,omitempty"`
}

// DirectionOverview is a [DirectionReport] in short. What the qdisc does not count
// is nil.
type DirectionOverview struct {
	Direction string `json:"direction"`
	State     string `json:"state"`
	Reason    string `json:"reason,omitempty"` // of 200 bytes at most
	Qdisc     string `json:"qdisc,omitempty"`
	Recipe    string `json:"recipe,omitempty"`
	// RateKbit is the rate in force, 0 for none, and ConfiguredKbit the one that the
	// configuration asks for.
	RateKbit       uint64  `json:"rate_kbit"`
	ConfiguredKbit uint64  `json:"configured_kbit"`
	ThroughputKbit uint64  `json:"throughput_kbit"`
	Drops          uint32  `json:"drops"`
	Marks          *uint64 `json:"marks"`
	BacklogBytes   uint32  `json:"backlog_bytes"`
	// PeakUs and AvgUs are those of the tin where they are greatest.
	PeakUs *uint32 `json:"peak_us"`
	AvgUs  *uint32 `json:"avg_us"`
	// Tins are the tins, or the classes of htb, a row each.
	Tins [][]any `json:"tins"`
}

var tinColumns = []string{"name", "sent_bytes", "packets", "drops", "marks", "backlog_bytes",
	"peak_us", "avg_us", "sparse_us", "target_us", "threshold_kbit"}

const (
	// maxReason bounds a reason in an overview, in bytes.
	maxReason = 200
	// diagnoseEvery is how old the doctor's count may be.
	diagnoseEvery = time.Minute
)

func (c *core) overview(now time.Duration) (OverviewReport, error) {
	r, err := c.report(now)
	if err != nil {
		return OverviewReport{}, err
	}
	if c.found < 0 || now-c.diagnosed >= diagnoseEvery {
		// Where a file cannot be read, the rest was looked at.
		_, _ = c.diagnose(now, r)
	}
	o := OverviewReport{Version: r.Version, UptimeS: c.uptime(now), Shaped: r.Shaped,
		Findings: c.found, ConfigFindings: len(r.Findings), TinColumns: tinColumns, Queues: []QueueOverview{}}
	if l, known := c.cpu.Load(); known {
		o.CPU = &CPUReport{l.BusyPercent, l.SoftirqPercent, l.CPUs}
	}
	for _, q := range r.Queues {
		o.Queues = append(o.Queues, c.overviewOf(q))
	}
	return o, nil
}

func (c *core) overviewOf(r QueueReport) QueueOverview {
	o := QueueOverview{Queue: r.Queue, Sections: r.Sections, Device: r.Device, Findings: r.Findings}
	if r.Link != nil {
		o.Link = &LinkOverview{r.Link.Carrier, r.Link.SpeedMbit}
	}
	for i, d := range r.Directions {
		of := shortened(d)
		if q := c.queues[r.Device]; q != nil {
			if section := q.unit.Queue(directions[i]); section != nil {
				of.Recipe = section.Recipe.String()
				of.ConfiguredKbit = configuredKbit(q.unit, directions[i])
			}
		}
		o.Directions = append(o.Directions, of)
	}
	return o
}

// configuredKbit is the rate that the configuration asks for, 0 for none.
func configuredKbit(u shaping.Unit, d shaping.Direction) uint64 {
	section := u.Queue(d)
	if d == shaping.Upload && !section.Unlimited.Upload {
		return uint64(section.Upload.Kbit())
	}
	if d == shaping.Download && !section.Unlimited.Download {
		return uint64(section.Download.Kbit())
	}
	return 0
}

func shortened(d DirectionReport) DirectionOverview {
	o := DirectionOverview{Direction: d.Direction, State: d.State, Reason: cut(d.Reason, maxReason), Qdisc: d.Qdisc,
		RateKbit: d.RateKbit, ThroughputKbit: d.ThroughputKbit, Drops: d.Drops, BacklogBytes: d.BacklogBytes, Tins: [][]any{}}
	for _, t := range d.Tins {
		o.count(t)
		o.Tins = append(o.Tins, []any{t.Name, t.SentBytes, t.SentPackets, t.Drops, t.Marks, t.BacklogBytes,
			t.PeakDelayUs, t.AvgDelayUs, t.SparseDelayUs, t.TargetUs, t.ThresholdKbit})
	}
	for _, class := range d.Classes {
		o.Tins = append(o.Tins, []any{class.Class, class.SentBytes, class.SentPackets, class.Drops, nil, class.BacklogBytes,
			nil, nil, nil, nil, class.RateKbit})
	}
	return o
}

// count adds a tin to what is told of all of them.
func (o *DirectionOverview) count(t shaping.TinStatus) {
	if o.Marks == nil {
		o.Marks, o.PeakUs, o.AvgUs = new(uint64), new(uint32), new(uint32)
	}
	*o.Marks += uint64(t.Marks)
	*o.PeakUs = max(*o.PeakUs, t.PeakDelayUs)
	*o.AvgUs = max(*o.AvgUs, t.AvgDelayUs)
}

// cut shortens a text to so many bytes, between two characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const more = "..."
	n := most - len(more)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + more
}
