// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"sqmd/daemon"
	"sqmd/shaping"
)

// reports are the inputs of the golden files, by the name of the file.
func reports() map[string]daemon.Report {
	return map[string]daemon.Report{
		"cake":    cakeReport(),
		"htb":     htbReport(),
		"waiting": waitingReport(),
		"empty":   {Version: "1.2.3", Shaped: true},
	}
}

// cakeReport has a sample of every family but those of classes.
func cakeReport() daemon.Report {
	return daemon.Report{
		Version: "1.2.3", Shaped: true,
		Queues: []daemon.QueueReport{{
			Queue: "wan", Device: "eth1",
			Link: &daemon.LinkReport{Ifindex: 5, MTU: 1500, Carrier: true, OperState: "up", SpeedMbit: 1000},
			Directions: []daemon.DirectionReport{
				cakeDirection("upload", "eth1", 10000),
				cakeDirection("download", "ifb4eth1", 85000),
			},
		}},
		Daemon: &daemon.ProcessReport{
			PID: 1234, UptimeS: 86400, Bus: true, Reconciles: 42, Repairs: 2, LostEvents: 1, ClockSteps: 1, MemoryBytes: 7 << 20,
		},
	}
}

func cakeDirection(direction, shaper string, kbit uint64) daemon.DirectionReport {
	return daemon.DirectionReport{
		DirectionStatus: shaping.DirectionStatus{
			Direction: direction, State: shaping.Shaped, Shaper: shaper, Qdisc: "cake", RateKbit: kbit,
			SentBytes: 5_000_000_000, SentPackets: 4_000_000, Drops: 120, Overlimits: 9000,
			BacklogBytes: 3028, BacklogPackets: 2, MemoryBytes: 1 << 20,
			Tins: []shaping.TinStatus{
				{Name: "Bulk", ThresholdKbit: kbit / 16, TargetUs: 29100, IntervalUs: 124100},
				{
					Name: "Best Effort", ThresholdKbit: kbit, TargetUs: 5000, IntervalUs: 100000,
					PeakDelayUs: 12345, AvgDelayUs: 980, SparseDelayUs: 7,
					SentBytes: 4_999_000_000, SentPackets: 3_999_000, Drops: 100, Marks: 17, AckDrops: 20,
					BacklogBytes: 3028, SparseFlows: 3, BulkFlows: 1, Unresponsive: 1,
					WayHits: 11, WayMisses: 222, WayCollisions: 1, MaxPacket: 1514,
				},
				{Name: "Voice", ThresholdKbit: kbit / 4, TargetUs: 7300, IntervalUs: 102300, PeakDelayUs: 1_000_000},
			},
		},
		ThroughputKbit: 9000, StateForS: 3600, Repairs: 2,
		LastChange: "root qdisc replaced", LastChangeAgoS: 3600,
	}
}

// htbReport is of a command that found no daemon: classes, and a direction that
// is off.
func htbReport() daemon.Report {
	return daemon.Report{
		Version: "1.2.3", Shaped: true,
		Queues: []daemon.QueueReport{{
			Queue: "dsl", Device: "pppoe-wan",
			Link: &daemon.LinkReport{Ifindex: 17, MTU: 1492, Carrier: true, OperState: "unknown"},
			Directions: []daemon.DirectionReport{
				{DirectionStatus: shaping.DirectionStatus{
					Direction: "upload", State: shaping.Shaped, Shaper: "pppoe-wan", Qdisc: "htb", RateKbit: 9500,
					SentBytes: 1000, SentPackets: 10, Drops: 1, Overlimits: 3,
					Classes: []shaping.ClassStatus{
						{Class: "1:11", RateKbit: 3135, CeilKbit: 3135, SentBytes: 100, SentPackets: 1},
						{Class: "1:12", RateKbit: 1583, CeilKbit: 9500, SentBytes: 900, SentPackets: 9, Drops: 1, BacklogBytes: 1514, BacklogPackets: 1},
					},
				}},
				{DirectionStatus: shaping.DirectionStatus{Direction: "download", State: shaping.Off, Reason: "not configured, or rate 0"}},
			},
		}},
	}
}

// waitingReport has a device that is not there, one that another program has
// taken the shaper from, names that need escaping, and findings.
func waitingReport() daemon.Report {
	direction := func(name, state string) daemon.DirectionReport {
		return daemon.DirectionReport{DirectionStatus: shaping.DirectionStatus{Direction: name, State: state}}
	}
	return daemon.Report{
		Version: "1.2.3-dirty \"x\\y\"\n", Findings: []string{"sqm:7: what is that"},
		Queues: []daemon.QueueReport{
			{
				Queue: "up and down", Device: "wwan0", Findings: []string{"no cake", "no ifb"},
				Directions: []daemon.DirectionReport{direction("upload", shaping.Waiting), direction("download", shaping.Waiting)},
			},
			{
				Queue: "lan", Device: "br-lan.7",
				Link:       &daemon.LinkReport{Ifindex: 3, MTU: 9000, OperState: "down"},
				Directions: []daemon.DirectionReport{direction("upload", shaping.Unshaped), direction("download", daemon.Conflict)},
			},
		},
		Daemon: &daemon.ProcessReport{PID: 1},
	}
}
