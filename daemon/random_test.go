// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sqmd/ifb"
	"sqmd/shaping"
	"sqmd/tc"
)

var (
	sequences = flag.Int("sequences", 1000, "random sequences of events")
	seed      = flag.Uint64("seed", 0, "run the one sequence of this seed, and print it; 0 runs all")
)

// Random sequences of what can happen to a router. Whatever happens, the report
// is true and what is others' is untouched; and when nothing happens any more all
// is shaped that can be. A failure names the seed of its sequence:
//
//	go test ./daemon -run TestRandomSequences -seed N -v
func TestRandomSequences(t *testing.T) {
	first, n := uint64(1), *sequences
	if testing.Short() {
		n /= 50
	}
	if *seed != 0 {
		first, n = *seed, 1
	}
	// In shares, so that all processors have some.
	const shares = 8
	for share := range uint64(shares) {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			t.Parallel()
			for s := first + share; s < first+uint64(n); s += shares {
				runSequence(t, s)
				if t.Failed() {
					t.Fatalf("in the sequence of seed %d", s)
				}
			}
		})
	}
}

// monkey plays the world: other programs, persons and cables.
type monkey struct {
	*world
	*rand.Rand
	faulty bool   // the kernel refuses one request in four
	faults bool   // it has done so at some time
	unlock func() // ends another program's hold of the lock
	good   bool   // the configuration in place has no error
}

var monkeyDevices = []string{"eth1", "eth2", "pppoe-wan", "wan-uplink-east", "wan-uplink-west"}

func runSequence(t *testing.T, seed uint64) {
	m := &monkey{world: newWorld(t, ""), Rand: rand.New(rand.NewPCG(seed, 1)), good: true}
	m.k.Fail(m.fault)
	m.writeConfig(true)
	m.start()
	for range 5 + m.IntN(20) {
		m.act()
		before := m.others()
		m.pass(m.someTime())
		m.untouched(before)
		m.reportIsTrue()
		if t.Failed() {
			return
		}
	}
	m.rest()
}

// reportIsTrue checks the report; while the kernel refuses there may be none.
func (m *monkey) reportIsTrue() {
	r, err := m.c.report(m.now)
	if err == nil {
		m.isTrue(r)
	} else if !m.faulty {
		m.t.Error(err)
	}
}

// someTime is mostly short, so that events meet work under way.
func (m *monkey) someTime() time.Duration {
	switch m.IntN(10) {
	case 0:
		return time.Duration(m.IntN(60)) * time.Second
	case 1, 2, 3:
		return time.Duration(m.IntN(2000)) * time.Millisecond
	}
	return time.Duration(m.IntN(60)) * time.Millisecond
}

func (m *monkey) fault(op string) error {
	if !m.faulty || m.IntN(4) != 0 {
		return nil
	}
	errnos := []syscall.Errno{syscall.ENOBUFS, syscall.ENOMEM, syscall.EBUSY, syscall.EINTR}
	return &tc.KernelError{Errno: errnos[m.IntN(len(errnos))]}
}

