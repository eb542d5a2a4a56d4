// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Direction is that of traffic through a shaped device.
type Direction string

// Directions.
const (
	Egress  Direction = "egress"  // out of the device
	Ingress Direction = "ingress" // into the device, by way of its ifb
)

// fate is what the record says about a packet through a shaped device.
type fate struct {
	class string // of an htb root; empty elsewhere
	dscp  uint8  // on arrival
}

// fateOf follows a packet that the router sends out of the device or receives on it.
func (s recordedState) fateOf(d Direction, device, ifb string, p Packet) (fate, error) {
	table := s.Mangle.IPv4
	if p.Version == 6 {
		table = s.Mangle.IPv6
	}
	m := &marked{Packet: p}
	var class string
	var err error
	if d == Egress {
		m.out = device
		if err := traverseAll(table, m, "OUTPUT", "POSTROUTING"); err != nil {
			return fate{}, err
		}
		class, err = s.Devices[device].classOf(m)
	} else {
		// The ifb comes before the firewall.
		if class, err = s.Devices[ifb].classOf(m); err != nil {
			return fate{}, err
		}
		m.in = device
		err = traverseAll(table, m, "PREROUTING")
	}
	return fate{class: class, dscp: m.DSCP}, err
}

func traverseAll(table mangleTable, m *marked, chains ...string) error {
	for _, chain := range chains {
		if err := table.traverse(chain, m); err != nil {
			return err
		}
	}
	return nil
}

// classOf gives the class of an htb root that the filters choose for a packet, else the root's default class.
func (d recordedDevice) classOf(p *marked) (string, error) {
	filters := slices.Clone(d.Filters.Root)
	slices.SortStableFunc(filters, func(a, b filter) int { return a.Pref - b.Pref })
	for _, f := range filters {
		matches, err := f.matches(p)
		if err != nil {
			return "", fmt.Errorf("filter with pref %d: %w", f.Pref, err)
		}
		if matches {
			return f.ClassID, nil
		}
	}
	for _, q := range d.Qdiscs {
		if q.Parent == "root" && q.Kind == "htb" {
			minor, _ := q.Options["default"].(string)
			return "1:" + strings.TrimPrefix(minor, "0x"), nil
		}
	}
	return "", nil
}

func (f filter) matches(p *marked) (bool, error) {
	if f.Protocol != "all" && f.Protocol != p.protocol() {
		return false, nil
	}
	switch f.Kind {
	case "fw":
		value, mask, err := valueAndMask(f.Handle, 0)
		return p.mark&mask == value, err
	case "u32":
		header := p.header()
		for _, word := range f.Match {
			matches, err := wordMatches(word, header)
			if err != nil || !matches {
				return false, err
			}
		}
		return true, nil
	}
	return false, fmt.Errorf("unknown kind %s", f.Kind)
}

// wordMatches evaluates "00b80000/00fc0000 at 0" on the bytes from the network header on.
func wordMatches(text string, header []byte) (bool, error) {
	word, offsetText, found := strings.Cut(text, " at ")
	if !found {
		return false, fmt.Errorf("unknown match %q", text)
	}
	value, mask, err := valueAndMask(word, 16)
	if err != nil {
		return false, err
	}
	offset, err := strconv.Atoi(offsetText)
	if err != nil || offset < 0 || offset > len(header)-4 {
		return false, fmt.Errorf("match %q lies outside the headers", text)
	}
	return binary.BigEndian.Uint32(header[offset:])&mask == value, nil
}
