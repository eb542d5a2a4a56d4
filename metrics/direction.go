// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"slices"

	"sqmd/daemon"
	"sqmd/shaping"
)

var directionFamilies = []family[daemon.DirectionReport]{
	{"sqmd_shaped", gauge, "", "1 when the direction is shaped as asked for, 0 when not; absent when it is off.", shaped},
	{"sqmd_state", gauge, "", "1 for the state that the direction is in, 0 for the others.", states},
}

// watchedFamilies are known to the daemon only.
var watchedFamilies = []family[daemon.DirectionReport]{
	{"sqmd_state_age_seconds", gauge, "seconds", "Since the direction came into its state.",
		func(d daemon.DirectionReport) []sample { return whole(d.StateForS) }},
	{"sqmd_repairs", counter, "", "Times that another program's change to the direction was undone.",
		func(d daemon.DirectionReport) []sample { return whole(d.Repairs) }},
}

var shaperFamilies = []family[shaping.DirectionStatus]{
	{"sqmd_shaper_info", gauge, "", "Always 1; the labels are the shaping device and its qdisc.", shaperInfo},
	{"sqmd_rate_bits_per_second", gauge, "bits_per_second", "Limit of the shaper; absent without one.",
		func(d shaping.DirectionStatus) []sample { return kilo(d.RateKbit) }},
	{"sqmd_sent_bytes", counter, "bytes", "Bytes that left the shaper.",
		func(d shaping.DirectionStatus) []sample { return whole(d.SentBytes) }},
	{"sqmd_sent_packets", counter, "packets", "Packets that left the shaper.",
		func(d shaping.DirectionStatus) []sample { return whole(d.SentPackets) }},
	{"sqmd_dropped_packets", counter, "packets", "Packets that the shaper dropped.",
		func(d shaping.DirectionStatus) []sample { return whole(d.Drops) }},
	{"sqmd_overlimits", counter, "", "Times that the shaper held a packet back.",
		func(d shaping.DirectionStatus) []sample { return whole(d.Overlimits) }},
	{"sqmd_backlog_bytes", gauge, "bytes", "Bytes that wait in the shaper.",
		func(d shaping.DirectionStatus) []sample { return whole(d.BacklogBytes) }},
	{"sqmd_backlog_packets", gauge, "packets", "Packets that wait in the shaper.",
		func(d shaping.DirectionStatus) []sample { return whole(d.BacklogPackets) }},
	{"sqmd_peak_queue_memory_bytes", gauge, "bytes", "Most memory that cake has used for packets; absent for other qdiscs.", peakMemory},
}

func shaped(d daemon.DirectionReport) []sample {
	if d.State == shaping.Off {
		return nil
	}
	return boolean(d.State == shaping.Shaped)
}

// states has a sample for every state, so that a state that was left is seen to
// be 0 instead of going stale.
func states(d daemon.DirectionReport) (all []sample) {
	known := []string{
		shaping.Shaped, shaping.Unshaped, shaping.Waiting, shaping.Refused, shaping.Stale, shaping.Off,
		daemon.Conflict, daemon.Stopped,
	}
	if !slices.Contains(known, d.State) {
		known = append(known, d.State)
	}
	for _, state := range known {
		in := boolean(state == d.State)[0]
		in.label = label("state", state)
		all = append(all, in)
	}
	return all
}

func shaperInfo(d shaping.DirectionStatus) []sample {
	return []sample{{join(label("shaper", d.Shaper), label("qdisc", d.Qdisc)), "1"}}
}

func peakMemory(d shaping.DirectionStatus) []sample {
	if d.MemoryBytes == 0 {
		return nil
	}
	return whole(d.MemoryBytes)
}