// act does one thing. Things that cannot be done now are errors of no interest.
func (m *monkey) act() {
	dev := monkeyDevices[m.IntN(len(monkeyDevices))]
	acts := []struct {
		name string
		do   func() error
	}{
		{"add " + dev, func() error { return m.plug(dev) }},
		{"add " + dev, func() error { return m.plug(dev) }},
		{"delete " + dev, func() error { return m.k.DeleteLinkByName(dev) }},
		{"recreate " + dev, func() error { return errors.Join(m.k.DeleteLinkByName(dev), m.plug(dev)) }},
		{"rename " + dev, func() error { return m.k.Rename(dev, monkeyDevices[m.IntN(len(monkeyDevices))]) }},
		{"mtu of " + dev, func() error { return m.k.SetMTU(dev, 1280+m.IntN(300)) }},
		{"carrier of " + dev, func() error { return m.k.SetCarrier(dev, m.IntN(2) == 0) }},
		{"up or down " + dev, func() error { return m.k.SetLinkUp(dev, m.IntN(3) > 0) }},
		{"delete root of " + dev, func() error { return m.k.DeleteRoot(dev) }},
		{"replace root of " + dev, func() error { return m.k.ReplaceRoot(dev, "fq_codel", tc.MakeHandle(uint16(m.IntN(3)), 0)) }},
		{"replace root of " + dev + " by htb", func() error { return m.k.ReplaceRoot(dev, "htb", tc.MakeHandle(1, 0)) }},
		{"delete hook of " + dev, func() error { return m.k.DeleteHook(dev) }},
		{"add hook to " + dev, func() error { return m.k.AddHook(dev, []string{"ingress", "clsact"}[m.IntN(2)]) }},
		{"flush " + dev, func() error { return m.k.FlushIngress(dev) }},
		{"filter on " + dev, func() error { return m.k.AddForeignFilter(dev, uint16(1+m.IntN(20))) }},
		{"redirect on " + dev, func() error { return m.k.AddForeignRedirect(dev, uint16(1+m.IntN(20)), "lo") }},
		{"delete IFB of " + dev, func() error { return m.k.DeleteIFB(dev) }},
		{"delete root of IFB of " + dev, func() error { return m.k.DeleteRoot("ifb4" + dev) }},
		{"IFB of " + dev + " down", func() error { return m.k.SetLinkUp("ifb4"+dev, false) }},
		{"foreign IFB", func() error { return m.foreignIFB(dev) }},
		{"rate of " + dev, func() error { return m.k.SetRate(dev, uint64(1+m.IntN(50))*1000000) }},
		{"foreign device", func() error { _, err := m.k.AddLink(fmt.Sprintf("veth%d", m.IntN(5)), "veth", 1500); return err }},
		{"events lost", func() error { m.k.Resync(); return nil }},
		{"new configuration", func() error { m.writeConfig(m.IntN(4) > 0); return nil }},
		{"configuration gone", func() error { m.good = false; return os.Remove(filepath.Join(m.dir, "sqm")) }},
		{"reload", func() error { _, err := m.ask(MethodReload, "{}"); return err }},
		{"restart", func() error { m.start(); return nil }},
		{"faults", func() error { m.faulty = !m.faulty; m.faults = true; return nil }},
		{"bus", func() error { m.toggleBus(); return nil }},
		{"clock", func() error { m.wall += time.Duration(m.IntN(7200)-3600) * time.Second; return nil }},
		{"stop " + dev, func() error { return m.c.engine.Records.SetStopped(dev) }},
		{"lock", m.lock},
	}
	a := acts[m.IntN(len(acts))]
	err := a.do()
	if *seed != 0 {
		m.t.Logf("%v: %s: %v", m.now, a.name, err)
	}
}

func (m *monkey) plug(dev string) error {
	kind := "device"
	if strings.HasPrefix(dev, "ppp") {
		kind = "ppp"
	}
	_, err := m.k.AddLink(dev, kind, 1500)
	return errors.Join(err, m.k.SetLinkUp(dev, true), m.k.SetCarrier(dev, true))
}

// foreignIFB is up: one that is down and unmarked could be our own, made just
// before we were killed.
func (m *monkey) foreignIFB(dev string) error {
	_, err := m.k.AddLink("ifb4"+dev, "ifb", 1500)
	if err == nil {
		err = m.k.SetLinkUp("ifb4"+dev, true)
	}
	return err
}

func (m *monkey) toggleBus() {
	m.networks = nil
	if m.IntN(3) > 0 {
		m.networks = map[string]string{"wan": monkeyDevices[m.IntN(3)]}
	}
	m.ifup()
}

// lock is another sqmd that is at work, until the next call.
func (m *monkey) lock() (err error) {
	if m.unlock != nil {
		m.unlock()
		m.unlock = nil
		return nil
	}
	m.unlock, err = m.c.engine.Records.TryLock()
	return err
}

// writeConfig writes one to three queues; a bad one has a mistake somewhere.
func (m *monkey) writeConfig(good bool) {
	m.good = good
	text := ""
	for i, at := range m.Perm(len(monkeyDevices))[:1+m.IntN(3)] {
		device := monkeyDevices[at]
		if i == 2 {
			device = "@wan"
		}
		text += section(fmt.Sprintf("q%d", at), device, monkeyOptions[m.IntN(len(monkeyOptions))])
	}
	if !good {
		spoil := []func(){
			func() { text = strings.Replace(text, "option upload '1", "option upload 'x1", 1) },
			func() { text = strings.Replace(text, "interface", "interfaze", 1) },
			func() { text = text[:m.IntN(len(text))] },
			func() {
				text = strings.Replace(text, "option script", "option eqdisc_opts 'nonsense'\n\toption qdisc_advanced '1'\n\toption qdisc_really_really_advanced '1'\n\toption script", 1)
			},
			func() { text += text },
		}
		spoil[m.IntN(len(spoil))]()
	}
	m.write(text)
}

