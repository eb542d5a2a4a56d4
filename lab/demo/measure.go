// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sqmd/lab"
	"sqmd/lab/traffic"
)

// Load is what the line is loaded with.
type Load struct {
	// Name is for people.
	Name     string
	Down, Up bool
}

// Loads returns what the line is loaded with, in order.
func Loads() []Load {
	return []Load{
		{Name: "download", Down: true},
		{Name: "upload", Up: true},
		{Name: "both", Down: true, Up: true},
	}
}

// flows is how many connections load a direction.
const flows = 4

// Times of a measurement: connections have found their rate and filled the buffers before the window begins.
const (
	settle        = 4 * time.Second
	window        = 8 * time.Second
	answerTimeout = 3 * time.Second
)

// Measurement is what was found with one shaper under one load.
type Measurement struct {
	Shaper Shaper
	Load   Load
	// Down and Up are the directions that were loaded.
	Down, Up Throughput
	Ping     traffic.Summary
	// Echoes are the single pings of the window, by time from its begin.
	Echoes []traffic.Echo
	// Missed lists in words which of the demonstration's bars were missed.
	Missed []string
}

// Throughput of one direction, in bit/s, at the receiving host: data of applications, and whole Ethernet frames as a
// shaper counts them.
type Throughput struct {
	Goodput, Wire float64
}

// Measure measures every shaper under every load in a network that it builds in the running guest. It tells progress as
// it goes on, and measures once more what misses a bar.
func Measure(ctx context.Context, line Line, program, config string, progress io.Writer) ([]Measurement, error) {
	network, err := line.build()
	if err != nil {
		return nil, err
	}
	defer network.Close()
	var all []Measurement
	for _, shaper := range Shapers() {
		disable, err := shaper.enable(network.Router, program, config)
		if err != nil {
			return nil, err
		}
		for _, load := range Loads() {
			m, err := measure(ctx, network, line, shaper, load, progress)
			if err == nil && len(m.Missed) > 0 {
				fmt.Fprintf(progress, "  missed: %s; measuring once more\n", strings.Join(m.Missed, ", "))
				m, err = measure(ctx, network, line, shaper, load, progress)
			}
			if err != nil {
				return nil, fmt.Errorf("measure %s %s: %w", shaper.Name, load.Name, err)
			}
			all = append(all, m)
		}
		if err := disable(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func measure(ctx context.Context, network *lab.Network, line Line, shaper Shaper, load Load, progress io.Writer) (Measurement, error) {
	m := Measurement{Shaper: shaper, Load: load}
	if err := emptyModem(network); err != nil {
		return m, err
	}
	client, server := network.Clients[0], network.Servers[0]
	counters := []traffic.Counter{
		traffic.WireReceived(client.Namespace, client.Device),
		traffic.WireReceived(server.Namespace, server.Device),
	}
	for _, direction := range []struct {
		loaded   bool
		from, to lab.Host
	}{{load.Down, server, client}, {load.Up, client, server}} {
		if !direction.loaded {
			counters = append(counters, func() (uint64, error) { return 0, nil })
			continue
		}
		transfer, err := traffic.Bulk{Path: traffic.Path{From: direction.from, To: direction.to}, Flows: flows}.Start()
		if err != nil {
			return m, err
		}
		defer transfer.Stop()
		counters = append(counters, transfer.Received)
	}
	pinger, err := traffic.Ping{From: client.Namespace, To: server.IPv4}.Start()
	if err != nil {
		return m, err
	}
	rates, err := settledRates(ctx, counters)
	if err != nil {
		return m, err
	}
	echoes, err := pinger.Stop(answerTimeout)
	if err != nil {
		return m, err
	}
	m.Down, m.Up = Throughput{Wire: rates[0], Goodput: rates[2]}, Throughput{Wire: rates[1], Goodput: rates[3]}
	m.Ping = traffic.RoundTrips(echoes, settle, settle+window)
	m.Echoes = between(echoes, settle, settle+window)
	m.Missed = line.missed(m)
	fmt.Fprintf(progress, "%s\n", m)
	return m, nil
}

// settledRates returns how fast the counters grow in the window.
func settledRates(ctx context.Context, counters []traffic.Counter) ([]float64, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(settle):
		return traffic.Rates(window, counters...)
	}
}

// between returns the echoes sent in a span of time, counted from its begin.
func between(echoes []traffic.Echo, from, to time.Duration) []traffic.Echo {
	var inside []traffic.Echo
	for _, echo := range echoes {
		if echo.Sent >= from && echo.Sent < to {
			inside = append(inside, traffic.Echo{Sent: echo.Sent - from, RoundTrip: echo.RoundTrip})
		}
	}
	return inside
}
