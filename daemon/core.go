// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"sqmd/daemon/journal"
	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/uci"
	"sqmd/watch"
)

// How soon and how often the kernel is compared with the configuration.
const (
	gather    = 30 * time.Millisecond  // from the first event, so that those with it are one
	pace      = 100 * time.Millisecond // between two reconciles
	lockRetry = 50 * time.Millisecond  // while another sqmd is at work
	lockTold  = 10 * time.Second       // after that long it is worth a line
	second    = time.Second            // counters, files and clock
	audit     = time.Minute            // a reconcile without a reason, for what no event told
)

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// core is the daemon without the world around it: what it knows, and what it
// does at a given time. It starts no goroutine and reads no clock; times are
// since the start of the daemon.
type core struct {
	options Options
	engine  *shaping.Engine
	close   func() // the engine's connection to the kernel; nil without one
	journal *journal.Journal

	config   config
	links    watch.Table
	networks networks

	queues  map[string]*queue // by device
	order   []string          // of the devices, as in the configuration
	watched map[int]bool      // indexes of devices and IFBs that the queues are about
	// groupFindings are mistakes that showed when sections were joined by device.
	groupFindings []uci.Finding
	leftover      backoff // of what is no longer configured
	whole         backoff // of reconciles that came to nothing

	due       time.Duration // of the next reconcile
	last      time.Duration // of the reconcile before
	nextTick  time.Duration
	nextAudit time.Duration
	renamed   bool   // some link may have a new name
	reopen    bool   // the connection to the kernel is in doubt
	trouble   string // why the last reconcile came to nothing, "" if it did not
	locked    time.Duration

	cpu     *watch.CPU
	carried *watch.Carried

	found     int           // by the doctor when it last looked; -1 if it did not yet
	diagnosed time.Duration // when that was

	clock      wallClock
	bus        func() bool // reports whether ubus is connected
	blind      bool        // the kernel's notifications do not come
	reconciles uint64
	repairs    uint64
	lostEvents uint64
}

func newCore(o Options) *core {
	c := &core{
		options: o,
		journal: journal.New(o.Log),
		queues:  map[string]*queue{},
		watched: map[int]bool{},
		renamed: true,
		reopen:  true,
		locked:  never,
		last:    -pace,
		found:   -1,
		cpu:     watch.NewCPU(o.Root),
		carried: watch.NewCarried(o.Root),
	}
	c.config.sqm.path, c.config.sqmd.path = o.SQM, o.SQMD
	c.config.goodPath = filepath.Join(o.Records.Dir, "sqm.good")
	c.networks.known = map[string]resolution{}
	c.recallNetworks()
	c.engine = &shaping.Engine{Records: o.Records, Resolve: c.networks.device, RespectRates: true}
	return c
}

// event takes in what the kernel says.
func (c *core) event(now time.Duration, e watch.Event) {
	c.links.Apply(e)
	switch e.Kind {
	case watch.TCChanged:
		c.trafficControlEvent(now, e)
	case watch.LinkAppeared, watch.LinkGone, watch.LinkChanged:
		c.linkEvent(now, e)
	case watch.AddressChanged:
		c.networks.refresh = c.networks.refresh || c.networks.unsettled()
	case watch.Interrupted:
		if !c.blind {
			c.say(now, journal.Warning, "notifications of the kernel are cut off, the kernel is asked each second instead: "+e.Err.Error())
		}
		c.blind = true
	case watch.Resynced:
		c.blind = false
		if e.Lost {
			c.lostEvents++
			c.say(now, journal.Info, "the kernel dropped notifications; everything was read anew")
		}
		c.renamed, c.networks.refresh = true, true
		c.touch(now)
	}
}

// trafficControlEvent: what is gone is mended at once. A change of a shaper in
// place may be one of many of a program that follows the line.
func (c *core) trafficControlEvent(now time.Duration, e watch.Event) {
	switch {
	case !c.watched[e.Ifindex]:
	case !e.TC.Gone && c.ofShaper(e):
		c.due = min(c.due, max(now+gather, c.last+second))
	default:
		c.touch(now)
	}
}

// ofShaper reports whether the event is about a root qdisc that was there before,
// or a class of it.
func (c *core) ofShaper(e watch.Event) bool {
	for _, q := range c.queues {
		for _, s := range q.shapers {
			if s.Ifindex != e.Ifindex || s.Kind != e.TC.Kind {
				continue
			}
			class := e.TC.Object == "class" && e.TC.Handle.Major() == s.Handle.Major()
			if class || e.TC.Parent == tc.Root && s.Handle == e.TC.Handle {
				return true
			}
		}
	}
	return false
}