var monkeyOptions = []string{
	someQueue, someHTB,
	"upload 12000\tdownload 0\tqdisc cake\tscript layer_cake.qos",
	"upload 0\tdownload 30000\tqdisc fq_codel\tscript simplest.qos",
	"upload 11000\tdownload 40000\tqdisc fq_codel\tscript simplest_tbf.qos",
	"upload 15000\tdownload 40000\tqdisc cake\tscript piece_of_cake.qos\toverhead 44\tlinklayer atm",
}

// others is what is not ours, but for the root qdiscs of devices that we are told
// to shape.
func (m *monkey) others() []string {
	return slices.DeleteFunc(m.k.Foreign(), func(line string) bool {
		qdisc := strings.Contains(line, "qdisc add")
		// The kernel cannot mark an ingress qdisc as ours: where making ours failed,
		// and taking that back too, an empty one is taken for it.
		return qdisc && strings.Contains(line, " root ") || qdisc && m.faults && strings.Contains(line, " ingress ")
	})
}

func (m *monkey) untouched(before []string) {
	after := m.others()
	for _, line := range before {
		// An IFB of ours that was set down by hand is set up again; it is ours.
		if !slices.Contains(after, line) {
			m.t.Errorf("was touched: %s\nlog:\n%s", line, m.log.String())
		}
	}
}

// rest lets the world come to rest and checks that all is shaped that can be.
func (m *monkey) rest() {
	m.faulty = false
	if m.unlock != nil {
		m.unlock()
	}
	m.networks = map[string]string{"wan": "eth1"}
	m.ifup()
	if !m.good || m.IntN(2) == 0 {
		m.writeConfig(true)
	}
	m.pass(3 * time.Second)
	if m.IntN(2) == 0 {
		_, err := m.ask(MethodReload, "{}")
		m.must(err)
	}
	m.pass(retryLast + 2*time.Second)
	r := m.report()
	for _, q := range r.Queues {
		m.rests(q, len(r.Findings)+len(q.Findings) > 0)
	}
	for _, dev := range monkeyDevices {
		if m.k.Blackhole(dev) && !m.led(dev) {
			m.t.Errorf("packets that arrive on %s are lost\nlog:\n%s", dev, m.log.String())
		}
	}
	m.noLeaks()
}

// rests checks one queue of a router at rest: it is shaped, or it is said why not.
func (m *monkey) rests(q QueueReport, told bool) {
	links, err := m.k.Links()
	m.must(err)
	exists := slices.ContainsFunc(links, func(l ifb.Link) bool { return l.Name == q.Device })
	for _, d := range q.Directions {
		switch d.State {
		case shaping.Shaped, shaping.Off, Conflict, Stopped:
			continue
		case shaping.Waiting:
			if !exists {
				continue
			}
		case shaping.Refused:
			// Another's IFB or redirect is in the way, or two sections want the same.
			if told {
				continue
			}
		}
		m.t.Errorf("%s %s at rest is %s: %s\nlog:\n%s", q.Device, d.Direction, d.State, d.Reason, m.log.String())
	}
}

// led reports whether a redirect of someone else is on the device.
func (m *monkey) led(dev string) bool {
	return slices.ContainsFunc(m.k.Foreign(), func(line string) bool {
		return strings.Contains(line, "dev "+dev+" ") && strings.Contains(line, "redirect")
	})
}

// noLeaks checks that there is no IFB of ours but for devices that are configured.
func (m *monkey) noLeaks() {
	links, err := m.k.Links()
	m.must(err)
	for _, l := range links {
		owner, ours := strings.CutPrefix(l.Alias, "sqmd:")
		if l.Kind == "ifb" && ours && !slices.Contains(m.c.order, owner) {
			m.t.Errorf("%s is left over\nlog:\n%s", l.Name, m.log.String())
		}
	}
}
