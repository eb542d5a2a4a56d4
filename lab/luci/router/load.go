// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"slices"

	"sqmd/lab"
	"sqmd/lab/traffic"
)

// load is traffic through the router.
type load struct{ transfers []*traffic.Transfer }

// set has a number of connections carry what they can, in each direction; 0 ends all.
func (l *load) set(n *lab.Network, flows int) error {
	l.stop()
	if flows == 0 {
		return nil
	}
	client, server := n.Clients[0], n.Servers[0]
	for _, path := range []traffic.Path{{From: client, To: server}, {From: server, To: client}} {
		transfer, err := traffic.Bulk{Path: path, Flows: flows}.Start()
		if err != nil {
			l.stop()
			return err
		}
		l.transfers = append(l.transfers, transfer)
	}
	return nil
}

func (l *load) stop() {
	for _, transfer := range slices.Backward(l.transfers) {
		transfer.Stop()
	}
	l.transfers = nil
}
