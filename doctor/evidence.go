// SPDX-License-Identifier: GPL-2.0-or-later

package doctor

import (
	"sqmd/shaping"
	"sqmd/uci"
)

// Evidence is all that findings are drawn from. What is left empty is not known,
// and nothing is concluded from it.
type Evidence struct {
	Config uci.Config // /etc/config/sqm
	Queues []Queue
	System // from [Gather]

	// Missing are features that the kernel was found to lack.
	Missing []shaping.Feature
	// Offloads are those of the queues' devices, by name; see [ReadOffloads].
	Offloads map[string]Offloads
	// ClockFault is what is wrong with the program's clock; see [CheckClock].
	ClockFault error
	// ClockSteps counts the jumps of the wall clock, LostEvents the times that the
	// kernel dropped notifications, both since the daemon started.
	ClockSteps, LostEvents uint64
}

// Queue is one device with what it is to be shaped by, and how it is.
type Queue struct {
	shaping.Unit
	// Status may hold the daemon's states too. The reason of an unshaped direction
	// is the error of applying it, where that is known.
	Status shaping.Status
}

// System is what the files of the system say.
type System struct {
	Firewall Firewall
	Managers []Manager
	// Links are the network devices by name.
	Links map[string]Link
	// DefaultRoutes are the devices that a default route leads through, each once.
	DefaultRoutes []string
}

// Firewall is the part of /etc/config/firewall that concerns shaping.
type Firewall struct {
	FlowOffload bool // software flow offload
	// HardwareOffload is set where hardware flow offload is in force, which needs
	// FlowOffload too.
	HardwareOffload bool
}

// Manager is another shaper, or something that changes its rates, that starts at
// boot and has something to do.
type Manager struct {
	Service string // its init script
	// Devices are those it shapes; nil when they are not known.
	Devices []string
	// Evidence is how it was found.
	Evidence string
	// RateOnly is set for one that changes rates only.
	RateOnly bool
}

// Link is a network device as sysfs shows it.
type Link struct {
	Kind   string   // "bridge", "vlan", "ppp", "wlan", "dsa"; "" for others
	Bridge string   // the bridge that it is a port of
	Lower  []string // devices that it runs on, if the kernel knows
	// SpeedMbit is the negotiated speed in Mbit/s, 0 where there is none.
	SpeedMbit int
}

// Offloads are the ways in which a device joins packets to super-packets.
type Offloads struct {
	TSO, GSO bool // of leaving packets
	GRO      bool // of arriving packets
}

// side is one direction that a queue asks for.
type side struct {
	direction shaping.Direction
	*uci.Queue
	rate  uci.Rate // 0 for no limit
	words string   // of tc(8), as configured
}

// sides are the directions that the queue asks for.
func (q Queue) sides() []side {
	var sides []side
	if c := q.Upload; c != nil {
		sides = append(sides, side{shaping.Upload, c, limit(c.Upload, c.Unlimited.Upload), c.EgressOpts})
	}
	if c := q.Download; c != nil {
		sides = append(sides, side{shaping.Download, c, limit(c.Download, c.Unlimited.Download), c.IngressOpts})
	}
	return sides
}

func limit(rate uci.Rate, unlimited bool) uci.Rate {
	if unlimited {
		return 0
	}
	return rate
}
