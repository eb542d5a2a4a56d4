// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/vishvananda/netlink"
)

// Bottleneck is a rate limit with a tail-drop queue in front.
type Bottleneck struct {
	// Rate in bit/s, below 2^32 byte/s, counting Ethernet frames without preamble and checksum; 0 does not limit.
	Rate uint64
	// Buffer is the queue's length in bytes.
	Buffer uint32
}

// packetLimit is how many packets may wait where none are to be lost; more than a gigabit carries in a second.
const packetLimit = 100000

// scheduleHosts gives every host's device a qdisc that sends packets at the times that programs ask for by SO_TXTIME.
// Other packets pass it as they come.
func (n *Network) scheduleHosts() error {
	for _, host := range slices.Concat(n.Clients, n.Servers) {
		err := host.netlink(func(kernel *netlink.Handle) error {
			return replaceRoot(kernel, host.Device, func(root netlink.QdiscAttrs) netlink.Qdisc {
				return &netlink.Fq{QdiscAttrs: root, PacketLimit: packetLimit, FlowPacketLimit: packetLimit}
			})
		})
		if err != nil {
			return fmt.Errorf("let packets be scheduled at %s of %s: %w", host.Device, host.Namespace, err)
		}
	}
	return nil
}

// SetDelay changes the delay that a packet has between modem and servers, either way. Packets on their way are lost.
func (n *Network) SetDelay(delay time.Duration) error {
	devices := []string{delayToModem}
	for _, server := range n.Servers {
		devices = append(devices, string(server.Namespace))
	}
	return n.Delay.netlink(func(kernel *netlink.Handle) error {
		for _, device := range devices {
			err := replaceRoot(kernel, device, func(root netlink.QdiscAttrs) netlink.Qdisc {
				return netlink.NewNetem(root, netlink.NetemQdiscAttrs{Latency: uint32(delay.Microseconds()), Limit: packetLimit})
			})
			if err != nil {
				return fmt.Errorf("delay packets at %s of %s: %w", device, n.Delay, err)
			}
		}
		return nil
	})
}

// SetBottleneck changes what limits the modem. The modem's queues are empty afterwards.
func (n *Network) SetBottleneck(down, up Bottleneck) error {
	return n.Modem.netlink(func(kernel *netlink.Handle) error {
		for device, limit := range map[string]Bottleneck{modemToRouter: down, modemToServers: up} {
			if err := replaceRoot(kernel, device, limit.qdisc); err != nil {
				return fmt.Errorf("limit rate at %s of %s: %w", device, n.Modem, err)
			}
		}
		return nil
	})
}

// qdisc returns a tbf with a queue counted in bytes, or, without limit, what a virtual device has by default.
func (b Bottleneck) qdisc(root netlink.QdiscAttrs) netlink.Qdisc {
	if b.Rate == 0 {
		return &netlink.GenericQdisc{QdiscAttrs: root, QdiscType: "noqueue"}
	}
	// Two milliseconds of the rate may pass at once, so that a timer that fires late costs no throughput, and not less
	// than two full packets.
	burst := max(2*1514, b.Rate/8*2/1000)
	return &netlink.Tbf{
		QdiscAttrs: root,
		Rate:       b.Rate / 8,
		Limit:      b.Buffer,
		Buffer:     netlink.Xmittime(b.Rate/8, uint32(burst)),
	}
}

// replaceRoot gives a device a new root qdisc. The old one is removed first: replaced by its like it would keep its
// packets.
func replaceRoot(kernel *netlink.Handle, device string, qdisc func(netlink.QdiscAttrs) netlink.Qdisc) error {
	link, err := kernel.LinkByName(device)
	if err != nil {
		return err
	}
	root := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
	old, err := kernel.QdiscList(link)
	if err != nil {
		return err
	}
	for _, q := range old {
		// Handle 0 is the kernel's default, which cannot be removed.
		if q.Attrs().Parent == netlink.HANDLE_ROOT && q.Attrs().Handle != 0 {
			if err := kernel.QdiscDel(q); err != nil {
				return err
			}
		}
	}
	return kernel.QdiscReplace(qdisc(root))
}
