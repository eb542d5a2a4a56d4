// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"fmt"

	"sqmd/shaping"
)

var tinFamilies = []family[shaping.TinStatus]{
	{"sqmd_tin_rate_bits_per_second", gauge, "bits_per_second", "Threshold of the tin; absent without one.",
		func(t shaping.TinStatus) []sample { return kilo(t.ThresholdKbit) }},
	{"sqmd_tin_target_seconds", gauge, "seconds", "Delay that the tin aims at.",
		func(t shaping.TinStatus) []sample { return []sample{{value: seconds(t.TargetUs)}} }},
	{"sqmd_tin_interval_seconds", gauge, "seconds", "Round trip time that the tin reckons with.",
		func(t shaping.TinStatus) []sample { return []sample{{value: seconds(t.IntervalUs)}} }},
	{"sqmd_delay_seconds", gauge, "seconds", "Time that packets wait in the tin, by kind: peak, average, or sparse for flows that send little.", delays},
	{"sqmd_tin_sent_bytes", counter, "bytes", "Bytes that left the tin.",
		func(t shaping.TinStatus) []sample { return whole(t.SentBytes) }},
	{"sqmd_tin_sent_packets", counter, "packets", "Packets that left the tin.",
		func(t shaping.TinStatus) []sample { return whole(t.SentPackets) }},
	{"sqmd_tin_dropped_packets", counter, "packets", "Packets that the tin dropped.",
		func(t shaping.TinStatus) []sample { return whole(t.Drops) }},
	{"sqmd_tin_marked_packets", counter, "packets", "Packets that the tin marked with ECN instead of dropping them.",
		func(t shaping.TinStatus) []sample { return whole(t.Marks) }},
	{"sqmd_tin_dropped_acks", counter, "", "Superfluous TCP acknowledgements that the tin's ack filter took out.",
		func(t shaping.TinStatus) []sample { return whole(t.AckDrops) }},
	{"sqmd_tin_backlog_bytes", gauge, "bytes", "Bytes that wait in the tin.",
		func(t shaping.TinStatus) []sample { return whole(t.BacklogBytes) }},
	{"sqmd_tin_flows", gauge, "", "Flows in the tin, by kind: sparse, bulk, or unresponsive to marks and drops.", flows},
	{"sqmd_tin_way_indirect_hits", counter, "", "Flows whose first choice of queue was taken.",
		func(t shaping.TinStatus) []sample { return whole(t.WayHits) }},
	{"sqmd_tin_way_misses", counter, "", "Flows that got a queue of their own anew.",
		func(t shaping.TinStatus) []sample { return whole(t.WayMisses) }},
	{"sqmd_tin_way_collisions", counter, "", "Flows that had to share a queue.",
		func(t shaping.TinStatus) []sample { return whole(t.WayCollisions) }},
	{"sqmd_tin_max_packet_bytes", gauge, "bytes", "Largest packet that the tin has seen.",
		func(t shaping.TinStatus) []sample { return whole(t.MaxPacket) }},
}

func delays(t shaping.TinStatus) []sample {
	return []sample{
		{label("kind", "peak"), seconds(t.PeakDelayUs)},
		{label("kind", "average"), seconds(t.AvgDelayUs)},
		{label("kind", "sparse"), seconds(t.SparseDelayUs)},
	}
}

func flows(t shaping.TinStatus) []sample {
	return []sample{
		{label("kind", "sparse"), fmt.Sprint(t.SparseFlows)},
		{label("kind", "bulk"), fmt.Sprint(t.BulkFlows)},
		{label("kind", "unresponsive"), fmt.Sprint(t.Unresponsive)},
	}
}
