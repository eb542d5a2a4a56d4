// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import "sqmd/daemon"

var reportFamilies = []family[daemon.Report]{
	{"sqmd_build_info", gauge, "", "Always 1; the label is the version.",
		func(r daemon.Report) []sample { return []sample{{label("version", r.Version), "1"}} }},
	{"sqmd_all_shaped", gauge, "", "1 when every direction that was asked for is shaped.",
		func(r daemon.Report) []sample { return boolean(r.Shaped) }},
	{"sqmd_configuration_findings", gauge, "", "Mistakes found in the configuration that belong to no device.",
		func(r daemon.Report) []sample { return whole(len(r.Findings)) }},
	{"sqmd_daemon_running", gauge, "", "1 when the daemon watches the shaping, 0 when it was only looked at.",
		func(r daemon.Report) []sample { return boolean(r.Daemon != nil) }},
}

var queueFamilies = []family[daemon.QueueReport]{
	{"sqmd_queue_findings", gauge, "", "Mistakes found in the configuration of the queue.",
		func(q daemon.QueueReport) []sample { return whole(len(q.Findings)) }},
	{"sqmd_link_present", gauge, "", "1 when the device exists.",
		func(q daemon.QueueReport) []sample { return boolean(q.Link != nil) }},
}

var linkFamilies = []family[daemon.LinkReport]{
	{"sqmd_link_carrier", gauge, "", "1 when the device has a carrier.",
		func(l daemon.LinkReport) []sample { return boolean(l.Carrier) }},
	{"sqmd_link_speed_bits_per_second", gauge, "bits_per_second", "Negotiated speed; absent where the device has none.",
		func(l daemon.LinkReport) []sample { return kilo(l.SpeedMbit * 1000) }},
	{"sqmd_link_mtu_bytes", gauge, "bytes", "Largest packet that the device takes.",
		func(l daemon.LinkReport) []sample { return whole(l.MTU) }},
}

var processFamilies = []family[daemon.ProcessReport]{
	{"sqmd_uptime_seconds", gauge, "seconds", "Since the daemon started.",
		func(p daemon.ProcessReport) []sample { return whole(p.UptimeS) }},
	{"sqmd_resident_memory_bytes", gauge, "bytes", "Resident memory of the daemon.",
		func(p daemon.ProcessReport) []sample { return whole(p.MemoryBytes) }},
	{"sqmd_bus_connected", gauge, "", "1 when ubus is connected.",
		func(p daemon.ProcessReport) []sample { return boolean(p.Bus) }},
	{"sqmd_reconciles", counter, "", "Times that the kernel was compared with the configuration.",
		func(p daemon.ProcessReport) []sample { return whole(p.Reconciles) }},
	{"sqmd_repairing_reconciles", counter, "", "Those on which another program's change was undone.",
		func(p daemon.ProcessReport) []sample { return whole(p.Repairs) }},
	{"sqmd_lost_events", counter, "", "Times that the kernel dropped notifications and everything was read anew.",
		func(p daemon.ProcessReport) []sample { return whole(p.LostEvents) }},
	{"sqmd_clock_steps", counter, "", "Jumps of the wall clock.",
		func(p daemon.ProcessReport) []sample { return whole(p.ClockSteps) }},
}
