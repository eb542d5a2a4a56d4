// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"fmt"
	"slices"

	"sqmd/ifb"
	"sqmd/tc"
	"sqmd/uci"
)

// Feature is a part of the kernel that a plan can do without.
type Feature string

// The optional features, by the kernel's name of the piece.
const (
	FeatureMQ   Feature = "cake_mq"
	FeatureWash Feature = "act_pedit"
)

// Plan is what a unit asks of the kernel.
type Plan struct {
	Unit    Unit
	Targets []Target // the IFB first, then the device
	// Findings are mistakes that only showed when the options were turned into
	// qdiscs, and what was done about missing features. With an Error the targets
	// only keep packets from being lost.
	Findings []uci.Finding
	// Waiting is set while the device does not exist.
	Waiting bool
	// Outside are rates in bit/s that another program has set and that are left
	// alone, and Configured what the configuration asks for.
	Outside, Configured rates
}

// Refused reports whether the plan cannot be carried out.
func (p Plan) Refused() bool {
	return slices.ContainsFunc(p.Findings, func(f uci.Finding) bool { return f.Severity >= uci.Error })
}

// Knowledge is what a plan takes into account beside the unit and the kernel.
type Knowledge struct {
	Record Record // of the unit's device
	// Without are features that the kernel was found to lack.
	Without map[Feature]bool
	// RespectRates leaves a rate alone that another program has set, as long as
	// the configuration has not changed; see [Record].
	RespectRates bool
}

// refusal is why the plan cannot be carried out.
func (p Plan) refusal() string {
	for _, f := range p.Findings {
		if f.Severity >= uci.Error {
			return f.Problem
		}
	}
	return ""
}

// NewPlan plans one unit on the system as it is.
func NewPlan(u Unit, state State, known Knowledge) Plan {
	p := &planner{Plan: Plan{Unit: u}, state: state, record: known.Record, without: known.Without, respecting: known.RespectRates}
	if d := state.Devices[u.Device]; d != nil {
		p.owned = owned(d, known.Record)
	}
	link, exists := state.Links[u.Device]
	if !exists {
		p.Waiting = true
		p.removeIFB()
		return p.Plan
	}
	p.link = link
	device := Target{Device: u.Device}
	p.planUpload(&device)
	p.planDownload(&device)
	p.Targets = append(p.Targets, device)
	if p.Refused() {
		rest := Target{Device: u.Device}
		p.unblock(&rest)
		p.Targets = []Target{rest}
	}
	return p.Plan
}

type planner struct {
	Plan
	state      State
	record     Record
	owned      Ownership
	without    map[Feature]bool
	respecting bool
	link       ifb.Link
}

func (p *planner) planUpload(device *Target) {
	if p.Unit.Upload == nil {
		if !p.Unit.keeps(Upload) && p.owned.Root {
			device.Root = Clear
		}
		return
	}
	device.Root, device.Tree = Set, p.tree(sideOf(p.Unit.Upload, Upload), p.link.TxQueues, p.rootOf(p.Unit.Device))
	if d := p.state.Devices[p.Unit.Device]; d != nil && d.Root != nil && !p.owned.Root && d.Root.Root.Kind != device.Tree.kind() {
		p.warn(p.Unit.Upload, "interface", fmt.Sprintf("%s had a root qdisc %s %s that is not of sqmd; it is replaced",
			p.Unit.Device, d.Root.Root.Kind, d.Root.Root.Handle))
	}
}

func (p *planner) planDownload(device *Target) {
	if p.Unit.Download == nil {
		if p.Unit.keeps(Download) {
			p.unblock(device)
		} else {
			p.clearDownload(device)
		}
		return
	}
	name := p.ifbName()
	queues := 1
	if p.Unit.Download.UseMQ && !p.without[FeatureMQ] {
		queues = p.link.TxQueues
	}
	tree := p.tree(sideOf(p.Unit.Download, Download), queues, p.rootOf(name))
	p.Targets = append(p.Targets, Target{Device: name, IFB: Set, Owner: p.Unit.Device, Queues: queues, Root: Set, Tree: tree})
	device.Redirect, device.To = Set, name
	p.refuseForeign(name)
}

// unblock removes a redirect of ours that loses every packet, because its IFB is
// gone or down, where nothing else is to be changed.
func (p *planner) unblock(device *Target) {
	if l, _ := p.state.ifbOf(p.Unit.Device); !l.Up && p.owned.Known {
		device.Redirect, device.To = Clear, l.Name
	}
}

// clearDownload removes what shaped the download, if it is ours.
func (p *planner) clearDownload(device *Target) {
	l, found := p.ourIFB()
	if found {
		p.Targets = append(p.Targets, Target{Device: l.Name, IFB: Clear})
	}
	if found || p.owned.Known {
		// The redirect can have outlived its IFB, and then loses every packet.
		device.Redirect, device.To = Clear, l.Name
	}
	device.DropHook = p.owned.Hook
}

// ourIFB is the IFB of ours for the device, also one that was made and not yet
// marked when we were killed: nothing is on it.
func (p *planner) ourIFB() (ifb.Link, bool) {
	if l, found := p.state.ifbOf(p.Unit.Device); found {
		return l, true
	}
	l, exists := p.state.Links[ifb.Name(p.Unit.Device, func(string) bool { return false })]
	return l, exists && p.unmarked(l)
}

