// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package traffic_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab"
	"sqmd/lab/traffic"
)

// Bounds are wide because a guest in real time shares its core with whatever else the machine does.

const (
	delay = 10 * time.Millisecond
	down  = 3e6
	up    = 1e6
)

func build(t *testing.T, topology lab.Topology) *lab.Network {
	t.Helper()
	network, err := topology.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := network.Close(); err != nil {
			t.Error(err)
		}
	})
	return network
}

func TestEveryHostReachesEveryOther(t *testing.T) {
	network := build(t, lab.Topology{Clients: 2, Servers: 2, WAN: "wan0", Delay: delay})
	for _, client := range network.Clients {
		for _, server := range network.Servers {
			for _, ipv6 := range []bool{false, true} {
				for _, path := range []traffic.Path{{From: client, To: server, IPv6: ipv6}, {From: server, To: client, IPv6: ipv6}} {
					want := map[uint8]int{0: 2, 10: 2, 46: 2}
					got, err := traffic.Marks{Path: path, DSCP: []uint8{0, 10, 46}, Count: 2}.Send()
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("codepoints from %v, IPv6 %v (-sent +arrived):\n%s", path, ipv6, diff)
					}
				}
			}
		}
	}
}

func TestDelayAndOrder(t *testing.T) {
	network := build(t, lab.Topology{Delay: delay})
	client, server := network.Clients[0], network.Servers[0]
	pinger, err := traffic.Ping{From: client.Namespace, To: server.IPv6}.Start()
	if err != nil {
		t.Fatal(err)
	}
	flow, err := traffic.Stream{Path: traffic.Path{From: client, To: server}}.Start()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	report, err := flow.Stop(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	echoes, err := pinger.Stop(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report)
	if report.Sent < 1000 || report.Lost != 0 || report.Reordered != 0 || report.Duplicated != 0 {
		t.Errorf("a quiet path lost or mixed up packets: %v", report)
	}
	if report.Median < delay || report.Median > 2*delay {
		t.Errorf("delay one way is %v, want a little more than %v", report.Median, delay)
	}
	summary := traffic.RoundTrips(echoes, 0, time.Hour)
	t.Log(summary)
	if summary.Sent < 50 || summary.Lost != 0 || summary.Median < 2*delay || summary.Median > 4*delay {
		t.Errorf("round trips are not a little more than %v: %v", 2*delay, summary)
	}
}

func TestBottleneck(t *testing.T) {
	const buffer = 40e3
	network := build(t, lab.Topology{
		Delay: delay,
		Down:  lab.Bottleneck{Rate: down, Buffer: buffer},
		Up:    lab.Bottleneck{Rate: up, Buffer: buffer},
	})
	client, server := network.Clients[0], network.Servers[0]
	for _, test := range []struct {
		name string
		path traffic.Path
		rate float64
	}{
		{"down", traffic.Path{From: server, To: client}, down},
		{"up over IPv6", traffic.Path{From: client, To: server, IPv6: true}, up},
	} {
		t.Run(test.name, func(t *testing.T) {
			transfer, err := traffic.Bulk{Path: test.path, Flows: 4}.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer transfer.Stop()
			pinger, err := traffic.Ping{From: client.Namespace, To: server.IPv4}.Start()
			if err != nil {
				t.Fatal(err)
			}
			const settle, window = 2 * time.Second, 3 * time.Second
			time.Sleep(settle)
			rates, err := traffic.Rates(window, transfer.Received, traffic.WireReceived(test.path.To.Namespace, test.path.To.Device))
			if err != nil {
				t.Fatal(err)
			}
			echoes, err := pinger.Stop(time.Second)
			if err != nil {
				t.Fatal(err)
			}
			summary := traffic.RoundTrips(echoes, settle, settle+window)
			goodput, wire := rates[0]/test.rate, rates[1]/test.rate
			t.Logf("goodput %.3f and wire rate %.3f of the bottleneck's, %v", goodput, wire, summary)
			if wire < 0.8 || wire > 1.02 {
				t.Errorf("wire rate is %.2f of the bottleneck's", wire)
			}
			// When a lost packet is sent again, all that came after it counts at once: goodput may be above the wire rate.
			if goodput < 0.75*wire || goodput > 1.3*wire {
				t.Errorf("goodput is %.2f of the bottleneck's rate, the wire rate %.2f", goodput, wire)
			}
			full := time.Duration(buffer * 8 / test.rate * float64(time.Second))
			if summary.Median < full/3 {
				t.Errorf("a full buffer takes %v to pass, pings take only %v", full, summary.Median)
			}
		})
	}
}

// TestConstantRate loads 80 % of a line with packets that must all arrive.
func TestConstantRate(t *testing.T) {
	network := build(t, lab.Topology{Delay: delay, Down: lab.Bottleneck{Rate: down, Buffer: 100e3}})
	client, server := network.Clients[0], network.Servers[0]
	const rate, size, header = 200, 1486, 14
	flow, err := traffic.Stream{Path: traffic.Path{From: server, To: client, IPv6: true}, Rate: rate, Size: size}.Start()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	rates, err := traffic.Rates(2*time.Second, traffic.WireReceived(client.Namespace, client.Device))
	if err != nil {
		t.Fatal(err)
	}
	report, err := flow.Stop(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report)
	if want := rate * float64(size+header) * 8; rates[0] < 0.9*want || rates[0] > 1.1*want {
		t.Errorf("%.0f bit/s arrived, want %.0f", rates[0], want)
	}
	if report.Lost != 0 || report.Reordered != 0 {
		t.Errorf("a line loaded by 80 %% lost or mixed up packets: %v", report)
	}
}
