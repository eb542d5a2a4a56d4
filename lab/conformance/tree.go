// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Tree is kernel state as JSON values:
//
//	"eth1": {
//	  "kind": "veth", "mtu": 1500, "up": true,
//	  "redirect": "ifb4eth1",
//	  "qdiscs": {"root": {"kind": "htb", "handle": "1:", "options": {...}, "stab": {...}}, "1:11": {...}},
//	  "classes": {"1:11": {...}}
//	}
//
// Qdiscs are named by parent, classes by class id; redirect is the device that ingress is redirected to. An ifb also has
// alias, flags, operstate, tx_queues and txqlen. Automatic handles read "auto".
type Tree map[string]any

// node is an object inside a Tree.
type node = map[string]any

func (t Tree) device(name string) node {
	device, _ := t[name].(node)
	return device
}

// root gives the root qdisc of a device, nil without one.
func (t Tree) root(device string) node {
	qdiscs, _ := t.device(device)["qdiscs"].(node)
	root, _ := qdiscs["root"].(node)
	return root
}

// redirect names the device that ingress of a device is redirected to.
func (t Tree) redirect(device string) string {
	to, _ := t.device(device)["redirect"].(string)
	return to
}

// ifbs lists the intermediate functional block devices, by name.
func (t Tree) ifbs() []string {
	var names []string
	for name := range t {
		if t.device(name)["kind"] == "ifb" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// dropIdleIFBs removes the ifbs that nothing is redirected to.
func (t Tree) dropIdleIFBs() {
	used := map[string]bool{}
	for name := range t {
		used[t.redirect(name)] = true
	}
	for _, name := range t.ifbs() {
		if !used[name] {
			delete(t, name)
		}
	}
}

// rename gives devices other names, at once, so that names may be swapped.
func (t Tree) rename(names map[string]string) Tree {
	renamed := Tree{}
	newName := func(name string) string {
		if to, ok := names[name]; ok {
			return to
		}
		return name
	}
	for name, value := range t {
		if device, ok := value.(node); ok && device["redirect"] != nil {
			device["redirect"] = newName(t.redirect(name))
		}
		renamed[newName(name)] = value
	}
	return renamed
}

// clone copies the whole tree. What it holds came from JSON, so that JSON can carry it.
func (t Tree) clone() Tree {
	text, err := json.Marshal(t)
	if err != nil {
		panic("conformance: a tree holds what is not JSON: " + err.Error())
	}
	var copied Tree
	if err := json.Unmarshal(text, &copied); err != nil {
		panic("conformance: " + err.Error())
	}
	return copied
}

// merge applies a JSON merge patch (RFC 7396) and returns the result.
func merge(target, patch any) any {
	changes, ok := patch.(node)
	if !ok {
		return patch
	}
	object, ok := target.(node)
	if !ok {
		object = node{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
			continue
		}
		object[name] = merge(object[name], value)
	}
	return object
}

// automatic handles are those from 8000: up, which the kernel hands out; ffff: is the ingress hook's.
func automatic(major string) bool {
	number, err := strconv.ParseUint(major, 16, 16)
	return err == nil && number >= 0x8000 && number != 0xffff
}

// handle writes "auto" for what the kernel chose, or might have chosen.
func handle(handle string) string {
	major, minor, found := strings.Cut(handle, ":")
	switch {
	case !found || !automatic(major):
		return handle
	case minor == "":
		return "auto"
	}
	return "auto:" + minor
}
