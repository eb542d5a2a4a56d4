// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import "sqmd/shaping"

var classFamilies = []family[shaping.ClassStatus]{
	{"sqmd_class_rate_bits_per_second", gauge, "bits_per_second", "What the class has for sure.",
		func(c shaping.ClassStatus) []sample { return kilo(c.RateKbit) }},
	{"sqmd_class_ceil_bits_per_second", gauge, "bits_per_second", "What the class has at most.",
		func(c shaping.ClassStatus) []sample { return kilo(c.CeilKbit) }},
	{"sqmd_class_sent_bytes", counter, "bytes", "Bytes that left the class.",
		func(c shaping.ClassStatus) []sample { return whole(c.SentBytes) }},
	{"sqmd_class_sent_packets", counter, "packets", "Packets that left the class.",
		func(c shaping.ClassStatus) []sample { return whole(c.SentPackets) }},
	{"sqmd_class_dropped_packets", counter, "packets", "Packets that the class dropped.",
		func(c shaping.ClassStatus) []sample { return whole(c.Drops) }},
	{"sqmd_class_backlog_bytes", gauge, "bytes", "Bytes that wait in the class.",
		func(c shaping.ClassStatus) []sample { return whole(c.BacklogBytes) }},
	{"sqmd_class_backlog_packets", gauge, "packets", "Packets that wait in the class.",
		func(c shaping.ClassStatus) []sample { return whole(c.BacklogPackets) }},
}
