// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"sqmd/ifb"
	"sqmd/uci"
)

// Check finds the mistakes that only show when options become qdiscs, without a
// kernel: every device is taken to exist, with an Ethernet's MTU.
func Check(config uci.Config) []uci.Finding {
	everything := func(string) bool { return true }
	// What a network's device is called makes no difference here.
	itself := func(network string) (string, error) { return network, nil }
	units, findings, _ := Group(config.Queues, everything, itself)
	for i, u := range units {
		link := ifb.Link{Index: i + 1, Name: u.Device, Kind: "device", MTU: 1500, TxQueues: 1, Up: true}
		state := State{Links: map[string]ifb.Link{u.Device: link}, Devices: map[string]*Device{u.Device: {Link: link}}}
		for _, f := range NewPlan(u, state, Knowledge{}).Findings {
			// What a real device has decides about multi-queue.
			if f.Option != "use_mq" {
				findings = append(findings, f)
			}
		}
	}
	return findings
}
