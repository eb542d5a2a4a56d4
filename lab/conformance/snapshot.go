// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Snapshot is the kernel state of a network namespace in the words of ip(8) and tc(8).
type Snapshot struct {
	Links   json.RawMessage            `json:"links"`   // ip -j -d link show
	Qdiscs  json.RawMessage            `json:"qdiscs"`  // tc -j -d qdisc show
	Classes map[string]string          `json:"classes"` // by device: tc -d class show, which has no usable JSON for htb
	Ingress map[string]json.RawMessage `json:"ingress"` // by device: tc -j filter show dev DEVICE ingress
}

// classful are the qdiscs whose classes are compared.
var classful = []string{"drr", "htb", "tbf"}

// portPrefix starts the names of devices that the lab adds to those of the case.
const portPrefix = "labport"

type shownLink struct {
	Name      string   `json:"ifname"`
	Flags     []string `json:"flags"`
	MTU       int      `json:"mtu"`
	OperState string   `json:"operstate"`
	TxQLen    int      `json:"txqlen"`
	TxQueues  int      `json:"num_tx_queues"`
	Alias     string   `json:"ifalias"`
	Info      struct {
		Kind string `json:"info_kind"`
	} `json:"linkinfo"`
}

type shownQdisc struct {
	Kind    string         `json:"kind"`
	Handle  string         `json:"handle"`
	Device  string         `json:"dev"`
	Root    bool           `json:"root"`
	Parent  string         `json:"parent"`
	Options map[string]any `json:"options"`
	Stab    map[string]any `json:"stab"`
}

type shownFilter struct {
	Options struct {
		Actions []struct {
			Kind      string `json:"kind"`
			Action    string `json:"mirred_action"`
			Direction string `json:"direction"`
			ToDev     string `json:"to_dev"`
		} `json:"actions"`
	} `json:"options"`
}

func (s Snapshot) qdiscs() ([]shownQdisc, error) {
	var qdiscs []shownQdisc
	if err := json.Unmarshal(s.Qdiscs, &qdiscs); err != nil {
		return nil, fmt.Errorf("read qdiscs: %w", err)
	}
	return qdiscs, nil
}

// tree puts the snapshot into the form in which states are compared. It leaves out loopback and the lab's own ports.
func (s Snapshot) tree() (Tree, error) {
	var links []shownLink
	if err := json.Unmarshal(s.Links, &links); err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	t := Tree{}
	for _, link := range links {
		if link.Name == "lo" || strings.HasPrefix(link.Name, portPrefix) {
			continue
		}
		device := newDevice(link.Info.Kind, link.MTU, slices.Contains(link.Flags, "UP"))
		if link.Info.Kind == "ifb" {
			device.setIFB(link.Alias, link.Flags, link.OperState, link.TxQueues, link.TxQLen)
		}
		t[link.Name] = node(device)
	}
	if err := s.addQdiscs(t); err != nil {
		return nil, err
	}
	for name, text := range s.Classes {
		classes, err := parseClasses(text)
		if err != nil {
			return nil, fmt.Errorf("read classes of %s: %w", name, err)
		}
		for _, class := range classes {
			if device := t.device(name); device != nil {
				deviceNode(device).addClass(class)
			}
		}
	}
	if err := s.addRedirects(t); err != nil {
		return nil, err
	}
	return t.clone(), nil
}

func (s Snapshot) addQdiscs(t Tree) error {
	qdiscs, err := s.qdiscs()
	if err != nil {
		return err
	}
	for _, q := range qdiscs {
		device := t.device(q.Device)
		if device == nil {
			continue
		}
		parent := q.Parent
		if q.Root {
			parent = "root"
		}
		deviceNode(device).addQdisc(parent, q.Kind, q.Handle, q.Options, q.Stab)
	}
	return nil
}

func (s Snapshot) addRedirects(t Tree) error {
	for name, text := range s.Ingress {
		var filters []shownFilter
		if err := json.Unmarshal(text, &filters); err != nil {
			return fmt.Errorf("read ingress filters of %s: %w", name, err)
		}
		var targets []string
		for _, f := range filters {
			for _, action := range f.Options.Actions {
				if action.Kind == "mirred" && action.Action == "redirect" && action.Direction == "egress" {
					targets = append(targets, action.ToDev)
				}
			}
		}
		device := t.device(name)
		if device == nil {
			continue
		}
		if err := deviceNode(device).setRedirect(targets); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// parseClasses reads the lines of tc -d class show, for instance
//
//	class htb 1:11 parent 1:1 leaf 110: prio 1 quantum 1749 rate 2Mbit overhead 44 ceil 2Mbit linklayer atm
//	burst 1748b/1 mpu 96b cburst 1748b/1 mpu 96b level 0
func parseClasses(text string) ([]node, error) {
	var classes []node
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || words[0] != "class" || !slices.Contains(classful, words[1]) {
			continue
		}
		class := node{"kind": words[1], "classid": words[2]}
		if err := parseClassWords(class, words[3:]); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		classes = append(classes, class)
	}
	return classes, nil
}

func parseClassWords(class node, words []string) error {
	for len(words) > 0 {
		name := words[0]
		if name == "root" {
			class["parent"] = "root"
			words = words[1:]
			continue
		}
		if len(words) == 1 {
			return fmt.Errorf("%s has no value", name)
		}
		value := words[1]
		words = words[2:]
		// What stands after ceil and cburst is about them.
		if name == "mpu" && class["cburst"] != nil {
			name = "cmpu"
		}
		if name == "overhead" && class["ceil"] != nil {
			name = "coverhead"
		}
		switch name {
		case "prio", "quantum", "level":
			number, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			class[name] = number
		default:
			class[name] = value
		}
	}
	return nil
}
