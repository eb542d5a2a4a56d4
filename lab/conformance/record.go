// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"fmt"
	"slices"
)

// recordedState is kernel state as state.json has it.
type recordedState struct {
	Devices map[string]recordedDevice `json:"devices"`
	IFB     []recordedIFB             `json:"ifb"`
	Mangle  struct {
		IPv4 mangleTable `json:"ipv4"`
		IPv6 mangleTable `json:"ipv6"`
	} `json:"mangle"`
}

type recordedDevice struct {
	Kind    string           `json:"kind"`
	MTU     int              `json:"mtu"`
	Up      bool             `json:"up"`
	Qdiscs  []recordedQdisc  `json:"qdiscs"`
	Classes []map[string]any `json:"classes"`
	Filters struct {
		Root    []filter `json:"root"`
		Ingress []filter `json:"ingress"`
	} `json:"filters"`
}

type recordedQdisc struct {
	Kind    string         `json:"kind"`
	Handle  string         `json:"handle"`
	Parent  string         `json:"parent"`
	Options map[string]any `json:"options"`
	Stab    map[string]any `json:"stab"`
}

type recordedIFB struct {
	Name      string   `json:"name"`
	TxQueues  int      `json:"num_tx_queues"`
	TxQLen    int      `json:"txqlen"`
	OperState string   `json:"operstate"`
	Flags     []string `json:"flags"`
}

// mangleTable is the firewall's mangle table: its rules as iptables-save writes them.
type mangleTable struct {
	Rules []string `json:"rules"`
}

// filter is a tc filter. Match holds u32's words as "value/mask at offset".
type filter struct {
	Kind     string   `json:"kind"`
	Protocol string   `json:"protocol"`
	Pref     int      `json:"pref"`
	Handle   string   `json:"handle"`
	ClassID  string   `json:"classid"`
	Match    []string `json:"match"`
	Actions  []struct {
		Kind   string `json:"kind"`
		Action string `json:"mirred_action"`
		ToDev  string `json:"to_dev"`
	} `json:"actions"`
}

// tree puts the record into the form in which states are compared. An ifb gets the alias by which sqmd marks its own,
// which sqm-scripts does not set.
func (s recordedState) tree() (Tree, error) {
	t := Tree{}
	for name, d := range s.Devices {
		device := newDevice(d.Kind, d.MTU, d.Up)
		for _, q := range d.Qdiscs {
			device.addQdisc(q.Parent, q.Kind, q.Handle, q.Options, q.Stab)
		}
		for _, class := range d.Classes {
			device.addClass(class)
		}
		var targets []string
		for _, f := range d.Filters.Ingress {
			for _, action := range f.Actions {
				if action.Kind == "mirred" && action.Action == "redirect" {
					targets = append(targets, action.ToDev)
				}
			}
		}
		if err := device.setRedirect(targets); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t[name] = node(device)
	}
	for _, ifb := range s.IFB {
		if device := t.device(ifb.Name); device != nil {
			deviceNode(device).setIFB("", ifb.Flags, ifb.OperState, ifb.TxQueues, ifb.TxQLen)
		}
	}
	for name := range s.Devices {
		if ifb := t.device(t.redirect(name)); ifb != nil {
			ifb["alias"] = "sqmd:" + name
		}
	}
	return t.clone(), nil
}

// deviceNode is a device of a Tree under construction.
type deviceNode node

func newDevice(kind string, mtu int, up bool) deviceNode {
	return deviceNode{"kind": kind, "mtu": mtu, "up": up, "qdiscs": node{}, "classes": node{}}
}

func (d deviceNode) addQdisc(parent, kind, handleText string, options, stab node) {
	for _, counter := range []string{"direct_packets_stat", "ver"} {
		delete(options, counter)
	}
	qdisc := node{"kind": kind, "handle": handle(handleText), "options": options}
	if stab != nil {
		qdisc["stab"] = stab
	}
	d["qdiscs"].(node)[handle(parent)] = qdisc
}

func (d deviceNode) addClass(class node) {
	for _, name := range []string{"classid", "parent", "leaf"} {
		if text, ok := class[name].(string); ok {
			class[name] = handle(text)
		}
	}
	id, _ := class["classid"].(string)
	d["classes"].(node)[id] = class
}

// setRedirect notes the one device that the ingress filters redirect to.
func (d deviceNode) setRedirect(targets []string) error {
	slices.Sort(targets)
	targets = slices.Compact(targets)
	switch len(targets) {
	case 0:
	case 1:
		d["redirect"] = targets[0]
	default:
		return fmt.Errorf("ingress is redirected to more than one device: %v", targets)
	}
	return nil
}

func (d deviceNode) setIFB(alias string, flags []string, operState string, txQueues, txQLen int) {
	slices.Sort(flags)
	d["alias"], d["flags"], d["operstate"], d["tx_queues"], d["txqlen"] = alias, flags, operState, txQueues, txQLen
}
