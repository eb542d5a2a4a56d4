// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"

	"sqmd/ifb"
	"sqmd/tc"
)

// Status is one unit as it is now.
type Status struct {
	Queue      string            `json:"queue"`
	Sections   []string          `json:"sections"`
	Device     string            `json:"device"`
	Directions []DirectionStatus `json:"directions"`
	Findings   []string          `json:"findings,omitempty"`
}

// The states of a direction.
const (
	Shaped   = "shaped"   // the kernel shows all that was asked for
	Off      = "off"      // not asked for: rate 0
	Waiting  = "waiting"  // the device does not exist, or is not known yet
	Unshaped = "unshaped" // asked for and not, or not fully, there
	Refused  = "refused"  // the configuration cannot be used
	Stale    = "stale"    // not asked for any more, and something of ours is still there
)

// DirectionStatus is one direction of a unit. Counters are since the shaper was
// made.
type DirectionStatus struct {
	Direction string `json:"direction"`
	State     string `json:"state"`
	Reason    string `json:"reason,omitempty"`
	// Shaper is the device whose root qdisc shapes the direction.
	Shaper   string `json:"shaper,omitempty"`
	Qdisc    string `json:"qdisc,omitempty"`
	RateKbit uint64 `json:"rate_kbit"` // 0: no limit
	// ConfiguredKbit is what the configuration asks for, where another program has
	// set another rate.
	ConfiguredKbit uint64 `json:"configured_kbit,omitempty"`
	SentBytes      uint64 `json:"sent_bytes"`
	SentPackets    uint64 `json:"sent_packets"`
	Drops          uint32 `json:"drops"`
	Overlimits     uint32 `json:"overlimits"`
	// Backlog is what waits in the queue now.
	BacklogBytes   uint32        `json:"backlog_bytes"`
	BacklogPackets uint32        `json:"backlog_packets"`
	MemoryBytes    uint32        `json:"memory_bytes,omitempty"` // cake's peak
	Tins           []TinStatus   `json:"tins,omitempty"`
	Classes        []ClassStatus `json:"classes,omitempty"`
}

// TinStatus is one tin of cake.
type TinStatus struct {
	Name          string `json:"name"`
	ThresholdKbit uint64 `json:"threshold_kbit"`
	TargetUs      uint32 `json:"target_us"`
	IntervalUs    uint32 `json:"interval_us"`
	PeakDelayUs   uint32 `json:"peak_delay_us"`
	AvgDelayUs    uint32 `json:"avg_delay_us"`
	SparseDelayUs uint32 `json:"sparse_delay_us"`
	SentBytes     uint64 `json:"sent_bytes"`
	SentPackets   uint32 `json:"sent_packets"`
	Drops         uint32 `json:"drops"`
	Marks         uint32 `json:"marks"`
	AckDrops      uint32 `json:"ack_drops"`
	BacklogBytes  uint32 `json:"backlog_bytes"`
	SparseFlows   uint32 `json:"sparse_flows"`
	BulkFlows     uint32 `json:"bulk_flows"`
	Unresponsive  uint32 `json:"unresponsive_flows"`
	WayHits       uint32 `json:"way_indirect_hits"`
	WayMisses     uint32 `json:"way_misses"`
	WayCollisions uint32 `json:"way_collisions"`
	MaxPacket     uint32 `json:"max_packet_bytes"`
}

// ClassStatus is one leaf class of htb.
type ClassStatus struct {
	Class          string `json:"class"`
	RateKbit       uint64 `json:"rate_kbit"`
	CeilKbit       uint64 `json:"ceil_kbit"`
	SentBytes      uint64 `json:"sent_bytes"`
	SentPackets    uint64 `json:"sent_packets"`
	Drops          uint32 `json:"drops"`
	BacklogBytes   uint32 `json:"backlog_bytes"`
	BacklogPackets uint32 `json:"backlog_packets"`
}

