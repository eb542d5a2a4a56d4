// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package watch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"sqmd/tc"
)

// The tests in files with this build tag run as root in a virtual machine, on a
// real kernel, each in a network namespace of its own: scripts/lab go-test ./watch

// patience is how long an event may take: the kernel itself puts off the news of
// a carrier by up to a second.
const patience = 10 * time.Second

// box is a network namespace with a watcher. What the watcher tells waits until
// the test takes it.
type box struct {
	t      *testing.T
	events chan Event
	table  Table
	source *subscription // the living one
	stop   context.CancelFunc
	ended  chan error
}

// newBox starts a watcher with a receive buffer of that many bytes.
func newBox(t *testing.T, buffer int) *box {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and the namespace with it
	here, err := netns.New()
	if err != nil {
		t.Fatalf("new namespace: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &box{t: t, events: make(chan Event), stop: stop, ended: make(chan error, 1)}
	emit := func(e Event) {
		select {
		case b.events <- e:
		case <-ctx.Done():
		}
	}
	open := func() (_ Source, err error) {
		b.source, err = subscribe(buffer)
		return b.source, err
	}
	go func() {
		runtime.LockOSThread()
		err := enter(here)
		here.Close()
		if err == nil {
			err = Run(ctx, open, emit)
		}
		b.ended <- err
	}()
	t.Cleanup(b.end)
	return b
}

// enter moves the thread to a network namespace, and to a /sys that shows it.
func enter(ns netns.NsHandle) error {
	if err := netns.Set(ns); err != nil {
		return err
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	return unix.Mount("sysfs", "/sys", "sysfs", 0, "")
}

// end stops the watcher and waits for it. It may be called again.
func (b *box) end() {
	b.t.Helper()
	if b.stop == nil {
		return
	}
	b.stop()
	b.stop = nil
	select {
	case err := <-b.ended:
		if err != nil {
			b.t.Errorf("the watcher failed: %v", err)
		}
	case <-time.After(patience):
		b.t.Error("the watcher does not end")
	}
}

func (b *box) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// until takes events until one is what was waited for.
func (b *box) until(what string, is func(Event) bool) Event {
	b.t.Helper()
	deadline := time.After(patience)
	var told []string
	for {
		select {
		case e := <-b.events:
			b.table.Apply(e)
			if is(e) {
				return e
			}
			told = append(told, fmt.Sprintf("%+v", e))
		case err := <-b.ended:
			b.t.Fatalf("%s: the watcher ended: %v", what, err)
		case <-deadline:
			b.t.Fatalf("%s: not told, but\n%s", what, strings.Join(told, "\n"))
		}
	}
}

// started takes what is told at the start.
func (b *box) started() {
	b.t.Helper()
	e := b.until("start", func(e Event) bool { return e.Kind == Resynced })
	if _, ok := b.table.ByName("lo"); !ok || e.Lost {
		b.t.Fatalf("lo told: %v, lost: %v", ok, e.Lost)
	}
}

// untilLink waits for a link of that name to be so.
func (b *box) untilLink(kind Kind, name, what string, is func(Link) bool) Event {
	b.t.Helper()
	return b.until(name+" "+what, func(e Event) bool { return e.Kind == kind && e.Link.Name == name && is(e.Link) })
}

func (b *box) link(name string) netlink.Link {
	b.t.Helper()
	l, err := netlink.LinkByName(name)
	b.must(err)
	return l
}

// tc runs tc(8) and returns its process id.
func (b *box) tc(line string) int {
	b.t.Helper()
	c := exec.Command("tc", strings.Fields(line)...)
	if out, err := c.CombinedOutput(); err != nil {
		b.t.Fatalf("tc %s: %v\n%s", line, err, out)
	}
	return c.Process.Pid
}

func (b *box) addVeth(name, peer string) {
	b.t.Helper()
	b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name, MTU: 1500, TxQLen: 1000}, PeerName: peer}))
}

func always(Link) bool { return true }

// sameAsKernel compares the table with what the netlink package reads.
func (b *box) sameAsKernel() {
	b.t.Helper()
	links, err := netlink.LinkList()
	b.must(err)
	type short struct {
		Index, MTU, Master int
		Name, Alias        string
	}
	var want, got []short
	for _, l := range links {
		a := l.Attrs()
		want = append(want, short{a.Index, a.MTU, a.MasterIndex, a.Name, a.Alias})
	}
	for _, l := range b.table.Links() {
		got = append(got, short{l.Index, l.MTU, l.Master, l.Name, l.Alias})
	}
	if d := cmp.Diff(want, got); d != "" {
		b.t.Errorf("table (-kernel +told):\n%s", d)
	}
}