func (p *planner) unmarked(l ifb.Link) bool {
	return l.Kind == "ifb" && l.Alias == "" && !l.Up && p.owned.Known
}

func (p *planner) removeIFB() {
	if l, found := p.state.ifbOf(p.Unit.Device); found {
		p.Targets = append(p.Targets, Target{Device: l.Name, IFB: Clear})
	}
}

// ifbName keeps the name that our IFB for the device already has.
func (p *planner) ifbName() string {
	if l, found := p.state.ifbOf(p.Unit.Device); found {
		return l.Name
	}
	return ifb.Name(p.Unit.Device, func(name string) bool {
		l, exists := p.state.Links[name]
		_, ok := ours(l)
		return exists && ok
	})
}

// refuseForeign reports who stands in the way of the download. We do not fight
// over packets.
func (p *planner) refuseForeign(name string) {
	if l, exists := p.state.Links[name]; exists {
		owner, ok := ours(l)
		if !p.unmarked(l) && (!ok || owner != p.Unit.Device) {
			p.refuse(fmt.Sprintf("device %s exists and was not made by sqmd", name),
				"no other shaper on the device: stop it first, for sqm-scripts with /etc/init.d/sqm stop")
			return
		}
	}
	d := p.state.Devices[p.Unit.Device]
	if d == nil {
		return
	}
	for _, f := range d.Ingress {
		to, redirects := redirectTarget(f)
		switch {
		case redirects && to == 0 && !deadRedirect(f):
			p.refuse(fmt.Sprintf("another filter (pref %d, %s) sends what arrives on %s to a device that is gone", f.Pref, f.Kind, p.Unit.Device),
				"no other ingress shaper on the device: remove that filter")
		case redirects && to != 0 && to != p.state.Links[name].Index:
			p.refuse(fmt.Sprintf("another filter (pref %d, %s) already redirects what arrives on %s", f.Pref, f.Kind, p.Unit.Device),
				"no other ingress shaper on the device: stop it first")
		case f.Pref == 0xffff:
			p.refuse(fmt.Sprintf("a filter on %s has the last preference, so that none can come behind it", p.Unit.Device), "filters up to preference 65534")
		}
	}
}

func (p *planner) refuse(problem, accepted string) {
	p.Findings = append(p.Findings, p.Unit.Download.Finding(uci.Error, "interface", problem, accepted))
}

func (p *planner) warn(q *uci.Queue, option, problem string) {
	p.Findings = append(p.Findings, q.Finding(uci.Warning, option, problem, ""))
}

// rootOf is what a device has as its root, nil for nothing.
func (p *planner) rootOf(device string) *Tree {
	if d := p.state.Devices[device]; d != nil {
		return d.Root
	}
	return nil
}

// tree makes the tree of one direction, or a finding.
func (p *planner) tree(s side, txQueues int, have *Tree) *Tree {
	t, finding := p.recipe(s, txQueues)
	if finding != nil {
		p.Findings = append(p.Findings, *finding)
		return nil
	}
	*p.Configured.of(s.direction) = t.rate()
	return p.respect(s.direction, t, have)
}

func (p *planner) recipe(s side, txQueues int) (*Tree, *uci.Finding) {
	mtu := int64(p.link.MTU)
	s.header = p.link.Header
	if s.Qdisc == "cake" {
		return s.cake(p.useMQ(s, txQueues))
	}
	switch s.Recipe {
	case uci.Simple:
		return s.simple(mtu, p.washes(s))
	case uci.SimplestTBF:
		return s.tbf(mtu)
	}
	return s.simplest(mtu)
}

func (p *planner) washes(s side) bool {
	if s.direction != Download || !s.SquashDSCP {
		return false
	}
	if p.without[FeatureWash] {
		p.warn(s.Queue, "squash_dscp", "the kernel has no act_pedit; the DSCP of arriving packets is not cleared")
	}
	return !p.without[FeatureWash]
}

func (p *planner) useMQ(s side, txQueues int) bool {
	switch {
	case !s.UseMQ:
		return false
	case p.without[FeatureMQ]:
		p.warn(s.Queue, "use_mq", "the kernel has no cake_mq; plain cake is used")
		return false
	case txQueues < 2:
		p.warn(s.Queue, "use_mq", fmt.Sprintf("%s has one transmit queue; plain cake is used", p.Unit.Device))
		return false
	}
	return true
}

// redirectTarget is the device that a filter redirects to, 0 for one that is
// gone.
func redirectTarget(f tc.Filter) (ifindex int, ok bool) {
	switch o := f.Options.(type) {
	case *tc.Matchall:
		return o.Actions.RedirectsTo()
	case *tc.U32:
		return o.Actions.RedirectsTo()
	case *tc.Flower:
		return o.Actions.RedirectsTo()
	case *tc.Fw:
		return o.Actions.RedirectsTo()
	}
	return 0, false
}

// Rate is the limit that the plan gives a direction, in bit/s, 0 for none, and
// whether another program has set it.
func (p Plan) Rate(d Direction) (bits uint64, outside bool) {
	if theirs := *p.Outside.of(d); theirs > 0 {
		return theirs, true
	}
	return *p.Configured.of(d), false
}