// Shaped reports whether every direction that was asked for is shaped.
func (s Status) Shaped() bool {
	for _, d := range s.Directions {
		if d.State != Shaped && d.State != Off {
			return false
		}
	}
	return true
}

// Status compares units with the kernel, which is read once.
func (e *Engine) Status(units ...Unit) ([]Status, error) {
	state, err := e.look(units...).read()
	if err != nil {
		return nil, err
	}
	all := make([]Status, len(units))
	for i, u := range units {
		if all[i], err = e.status(u, state); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (e *Engine) status(u Unit, state State) (Status, error) {
	status := Status{Queue: u.Title(), Sections: u.Sections(), Device: u.Device}
	plan, _, err := e.plan(u, state)
	if err != nil {
		return status, err
	}
	for _, f := range plan.Findings {
		status.Findings = append(status.Findings, f.String())
	}
	left := Diff(plan.Targets, state)
	for _, d := range []Direction{Upload, Download} {
		ds := DirectionStatus{Direction: d.String()}
		ds.State, ds.Reason = directionState(u, plan, left, d)
		if device := shaperOf(u, state, d); device != nil && device.Root != nil && ds.State != Off {
			ds.count(device)
		}
		if outside := *plan.Outside.of(d); outside > 0 && ds.State == Shaped {
			ds.ConfiguredKbit = *plan.Configured.of(d) / 1000
			ds.Reason = outsideReason(*plan.Configured.of(d), outside)
		}
		status.Directions = append(status.Directions, ds)
	}
	return status, nil
}

// Shaper is where a direction is shaped: the root qdisc of a device.
type Shaper struct {
	Direction Direction
	Device    string
	Ifindex   int
	Kind      string
	Handle    tc.Handle
}

// Shapers are where the directions that the unit asks for are shaped now.
func (r Result) Shapers() []Shaper {
	var shapers []Shaper
	for _, d := range []Direction{Upload, Download} {
		if device := shaperOf(r.Unit, r.After, d); device != nil && r.Unit.Queue(d) != nil {
			s := Shaper{Direction: d, Device: device.Link.Name, Ifindex: device.Link.Index}
			if device.Root != nil {
				s.Kind, s.Handle = device.Root.Root.Kind, device.Root.Root.Handle
			}
			shapers = append(shapers, s)
		}
	}
	return shapers
}

// Count reads the counters of shapers, without asking whether all is as
// configured. A shaper that is gone has no Qdisc.
func (e *Engine) Count(shapers []Shaper) ([]DirectionStatus, error) {
	qdiscs, err := e.Kernel.Qdiscs()
	if err != nil {
		return nil, err
	}
	counts := make([]DirectionStatus, len(shapers))
	for i, s := range shapers {
		counts[i].Direction = s.Direction.String()
		d := &Device{Link: ifb.Link{Index: s.Ifindex, Name: s.Device}}
		d.place(qdiscs)
		if d.Root == nil {
			continue
		}
		if err := d.readClasses(e.Kernel); err != nil {
			return nil, err
		}
		counts[i].count(d)
	}
	return counts, nil
}

func directionState(u Unit, plan Plan, left []Op, d Direction) (state, reason string) {
	switch {
	case u.Left[d]:
		return Unshaped, "left to another program"
	case u.Queue(d) == nil && u.Untied:
		return Waiting, "the network of a section has no device; what was there before is kept"
	case u.Queue(d) == nil && u.Keep:
		return Refused, "the configuration has an error; what was there before is kept"
	case u.Queue(d) == nil && remaining(left, d) != nil:
		return Stale, "not configured any more, to be removed: " + remaining(left, d).String()
	case u.Queue(d) == nil:
		return Off, "not configured, or rate 0"
	case plan.Waiting:
		return Waiting, fmt.Sprintf("device %s does not exist", u.Device)
	case plan.Refused():
		return Refused, plan.refusal() + "; what was there before is kept"
	}
	if o := remaining(left, d); o != nil {
		return Unshaped, "the kernel differs from the configuration, to be mended: " + o.String()
	}
	return Shaped, ""
}

// remaining is the first operation that a direction still needs.
func remaining(left []Op, d Direction) *Op {
	for i := range left {
		if left[i].Direction == d {
			return &left[i]
		}
	}
	return nil
}

// shaperOf is the device that shapes a direction of the unit.
func shaperOf(u Unit, state State, d Direction) *Device {
	if d == Upload {
		return state.Devices[u.Device]
	}
	l, found := state.ifbOf(u.Device)
	if !found {
		return nil
	}
	return state.Devices[l.Name]
}

func (ds *DirectionStatus) count(device *Device) {
	root := device.Root.Root
	ds.Shaper, ds.Qdisc = device.Link.Name, root.Kind
	ds.RateKbit = device.Root.rate() / 1000
	if s := root.Stats; s != nil {
		ds.SentBytes, ds.SentPackets, ds.Drops, ds.Overlimits = s.Bytes, s.Packets, s.Drops, s.Overlimits
		ds.BacklogBytes, ds.BacklogPackets = s.Backlog, s.Qlen
		if s.Cake != nil {
			ds.MemoryBytes = s.Cake.MemoryUsed
			ds.countTins(root, s.Cake)
		}
	}
	ds.countClasses(device.Root)
}

// rate is the limit of the tree in bit/s, 0 for none.
func (t *Tree) rate() uint64 {
	switch o := t.Root.Options.(type) {
	case *tc.Cake:
		if o.Rate != nil {
			return *o.Rate
		}
	case *tc.TBF:
		return o.Rate
	}
	for _, c := range t.Classes {
		if o, ok := c.Options.(*tc.HTBClass); ok && c.Handle == topClass {
			return o.Rate
		}
	}
	return 0
}

// tinNames are the names of cake's tins by their number, lowest priority first
// as tc(8) shows them; other numbers of tins have no names.
var tinNames = map[int][]string{
	1: {"Best Effort"},
	3: {"Bulk", "Best Effort", "Voice"},
	4: {"Bulk", "Best Effort", "Video", "Voice"},
}

func (ds *DirectionStatus) countTins(root tc.Qdisc, s *tc.CakeStats) {
	names := tinNames[len(s.Tins)]
	for i, t := range s.Tins {
		name := fmt.Sprintf("Tin %d", i)
		if i < len(names) {
			name = names[i]
		}
		ds.Tins = append(ds.Tins, TinStatus{
			Name: name, ThresholdKbit: t.ThresholdBits / 1000, TargetUs: t.TargetUs, IntervalUs: t.IntervalUs,
			PeakDelayUs: t.PeakDelayUs, AvgDelayUs: t.AvgDelayUs, SparseDelayUs: t.SparseDelayUs,
			SentBytes: t.SentBytes, SentPackets: t.SentPackets, Drops: t.Drops, Marks: t.Marks, AckDrops: t.AckDrops,
			BacklogBytes: t.BacklogBytes, SparseFlows: t.SparseFlows, BulkFlows: t.BulkFlows, Unresponsive: t.Unresponsive,
			WayHits: t.WayHits, WayMisses: t.WayMisses, WayCollisions: t.WayCollisions, MaxPacket: t.MaxPacket,
		})
	}
}

func (ds *DirectionStatus) countClasses(t *Tree) {
	for _, c := range t.Classes {
		o, ok := c.Options.(*tc.HTBClass)
		if !ok || c.Stats == nil || c.Handle == topClass {
			continue
		}
		ds.Classes = append(ds.Classes, ClassStatus{
			Class: c.Handle.String(), RateKbit: o.Rate / 1000, CeilKbit: o.Ceil / 1000,
			SentBytes: c.Stats.Bytes, SentPackets: c.Stats.Packets, Drops: c.Stats.Drops,
			BacklogBytes: c.Stats.Backlog, BacklogPackets: c.Stats.Qlen,
		})
	}
}
