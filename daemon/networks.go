// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sqmd/daemon/journal"
	"sqmd/ubus"
)

// errPending is the answer while the bus has not been asked.
var errPending = errors.New("it is being looked up")

// resolution is the device of a logical network, as the bus last told it.
type resolution struct {
	device string
	err    error // of the last question; a device known from before stays
}

// networks are the logical networks that the configuration names. The loop never
// waits for the bus: it uses what it knows and asks for the rest.
type networks struct {
	known   map[string]resolution
	refresh bool // the bus is to be asked about all of them
}

// device is [shaping.Resolve] from what is known.
func (n *networks) device(network string) (string, error) {
	r, known := n.known[network]
	if !known {
		r.err = errPending
		n.known[network], n.refresh = r, true
	}
	if r.device != "" {
		return r.device, nil
	}
	return "", r.err
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

// answer is what the bus says about one network.
type answer struct {
	network string
	resolution
}

// resolved takes in an answer. A network that is down, or a bus that is away,
// leaves the device that was known: its shaping is not to blame.
func (c *core) resolved(now time.Duration, a answer) {
	old := c.networks.known[a.network]
	if a.err != nil && !errors.Is(a.err, ubus.ErrNoNetwork) {
		a.device = old.device
	}
	c.networks.known[a.network] = a.resolution
	if a.device != old.device || old.err == errPending {
		c.touch(now)
	}
	if a.device != old.device && a.device != "" {
		c.say(now, journal.Info, fmt.Sprintf("network %s is device %s", a.network, a.device))
	}
}