func TestLabLinks(t *testing.T) {
	b := newBox(t, receiveBuffer)
	b.started()

	b.addVeth("wan", "isp")
	appeared := b.untilLink(LinkAppeared, "wan", "appears", always).Link
	if appeared.Kind != "veth" || appeared.MTU != 1500 || appeared.Up || appeared.Carrier || appeared.OperState != "down" || appeared.SpeedMbit != 0 {
		t.Errorf("new link: %+v", appeared)
	}
	b.must(netlink.LinkSetUp(b.link("wan")))
	b.must(netlink.LinkSetUp(b.link("isp")))
	up := b.untilLink(LinkChanged, "wan", "is up", func(l Link) bool { return l.Up && l.Carrier && l.OperState == "up" }).Link
	if up.SpeedMbit != 10000 { // what veth says
		t.Errorf("speed %d", up.SpeedMbit)
	}

	b.must(netlink.LinkSetDown(b.link("isp")))
	b.untilLink(LinkChanged, "wan", "has lost its carrier", func(l Link) bool {
		return l.Up && !l.Carrier && (l.OperState == "lowerlayerdown" || l.OperState == "down")
	})
	b.must(netlink.LinkSetUp(b.link("isp")))
	back := b.untilLink(LinkChanged, "wan", "has its carrier back", func(l Link) bool { return l.Carrier && l.OperState == "up" }).Link
	if back.CarrierUps != up.CarrierUps+1 || back.CarrierDowns != up.CarrierDowns+1 {
		t.Errorf("carrier came %d and went %d times, before the flap %d and %d", back.CarrierUps, back.CarrierDowns, up.CarrierUps, up.CarrierDowns)
	}

	b.must(netlink.LinkSetMTU(b.link("wan"), 1400))
	b.untilLink(LinkChanged, "wan", "has an MTU of 1400", func(l Link) bool { return l.MTU == 1400 })
	b.must(netlink.LinkSetAlias(b.link("wan"), "sqmd:wan"))
	b.untilLink(LinkChanged, "wan", "has an alias", func(l Link) bool { return l.Alias == "sqmd:wan" })
	b.must(netlink.AddrAdd(b.link("wan"), &netlink.Addr{IPNet: netlink.NewIPNet([]byte{192, 0, 2, 1})}))
	b.until("address", func(e Event) bool { return e.Kind == AddressChanged && e.Ifindex == appeared.Index })

	b.must(netlink.LinkSetDown(b.link("wan")))
	b.untilLink(LinkChanged, "wan", "is down", func(l Link) bool { return !l.Up && !l.Carrier && l.OperState == "down" })
	b.must(netlink.LinkSetName(b.link("wan"), "dsl"))
	if e := b.untilLink(LinkChanged, "dsl", "is the new name", always); e.Before.Name != "wan" || e.Link.Index != appeared.Index {
		t.Errorf("renamed: %+v", e)
	}
	b.must(netlink.LinkSetName(b.link("dsl"), "wan"))

	for range 3 {
		old := b.link("wan").Attrs().Index
		b.must(netlink.LinkDel(b.link("wan")))
		b.until("deletion", func(e Event) bool { return e.Kind == LinkGone && e.Before.Index == old })
		b.addVeth("wan", "isp")
		if e := b.untilLink(LinkAppeared, "wan", "is there again", always); e.Link.Index == old {
			t.Errorf("the index is still %d", old)
		}
	}
	b.sameAsKernel()
}

func TestLabBridge(t *testing.T) {
	b := newBox(t, receiveBuffer)
	b.started()
	b.addVeth("lan1", "host1")
	b.must(netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: "br-lan"}}))
	bridge := b.untilLink(LinkAppeared, "br-lan", "appears", func(l Link) bool { return l.Kind == "bridge" }).Link
	b.must(netlink.LinkSetMaster(b.link("lan1"), b.link("br-lan")))
	b.untilLink(LinkChanged, "lan1", "is in the bridge", func(l Link) bool { return l.Master == bridge.Index })
	// The bridge tells of the leaving port as a deletion, of its own family.
	b.must(netlink.LinkSetNoMaster(b.link("lan1")))
	b.untilLink(LinkChanged, "lan1", "has left the bridge", func(l Link) bool { return l.Master == 0 })
	b.must(netlink.LinkSetMTU(b.link("lan1"), 1400))
	b.untilLink(LinkChanged, "lan1", "has another MTU", func(l Link) bool { return l.MTU == 1400 })
	b.sameAsKernel()
}