func (c *core) linkEvent(now time.Duration, e watch.Event) {
	if c.networks.unsettled() {
		c.networks.refresh = true // it may be the device of one
	}
	before, after := e.Before.Name, e.Link.Name
	if before != "" && after != before {
		c.renamed = true
	}
	if !c.concerns(e) {
		return
	}
	for _, q := range c.queues {
		if q.device == before || q.device == after {
			q.backoff.reset()
			if q.device == after && before != after {
				q.startOver() // it is another device
			}
			c.tellLink(now, q, e)
		}
	}
	c.touch(now)
}

// concerns reports whether a link can matter: it is, was or will be the device of
// a queue, or an IFB.
func (c *core) concerns(e watch.Event) bool {
	for _, l := range []watch.Link{e.Before, e.Link} {
		if c.watched[l.Index] || c.queues[l.Name] != nil || l.Kind == "ifb" || c.config.names(l.Name) {
			return true
		}
	}
	return false
}

// touch has the kernel compared with the configuration soon.
func (c *core) touch(now time.Duration) {
	c.due = min(c.due, max(now+gather, c.last+pace))
}

// step does what is due.
func (c *core) step(now time.Duration) {
	if now >= c.nextTick {
		c.tick(now)
	}
	if now >= c.due {
		c.reconcile(now)
	}
}

// next is when step is to be called again.
func (c *core) next() time.Duration { return min(c.nextTick, c.due) }

// tick is what is done each second.
func (c *core) tick(now time.Duration) {
	c.nextTick += second
	if c.nextTick <= now { // the machine stood still
		c.nextTick = now + second
	}
	if c.clock.stepped(now, c.options.Wall()) {
		c.say(now, journal.Info, "the clock was set; sqmd does not depend on it")
	}
	switch sqm, sqmd := c.config.changed(); {
	case sqm:
		c.load(now, "a configuration file has changed")
	case sqmd:
		c.loadMore(now)
		c.tellMore(now)
	}
	c.sample(now)
	c.cpu.Sample()
	c.carried.Sample(now)
	if c.blind || now >= c.nextAudit || c.anyRetryDue(now) {
		c.touch(now)
	}
	if now >= c.nextAudit && c.networks.unsettled() || c.networks.missing(now) {
		c.networks.refresh = true
	}
}

func (c *core) anyRetryDue(now time.Duration) bool {
	if c.leftover.due(now) || c.whole.due(now) {
		return true
	}
	for _, q := range c.queues {
		if q.backoff.due(now) || q.holdEnds(now) {
			return true
		}
	}
	return false
}

// reconcile compares the kernel with the configuration and mends what differs.
func (c *core) reconcile(now time.Duration) {
	c.due, c.last, c.nextAudit = never, now, now+audit
	unlock, err := c.engine.Records.TryLock()
	if errors.Is(err, shaping.ErrLocked) {
		c.waitForLock(now)
		return
	}
	if err != nil {
		c.putOff(now, err)
		return
	}
	defer unlock()
	c.locked = never
	if err := c.connect(); err != nil {
		c.putOff(now, err)
		return
	}
	if c.renamed {
		if err := c.engine.FollowRenames(); err != nil {
			c.putOff(now, err)
			return
		}
		c.renamed = false
	}
	units, findings, err := c.engine.Units(c.config.inForce(), "")
	if err != nil {
		c.putOff(now, err)
		return
	}
	c.trouble = ""
	c.whole.reset()
	c.reconciles++
	c.tellGroup(now, findings)
	c.apply(now, units)
}

// waitForLock tries again soon: whoever has the lock needs milliseconds.
func (c *core) waitForLock(now time.Duration) {
	c.locked = min(c.locked, now)
	c.due = now + min(max(lockRetry, (now-c.locked)/4), second)
	if now-c.locked >= lockTold {
		c.say(now, journal.Error, "another sqmd has held the lock for "+lockTold.String()+"; nothing can be repaired until it ends")
	}
}

// putOff tries again later what failed for all queues.
func (c *core) putOff(now time.Duration, err error) {
	c.reopen, c.trouble = true, err.Error()
	c.say(now, journal.Error, c.trouble)
	c.whole.fail(now)
}

// connect opens the connection to the kernel, anew if there was trouble with it.
func (c *core) connect() error {
	if !c.reopen {
		return nil
	}
	c.disconnect()
	kernel, close, err := c.options.Kernel()
	if err != nil {
		return err
	}
	c.engine.Kernel, c.close, c.reopen = kernel, close, false
	return nil
}

