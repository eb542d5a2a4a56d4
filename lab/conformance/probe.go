// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
)

// attempts bounds how often a packet is sent again because another one, such as a neighbour solicitation, was counted in
// the same moment, or because it did not arrive: a virtual machine may stand still for longer than the packet may take.
const attempts = 5

// mayBeLost is how many packets of a path may be sent again because they did not arrive.
const mayBeLost = 10

// prober sends packets along one path, one after the other.
type prober struct {
	path     Path
	from, to space
	sendOn   string // device
	listenOn string
	target   attached
	host     byte // of the target's address

	counters *classCounters // nil when there is one class only
	number   uint32
	lost     int            // packets that did not arrive
	senders  map[int]socket // by IP version
	ears     map[ear]socket
}

// ear is where packets are received.
type ear struct {
	version, port int
}

// send sends all packets of a path through the state after start. The shaper is the device whose root they pass.
func (w *world) send(path Path, shaper string, after Tree) (Probe, error) {
	a, ok := w.find(path.Device)
	if !ok {
		return Probe{}, fmt.Errorf("the lab did not make %s", path.Device)
	}
	p := &prober{path: path, target: a, senders: map[int]socket{}, ears: map[ear]socket{}}
	if path.Direction == Egress {
		p.from, p.to, p.sendOn, p.listenOn, p.host = w.inner, w.outer, a.Name, a.peer, 2
	} else {
		p.from, p.to, p.sendOn, p.listenOn, p.host = w.outer, w.inner, a.peer, a.Name, 1
	}
	defer p.close()
	if err := p.open(w); err != nil {
		return Probe{}, err
	}
	link, err := w.inner.LinkByName(shaper)
	if err != nil {
		return Probe{}, fmt.Errorf("find %s: %w", shaper, err)
	}
	if severalLeaves(after.device(shaper)) {
		p.counters = &classCounters{space: w.inner, link: link}
	}
	result := Probe{Path: path, Shaper: shaper}
	for _, packet := range probes(path.Direction) {
		effect, err := p.try(packet)
		if err != nil {
			return Probe{}, err
		}
		result.Effects = append(result.Effects, effect)
	}
	result.Counted, err = w.inner.rootPackets(link)
	return result, err
}

// open makes the sockets, each in its namespace.
func (p *prober) open(w *world) error {
	err := w.within(p.from, func() (err error) {
		for _, version := range []int{4, 6} {
			if p.senders[version], err = newSocket(version, p.sendOn); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.within(p.to, func() error {
		for _, packet := range probes(p.path.Direction) {
			if err := p.openEar(ear{packet.Version, packet.Port}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *prober) openEar(at ear) error {
	if _, open := p.ears[at]; open {
		return nil
	}
	s, err := newSocket(at.version, p.listenOn)
	if err != nil {
		return err
	}
	p.ears[at] = s
	return s.listen(p.target.address(at.version, p.host).IP, at.port)
}

func (p *prober) close() {
	for _, s := range p.senders {
		s.close()
	}
	for _, s := range p.ears {
		s.close()
	}
}

// try sends a packet and says what became of it.
func (p *prober) try(packet Packet) (Effect, error) {
	effect := Effect{Packet: packet}
	for range attempts {
		before, err := p.counters.read()
		if err != nil {
			return effect, err
		}
		p.number++
		if err := p.senders[packet.Version].send(p.target.address(packet.Version, p.host).IP, packet, p.number); err != nil {
			return effect, fmt.Errorf("send %v: %w", packet, err)
		}
		effect.ArrivedDSCP, err = p.ears[ear{packet.Version, packet.Port}].receive(p.number)
		if effect.Arrived = err == nil; err != nil && !errors.Is(err, errLost) {
			return effect, err
		}
		after, err := p.counters.read()
		if err != nil {
			return effect, err
		}
		var sole bool
		effect.Class, sole = risen(before, after)
		if !effect.Arrived {
			p.lost++
		}
		if sole && (effect.Arrived || p.lost > mayBeLost) {
			break
		}
	}
	return effect, nil
}

// classCounters reads how many packets the leaf classes of a device have passed.
type classCounters struct {
	space
	link netlink.Link
}

func (c *classCounters) read() (map[string]uint32, error) {
	if c == nil {
		return nil, nil
	}
	classes, err := c.ClassList(c.link, netlink.HANDLE_NONE)
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	packets := map[string]uint32{}
	parents := map[uint32]bool{}
	for _, class := range classes {
		parents[class.Attrs().Parent] = true
	}
	for _, class := range classes {
		attrs := class.Attrs()
		if class.Type() == "htb" && !parents[attrs.Handle] && attrs.Statistics != nil {
			packets[netlink.HandleStr(attrs.Handle)] = attrs.Statistics.Basic.Packets
		}
	}
	return packets, nil
}

// risen names the class whose counter rose; sole says that no other's did.
func risen(before, after map[string]uint32) (class string, sole bool) {
	rises := uint32(0)
	for name, packets := range after {
		if rise := packets - before[name]; rise > 0 {
			class = name
			rises += rise
		}
	}
	return class, rises == 1 || len(after) == 0
}

// rootPackets gives the number of packets that the root qdisc of a link has passed.
func (s space) rootPackets(link netlink.Link) (uint64, error) {
	qdiscs, err := s.QdiscList(link)
	if err != nil {
		return 0, fmt.Errorf("read qdiscs: %w", err)
	}
	for _, q := range qdiscs {
		attrs := q.Attrs()
		if attrs.Parent == netlink.HANDLE_ROOT && attrs.Statistics != nil {
			return uint64(attrs.Statistics.Basic.Packets), nil
		}
	}
	return 0, nil
}
