// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sqmd/daemon"
	"sqmd/shaping"
)

// sample is the report of a router with one cake queue, after so many seconds.
func sample(seconds uint64) daemon.Report {
	return daemon.Report{
		Version: "1.2.3", Shaped: true,
		Daemon: &daemon.ProcessReport{PID: 812, UptimeS: 93784, Bus: true, Repairs: 2, MemoryBytes: 7_340_032},
		Queues: []daemon.QueueReport{{
			Queue: "wan", Device: "eth1",
			Link: &daemon.LinkReport{Ifindex: 3, MTU: 1500, Carrier: true, OperState: "up", SpeedMbit: 1000},
			Directions: []daemon.DirectionReport{
				{DirectionStatus: cake("upload", "eth1", 20_000, seconds), ThroughputKbit: 18_320, StateForS: 4000, Repairs: 2,
					LastChange: "root qdisc fq_codel of another program replaced by cake", LastChangeAgoS: 754},
				{DirectionStatus: cake("download", "ifb4eth1", 95_000, seconds), ThroughputKbit: 940, StateForS: 4000},
			},
		}},
	}
}

// cake is a direction with the four tins of diffserv4, which send at 1/16, 1/4,
// nothing and 1/32 of the limit.
func cake(direction, device string, limit, seconds uint64) shaping.DirectionStatus {
	d := shaping.DirectionStatus{
		Direction: direction, State: shaping.Shaped, Shaper: device, Qdisc: "cake", RateKbit: limit,
		Drops: 1234, BacklogBytes: 15_140, BacklogPackets: 10,
	}
	for i, t := range []struct {
		name                string
		threshold, part     uint64
		delay, peak         uint32
		drops, marks, bytes uint32
	}{
		{"Bulk", 16, 16, 12_400, 45_000, 1000, 20, 12_112},
		{"Best Effort", 1, 4, 4_100, 15_300, 234, 3, 3028},
		{"Video", 2, 0, 0, 0, 0, 0, 0},
		{"Voice", 4, 32, 85, 990, 0, 0, 0},
	} {
		tin := shaping.TinStatus{Name: t.name, ThresholdKbit: limit / t.threshold, AvgDelayUs: t.delay, PeakDelayUs: t.peak,
			Drops: t.drops, Marks: t.marks, BacklogBytes: t.bytes, SentBytes: uint64(i) * 1000}
		if t.part > 0 {
			tin.SentBytes += seconds * limit * 1000 / 8 / t.part
		}
		d.SentBytes += tin.SentBytes
		d.Tins = append(d.Tins, tin)
	}
	return d
}

// htb is a direction with classes.
func htb(direction string, seconds uint64) shaping.DirectionStatus {
	return shaping.DirectionStatus{
		Direction: direction, State: shaping.Shaped, Shaper: "pppoe-wan", Qdisc: "htb", RateKbit: 10_000,
		SentBytes: seconds * 500_000, Drops: 7, BacklogBytes: 3028,
		Classes: []shaping.ClassStatus{
			{Class: "1:11", RateKbit: 128, CeilKbit: 3333, SentBytes: seconds * 1000, BacklogBytes: 0},
			{Class: "1:12", RateKbit: 1666, CeilKbit: 9984, SentBytes: seconds * 499_000, Drops: 7, BacklogBytes: 3028},
			{Class: "1:13", RateKbit: 1666, CeilKbit: 9984},
		},
	}
}

// with changes a sample.
func with(change func(*daemon.Report)) func(uint64) daemon.Report {
	return func(seconds uint64) daemon.Report {
		r := sample(seconds)
		change(&r)
		return r
	}
}