func (c *core) disconnect() {
	if c.close != nil {
		c.close()
	}
	c.engine.Kernel, c.close = nil, nil
}

// apply brings the units that are ready to what they ask for.
func (c *core) apply(now time.Duration, units []shaping.Unit) {
	c.order = c.order[:0]
	var asked, failing, leftover []shaping.Unit
	for _, u := range units {
		if u.Upload == nil && u.Download == nil && !u.Broken && !u.Keep {
			leftover = append(leftover, u)
			continue
		}
		q := c.queue(now, u.Device)
		q.unit = u
		c.order = append(c.order, u.Device)
		if q.backoff.ready(now) {
			asked = append(asked, c.ask(now, q))
		} else if q.keeps {
			failing = append(failing, q.unheld(now, *q.good))
		} else {
			failing = append(failing, shaping.Unit{Device: u.Device, Keep: true})
		}
	}
	c.forgetQueues()
	for _, r := range c.engine.Apply(asked...) {
		c.settle(now, c.queues[r.Unit.Device], r)
	}
	// What is tried again later must not lose packets until then. An error of that
	// is the next try's too.
	c.engine.Apply(failing...)
	c.setFree(now, leftover)
	c.watchQueues()
}

// watchQueues makes events of the queues' devices and IFBs count.
func (c *core) watchQueues() {
	clear(c.watched)
	for _, q := range c.queues {
		for _, s := range q.shapers {
			c.watched[s.Ifindex] = true
		}
		if l, exists := c.links.ByName(q.device); exists {
			c.watched[l.Index] = true
		}
	}
}

// queue is what is known of a device's queue, from now on.
func (c *core) queue(now time.Duration, device string) *queue {
	q := c.queues[device]
	if q == nil {
		q = newQueue(now, device)
		c.queues[device] = q
	}
	return q
}

// forgetQueues drops what is known of devices that no section names any more.
func (c *core) forgetQueues() {
	for device := range c.queues {
		if !slices.Contains(c.order, device) {
			delete(c.queues, device)
		}
	}
}

// setFree removes what is left on devices that are no longer configured.
func (c *core) setFree(now time.Duration, units []shaping.Unit) {
	if !c.leftover.ready(now) {
		return
	}
	failed := false
	for _, r := range c.engine.Apply(units...) {
		switch {
		case r.Err != nil:
			failed = true
			c.log(now, journal.Entry{Level: journal.Error, Device: r.Unit.Device, Text: r.Err.Error()})
		case len(r.Ops) > 0:
			c.log(now, journal.Entry{Level: journal.Info, Device: r.Unit.Device, Text: "is no longer configured and was set free"})
		}
	}
	if !failed {
		c.leftover.reset()
		return
	}
	c.leftover.fail(now)
	c.reopen = true
}

// tellGroup logs the mistakes that show when sections are joined by device, when
// they are new. While a network is still to be looked up they are not known yet.
func (c *core) tellGroup(now time.Duration, findings []uci.Finding) {
	old := c.groupFindings
	if c.networks.pending() {
		return
	}
	c.groupFindings = findings
	for _, f := range findings {
		if !slices.Contains(old, f) {
			c.tellFinding(now, f)
		}
	}
}

// tellFinding logs one mistake in the configuration.
func (c *core) tellFinding(now time.Duration, f uci.Finding) {
	level := journal.Debug
	switch f.Severity {
	case uci.Error:
		level = journal.Error
	case uci.Warning:
		level = journal.Warning
	}
	c.say(now, level, f.String())
}

// say logs a line about the daemon as a whole.
func (c *core) say(now time.Duration, level journal.Level, text string) {
	c.log(now, journal.Entry{Level: level, Text: text})
}

// tell logs a line about a queue's direction.
func (c *core) tell(now time.Duration, level journal.Level, q *queue, d shaping.Direction, text string) {
	c.log(now, journal.Entry{Level: level, Queue: q.unit.Title(), Device: q.device, Direction: d.String(), Text: text})
}

func (c *core) log(now time.Duration, e journal.Entry) {
	verbosity := c.config.verbosity()
	if q := c.queues[e.Device]; q != nil {
		verbosity = q.verbosity()
	}
	c.journal.Log(now, verbosity, e)
}

// busChanged notes that ubus is there, or what is wrong with it.
func (c *core) busChanged(now time.Duration, p presence) {
	if p.err != nil {
		c.say(now, journal.Warning, "ubus: "+p.err.Error())
		return
	}
	c.say(now, journal.Info, "ubus: connected")
	c.networks.refresh = true
}