func TestLabTrafficControl(t *testing.T) {
	b := newBox(t, receiveBuffer)
	b.started()
	b.addVeth("wan", "isp")
	wan := b.untilLink(LinkAppeared, "wan", "appears", always).Link.Index

	one := tc.MakeHandle(1, 0)
	for _, c := range []struct {
		line string
		want TC // without the port
	}{
		{"qdisc add dev wan root handle 1: htb default 1", TC{Object: "qdisc", Handle: one, Parent: tc.Root, Kind: "htb"}},
		{"class add dev wan parent 1: classid 1:1 htb rate 10mbit", TC{Object: "class", Handle: tc.MakeHandle(1, 1), Parent: tc.Root, Kind: "htb"}},
		{"class change dev wan parent 1: classid 1:1 htb rate 20mbit", TC{Object: "class", Handle: tc.MakeHandle(1, 1), Parent: tc.Root, Kind: "htb"}},
		{"qdisc add dev wan clsact", TC{Object: "qdisc", Handle: tc.IngressHandle, Parent: tc.IngressParent, Kind: "clsact"}},
		// Of a new matchall the kernel does not tell the handle.
		{"filter add dev wan ingress prio 1 protocol all matchall action ok", TC{Object: "filter", Parent: tc.IngressHook, Kind: "matchall"}},
		{"filter del dev wan ingress prio 1 protocol all handle 1 matchall", TC{Object: "filter", Gone: true, Handle: 1, Parent: tc.IngressHook, Kind: "matchall"}},
		{"class del dev wan classid 1:1", TC{Object: "class", Gone: true, Handle: tc.MakeHandle(1, 1), Parent: tc.Root, Kind: "htb"}},
		{"qdisc del dev wan clsact", TC{Object: "qdisc", Gone: true, Handle: tc.IngressHandle, Parent: tc.IngressParent, Kind: "clsact"}},
		{"qdisc replace dev wan root handle 2: fq_codel", TC{Object: "qdisc", Handle: tc.MakeHandle(2, 0), Parent: tc.Root, Kind: "fq_codel"}},
		{"qdisc del dev wan root", TC{Object: "qdisc", Gone: true, Handle: tc.MakeHandle(2, 0), Parent: tc.Root, Kind: "fq_codel"}},
	} {
		c.want.Port = uint32(b.tc(c.line))
		isIt := func(e Event) bool {
			return e.Kind == TCChanged && e.Ifindex == wan && e.TC.Object == c.want.Object && e.TC.Gone == c.want.Gone && e.TC.Kind == c.want.Kind
		}
		if d := cmp.Diff(c.want, b.until(c.line, isIt).TC); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, d)
		}
	}
}

func TestLabLost(t *testing.T) {
	b := newBox(t, 1) // the kernel makes that its minimum
	b.started()
	for round := range 3 {
		// The watcher stands at the first of these events, which is not taken yet.
		b.addVeth("wan", "isp")
		for i := range 50 {
			b.must(netlink.LinkSetMTU(b.link("wan"), 1000+i))
		}
		b.must(netlink.LinkDel(b.link("wan")))
		b.addVeth("wan", "isp")
		b.until("loss", func(e Event) bool { return e.Kind == Resynced && e.Lost })
		b.must(netlink.LinkSetMTU(b.link("wan"), 1300+round))
		b.until("change after the loss", func(Event) bool {
			wan, _ := b.table.ByName("wan")
			return wan.MTU == 1300+round
		})
		b.sameAsKernel()
		b.must(netlink.LinkDel(b.link("wan")))
		b.until("deletion", func(e Event) bool { return e.Kind == LinkGone && e.Link.Name == "isp" })
	}
}

// After the loss was told, the next notification is that of the next change.
func TestLabNothingIsLostAfterALoss(t *testing.T) {
	b := newBox(t, receiveBuffer) // for its namespace
	b.started()
	b.end()
	b.addVeth("wan", "isp")
	s, err := subscribe(1)
	b.must(err)
	defer s.Close()
	for i := range 100 {
		b.must(netlink.LinkSetMTU(b.link("wan"), 1000+i))
	}
	if _, err := s.Receive(); err != ErrLost {
		t.Fatalf("after 100 changes unread: %v, want %v", err, ErrLost)
	}
	b.must(netlink.LinkSetMTU(b.link("wan"), 1400))
	messages, err := s.Receive()
	if err != nil || len(messages) != 1 || messages[0].Link.MTU != 1400 {
		t.Fatalf("after the loss: %+v, error %v", messages, err)
	}
}

func TestLabDeadSocket(t *testing.T) {
	b := newBox(t, receiveBuffer)
	b.started()
	b.source.Close()
	b.until("death", func(e Event) bool { return e.Kind == Interrupted && e.Err != nil })
	b.addVeth("wan", "isp")
	b.until("recovery", func(e Event) bool { return e.Kind == Resynced && e.Lost })
	b.sameAsKernel()
}

func TestLabLeavesNothingBehind(t *testing.T) {
	descriptors := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	newBox(t, receiveBuffer).end() // whatever the runtime opens once
	files, goroutines := descriptors(), runtime.NumGoroutine()
	for range 20 {
		b := newBox(t, receiveBuffer)
		b.started()
		b.end()
	}
	// What ends a watcher is itself a goroutine, which may be a moment behind.
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if n := descriptors(); n > files {
		t.Errorf("%d descriptors, %d before", n, files)
	}
}
