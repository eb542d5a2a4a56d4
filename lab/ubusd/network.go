// SPDX-License-Identifier: GPL-2.0-or-later

package ubusd

import (
	"context"
	"maps"
	"slices"
)

// netifd is the name of netifd's object; those of networks begin with it.
const netifd = "network.interface"

// Network plays netifd: there is a network name, up on a layer-3 device or, where that is empty, down. What changes is
// told as an event network.interface, with the action ifup, ifdown or, where only the device changes, ifupdate. It is an
// error if somebody else has taken the name of the object.
func (s *Server) Network(name, l3Device string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(netifd) == nil {
		if err := s.offer(netifd, []Method{{Name: "dump", Answer: s.dump}}); err != nil {
			return err
		}
	}
	if s.find(netifd+"."+name) == nil {
		status := func(context.Context, map[string]any) (map[string]any, Status) { return s.status(name) }
		if err := s.offer(netifd+"."+name, []Method{{Name: "status", Answer: status}}); err != nil {
			return err
		}
	}
	action := change(s.networks[name], l3Device)
	s.networks[name] = l3Device
	if action == "" {
		return nil
	}
	return s.netifdEvent(action, name)
}

// RemoveNetwork takes back [Server.Network], with an event ifdown if the network was up.
func (s *Server) RemoveNetwork(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.find(netifd + "." + name); o != nil {
		s.remove(o)
	}
	up := s.networks[name] != ""
	delete(s.networks, name)
	if !up {
		return nil
	}
	return s.netifdEvent("ifdown", name)
}

// change is the action of netifd's event when the device of a network changes.
func change(before, after string) string {
	switch {
	case before == after:
		return ""
	case before == "":
		return "ifup"
	case after == "":
		return "ifdown"
	}
	return "ifupdate"
}

func (s *Server) netifdEvent(action, name string) error {
	return s.publish(nil, netifd, map[string]any{"action": action, "interface": name})
}

func (s *Server) status(name string) (map[string]any, Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	device, known := s.networks[name]
	if !known {
		return nil, NotFound
	}
	return networkStatus(device), OK
}

// networkStatus is what netifd says of a network: one that is down has no layer-3 device.
func networkStatus(device string) map[string]any {
	status := map[string]any{"up": device != "", "pending": false, "available": true, "autostart": true, "proto": "static"}
	if device != "" {
		status["device"], status["l3_device"] = device, device
	}
	return status
}

func (s *Server) dump(context.Context, map[string]any) (map[string]any, Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.networks)) {
		status := networkStatus(s.networks[name])
		status["interface"] = name
		list = append(list, status)
	}
	return map[string]any{"interface": list}, OK
}