// pictures are what the golden files show. A report is fetched twice, two seconds
// apart.
var pictures = []struct {
	name    string
	report  func(seconds uint64) daemon.Report
	failure error
}{
	{name: "cake", report: sample},
	{name: "no-queues", report: with(func(r *daemon.Report) { r.Queues = nil })},
	{name: "waiting", report: with(func(r *daemon.Report) {
		r.Shaped, r.Daemon.Bus = false, false
		q := &r.Queues[0]
		q.Link, q.Device = nil, "pppoe-wan"
		for i := range q.Directions {
			q.Directions[i] = daemon.DirectionReport{DirectionStatus: shaping.DirectionStatus{
				Direction: q.Directions[i].Direction, State: shaping.Waiting, Reason: "device pppoe-wan does not exist"}}
		}
		r.Queues = append(r.Queues, daemon.QueueReport{Queue: "guest", Directions: []daemon.DirectionReport{{DirectionStatus: shaping.DirectionStatus{
			Direction: "upload", State: shaping.Waiting, Reason: "network guest has no device"}}}})
	})},
	{name: "conflict", report: with(func(r *daemon.Report) {
		r.Shaped = false
		q := &r.Queues[0]
		q.Link.Carrier, q.Link.OperState, q.Link.SpeedMbit = false, "down", 0
		q.Directions[0].DirectionStatus = shaping.DirectionStatus{Direction: "upload", State: "conflict",
			Reason: "another program put fq_codel 8001: there for the third time in a minute; left to it for 60 s"}
		q.Directions[1].DirectionStatus = shaping.DirectionStatus{Direction: "download", State: shaping.Off, Reason: "not configured, or rate 0"}
	})},
	{name: "findings", report: with(func(r *daemon.Report) {
		r.Shaped = false
		r.Findings = []string{"/etc/config/sqm:12: queue 'lan': option upload: \"fast\" is not a number, give kbit/s", "/etc/config/sqmd:3: unknown section type 'clas'"}
		r.Queues[0].Findings = []string{"hardware flow offload is on: packets bypass the shaper"}
	})},
	{name: "classes", report: func(seconds uint64) daemon.Report {
		r := sample(seconds)
		r.Queues[0].Device = "pppoe-wan"
		r.Queues[0].Directions[0] = daemon.DirectionReport{DirectionStatus: htb("upload", seconds), ThroughputKbit: 4000}
		return r
	}},
	{name: "eight-tins", report: with(func(r *daemon.Report) {
		d := &r.Queues[0].Directions[0]
		d.Tins = nil
		for i := range 8 {
			d.Tins = append(d.Tins, shaping.TinStatus{Name: fmt.Sprintf("Tin %d", i), ThresholdKbit: 20_000 >> i, Drops: uint32(i) * 1_000_000})
		}
	})},
	{name: "long-names", report: with(func(r *daemon.Report) {
		r.Version = "1.2.3-rc1-" + strings.Repeat("long-", 10) + "version"
		q := &r.Queues[0]
		q.Queue, q.Device = strings.Repeat("queue-", 30)+"end", strings.Repeat("device-", 30)+"end"
		q.Directions[0].Tins[1].Name = strings.Repeat("tin-", 30) + "end"
		q.Directions[0].Reason = strings.Repeat("reason ", 60)
	})},
	{name: "strange-names", report: with(func(r *daemon.Report) {
		q := &r.Queues[0]
		q.Queue, q.Device = "büro ДОМ 客厅\u202e", "eth\x1b[2J\x07"
		q.Directions[0].Tins[0].Name = "\tBulk\r\n"
		q.Directions[0].LastChange = "e\u0301 \xff 🎉 ＦＵＬＬ"
	})},
	{name: "no-daemon", report: with(func(r *daemon.Report) {
		r.Daemon = nil
		for i := range r.Queues[0].Directions {
			d := &r.Queues[0].Directions[i]
			*d = daemon.DirectionReport{DirectionStatus: d.DirectionStatus}
		}
	})},
	{name: "old-figures", report: sample, failure: errors.New("connect to /var/run/sqmd/sqmd.sock: no daemon is running")},
	{name: "huge-figures", report: with(func(r *daemon.Report) {
		const most = ^uint64(0)
		r.Daemon.UptimeS, r.Daemon.MemoryBytes, r.Daemon.LostEvents = 1<<62, most, most
		d := &r.Queues[0].Directions[0]
		d.ThroughputKbit, d.RateKbit, d.Drops, d.BacklogBytes = most, most, 1<<32-1, 1<<32-1
		t := &d.Tins[0]
		t.ThresholdKbit, t.AvgDelayUs, t.PeakDelayUs, t.Drops, t.Marks, t.BacklogBytes = most, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1
	})},
}

var noon = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

// paint fetches a report twice.
func paint(report func(seconds uint64) daemon.Report, failure error) *picture {
	var p picture
	p.add(report(10), nil, noon)
	p.add(report(12), nil, noon.Add(2*time.Second))
	if failure != nil {
		p.add(daemon.Report{}, failure, noon.Add(3*time.Second))
	}
	return &p
}
