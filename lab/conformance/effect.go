// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Effect is what became of one packet through a shaped device.
type Effect struct {
	Packet
	Arrived     bool   `json:"arrived"`
	ArrivedDSCP uint8  `json:"arrived_dscp"`
	Class       string `json:"class"` // whose counter rose; empty unless the root is htb with several leaves
}

// Path is one direction through a device.
type Path struct {
	Device    string    `json:"device"`
	Direction Direction `json:"direction"`
}

// Probe is what became of all packets of one path. Shaper is the device whose root they must pass; Counted are the
// packets that root has seen.
type Probe struct {
	Path
	Shaper  string   `json:"shaper"`
	Counted uint64   `json:"counted"`
	Effects []Effect `json:"effects"`
}

// severalLeaves says that classes of the device's root have to be chosen between.
func severalLeaves(device node) bool {
	classes, _ := device["classes"].(node)
	leaves := 0
	for _, class := range classes {
		if class, ok := class.(node); ok && class["kind"] == "htb" && class["leaf"] != nil {
			leaves++
		}
	}
	return leaves > 1
}

// washes says that the device's root is a cake that clears the DSCP.
func washes(t Tree, device string) bool {
	options, _ := t.root(device)["options"].(node)
	wash, _ := options["wash"].(bool)
	return wash
}

// compareEffects holds the packets of one path against what the record and the target say of them.
func (c *Case) compareEffects(target, got Tree, p Probe) []string {
	where := fmt.Sprintf("%s %s", p.Device, p.Direction)
	ifb := target.redirect(p.Device)
	shaper := p.Device
	if p.Direction == Ingress {
		shaper = ifb
	}
	differences := p.delivery(where)
	classes := severalLeaves(target.device(shaper)) && severalLeaves(got.device(shaper))
	var strays strays
	for _, e := range p.Effects {
		want, err := c.Record.AfterStart.fateOf(p.Direction, p.Device, ifb, e.Packet)
		if err != nil {
			return append(differences, fmt.Sprintf("%s: cannot tell what the record does with %v: %v", where, e.Packet, err))
		}
		like, err := c.Record.AfterStart.fateOf(p.Direction, p.Device, ifb, e.Packet)
		if err != nil {
			return append(differences, fmt.Sprintf("%s: cannot tell what the record does with %v: %v", where, e.Packet, err))
		}
		if washes(target, shaper) {
			want.dscp = 0
		}
		if e.Arrived && e.Port == probePort && e.ArrivedDSCP != want.dscp {
			strays.add(e.Packet, arrival(e, want.dscp))
		}
		if classes && e.Class != like.class {
			strays.add(e.Packet, fmt.Sprintf("went to class %s, want %s", e.Class, like.class))
		}
	}
	return append(differences, strays.lines(where)...)
}

// arrival words a wrong DSCP on arrival.
func arrival(e Effect, want uint8) string {
	switch {
	case e.ArrivedDSCP == e.DSCP && want == 0:
		return "arrived with their DSCP, want 0"
	case e.ArrivedDSCP == 0 && want == e.DSCP:
		return "arrived with DSCP 0, want their own"
	}
	return fmt.Sprintf("arrived with DSCP %d, want %d", e.ArrivedDSCP, want)
}

// strays collects packets that met the same wrong fate.
type strays struct {
	groups []strayGroup
}

type strayGroup struct {
	version int
	fate    string
	dscps   []int
	ports   []int
}

func (s *strays) add(p Packet, fate string) {
	i := slices.IndexFunc(s.groups, func(g strayGroup) bool { return g.version == p.Version && g.fate == fate })
	if i < 0 {
		i = len(s.groups)
		s.groups = append(s.groups, strayGroup{version: p.Version, fate: fate})
	}
	g := &s.groups[i]
	if p.Port != probePort {
		g.ports = append(g.ports, p.Port)
	} else {
		g.dscps = append(g.dscps, int(p.DSCP))
	}
}

func (s *strays) lines(where string) []string {
	var lines []string
	for _, g := range s.groups {
		var who []string
		if len(g.dscps) > 0 {
			who = append(who, "DSCP "+ranges(g.dscps))
		}
		if len(g.ports) > 0 {
			who = append(who, "port "+ranges(g.ports))
		}
		lines = append(lines, fmt.Sprintf("%s: IPv%d %s %s", where, g.version, strings.Join(who, " and "), g.fate))
	}
	return lines
}

// ranges writes ascending numbers as "1-3 7 9-10".
func ranges(numbers []int) string {
	var words []string
	for i := 0; i < len(numbers); {
		first := numbers[i]
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		word := strconv.Itoa(first)
		if last := numbers[i-1]; last > first {
			word += "-" + strconv.Itoa(last)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// delivery says what did not arrive or did not pass the shaper.
func (p Probe) delivery(where string) []string {
	var differences []string
	arrived := 0
	for _, e := range p.Effects {
		if e.Arrived {
			arrived++
		}
	}
	if arrived < len(p.Effects) {
		differences = append(differences, fmt.Sprintf("%s: %d of %d packets arrived", where, arrived, len(p.Effects)))
	}
	if p.Counted < uint64(len(p.Effects)) {
		differences = append(differences, fmt.Sprintf("%s: the shaper on %s has seen %d of %d packets", where, p.Shaper, p.Counted, len(p.Effects)))
	}
	return differences
}
