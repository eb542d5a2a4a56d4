// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sqmd/daemon/journal"
	"sqmd/shaping"
	"sqmd/ubus"
)

// errPending is the answer while the bus has not been asked.
var errPending = errors.New("it is being looked up")

// resolution is the device of a logical network, as the bus last told it.
type resolution struct {
	device string
	err    error // of the last question; a device known from before stays
	// missed is since when netifd does not know the network, 0 while it does.
	missed time.Duration
}

// noDevice is an error that is certain: netifd itself said so.
type noDevice struct{ error }

func (noDevice) Is(target error) bool { return target == shaping.ErrNoDevice }
func (n noDevice) Unwrap() error      { return n.error }

// missingFor is how long netifd may not know a network before its device is given
// up: while it starts anew it knows none.
const missingFor = 30 * time.Second

// networks are the logical networks that the configuration names. The loop never
// waits for the bus: it uses what it knows and asks for the rest.
type networks struct {
	known   map[string]resolution
	refresh bool // the bus is to be asked about all of them
	// all are those that netifd last listed, named in the configuration or not; nil
	// while there was no list.
	all []ubus.Network
}

// device is [shaping.Resolve] from what is known.
func (n *networks) device(network string) (string, error) {
	r, known := n.known[network]
	if !known {
		r.err = errPending
		n.known[network], n.refresh = r, true
	}
	switch {
	case r.device != "":
		return r.device, nil
	case errors.Is(r.err, ubus.ErrNetworkDown), errors.Is(r.err, ubus.ErrNoNetwork):
		return "", noDevice{r.err}
	}
	return "", r.err
}

// look is [shaping.Resolve] too, and asks the bus for nothing.
func (n *networks) look(network string) (string, error) {
	if _, known := n.known[network]; known {
		return n.device(network)
	}
	for _, listed := range n.all {
		switch {
		case listed.Name != network:
		case listed.Device == "":
			return "", noDevice{ubus.ErrNetworkDown}
		default:
			return listed.Device, nil
		}
	}
	if n.all == nil {
		return "", ubus.ErrNoBus
	}
	return "", noDevice{ubus.ErrNoNetwork}
}

// of are the names of the networks whose packets a device carries, sorted.
func (n *networks) of(device string) []string {
	var names []string
	for name, r := range n.known {
		if r.device == device {
			names = append(names, name)
		}
	}
	for _, listed := range n.all {
		if listed.Device == device && !slices.Contains(names, listed.Name) {
			names = append(names, listed.Name)
		}
	}
	slices.Sort(names)
	return names
}

// keep forgets all networks but those that are still named.
func (n *networks) keep(named func(string) bool) {
	maps.DeleteFunc(n.known, func(network string, _ resolution) bool { return !named(network) })
}

// names are the networks to ask about, in a fixed order.
func (n *networks) names() []string {
	var names []string
	for name := range n.known {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// pending reports whether a question is still without any answer.
func (n *networks) pending() bool {
	return n.any(func(r resolution) bool { return r.err == errPending })
}

// unsettled reports whether some network has no device.
func (n *networks) unsettled() bool {
	return n.any(func(r resolution) bool { return r.device == "" })
}

func (n *networks) any(is func(resolution) bool) bool {
	for _, r := range n.known {
		if is(r) {
			return true
		}
	}
	return false
}

// answer is what the bus says about one network, or all that there are.
type answer struct {
	network string
	resolution
	all []ubus.Network // nil in an answer about one
}

// missing reports whether it is time to ask again about a network that netifd did
// not know.
func (n *networks) missing(now time.Duration) bool {
	return n.any(func(r resolution) bool { return r.missed > 0 && r.device != "" && now-r.missed >= missingFor })
}

// resolved takes in an answer. A network that is down, or a bus that is away,
// leaves the device that was known: its shaping is not to blame.
func (c *core) resolved(now time.Duration, a answer) {
	if a.all != nil {
		c.networks.all = a.all
		return
	}
	old, asked := c.networks.known[a.network]
	if !asked {
		return // it is not named any more
	}
	if errors.Is(a.err, ubus.ErrNoNetwork) {
		if a.missed = old.missed; a.missed == 0 {
			a.missed = max(now, 1)
		}
	}
	if a.err != nil && (a.missed == 0 || now-a.missed < missingFor) {
		a.device = old.device
	}
	c.networks.known[a.network] = a.resolution
	if a.device != old.device || old.err == errPending {
		c.touch(now)
	}
	if a.device != old.device {
		c.rememberNetworks(now)
	}
	if a.device != old.device && a.device != "" {
		c.say(now, journal.Info, fmt.Sprintf("network %s is device %s", a.network, a.device))
	}
}

// networksPath is the file that has the devices of networks for the next daemon:
// one that starts while a network is down leaves its device as it is, too.
func (c *core) networksPath() string { return filepath.Join(c.options.Records.Dir, "networks") }

func (c *core) rememberNetworks(now time.Duration) {
	devices := map[string]string{}
	for name, r := range c.networks.known {
		if r.device != "" {
			devices[name] = r.device
		}
	}
	text, err := json.Marshal(devices)
	if err == nil {
		err = replaceFile(c.networksPath(), text)
	}
	if err != nil {
		c.say(now, journal.Error, fmt.Sprintf("remember the devices of networks: %v", err))
	}
}

// recallNetworks takes up what the daemon before knew.
func (c *core) recallNetworks() {
	text, err := os.ReadFile(c.networksPath())
	var devices map[string]string
	if err != nil || json.Unmarshal(text, &devices) != nil {
		return // there was none, or nothing is to be had from it
	}
	for name, device := range devices {
		c.networks.known[name] = resolution{device: device, err: errPending}
	}
}
