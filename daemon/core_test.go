// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/watch"
)

func TestShapesAtStart(t *testing.T) {
	for _, options := range []string{someQueue, someHTB} {
		w := newWorld(t, section("wan", "eth1", options)).start()
		w.shapes("eth1", upBits, downBits)
		w.is("eth1", shaping.Shaped, shaping.Shaped)
		w.logged("wan", "eth1", "upload", "shaped at 10000 kbit/s")
		w.logged("wan", "eth1", "download", "shaped at 85000 kbit/s")
	}
}

func TestWaitsForDevice(t *testing.T) {
	w := newWorld(t, section("wan", "pppoe-wan", someQueue)).start()
	w.is("pppoe-wan", shaping.Waiting, shaping.Waiting)
	w.pass(time.Hour)
	for n := range 100 {
		w.addDevice("pppoe-wan", "ppp")
		w.pass(time.Second)
		w.shapes("pppoe-wan", upBits, downBits)
		w.is("pppoe-wan", shaping.Shaped, shaping.Shaped)
		w.must(w.k.DeleteLinkByName("pppoe-wan"))
		w.pass(time.Duration(n) * 100 * time.Millisecond)
		w.is("pppoe-wan", shaping.Waiting, shaping.Waiting)
	}
	for _, q := range w.report().Queues {
		for _, d := range q.Directions {
			if d.Repairs != 0 {
				t.Errorf("%s: a device that came back was taken for %d repairs", d.Direction, d.Repairs)
			}
		}
	}
}

// disturbances are what other hands do, by the direction that they hit.
var disturbances = map[string]struct {
	do       func(w *world) error
	hit      shaping.Direction
	reported string
}{
	"root removed":      {func(w *world) error { return w.k.DeleteRoot("eth1") }, shaping.Upload, "the root qdisc of eth1 was removed"},
	"root replaced":     {func(w *world) error { return w.k.ReplaceRoot("eth1", "fq_codel", tc.MakeHandle(7, 0)) }, shaping.Upload, "replaced by fq_codel 7:"},
	"hook removed":      {func(w *world) error { return w.k.DeleteHook("eth1") }, shaping.Download, "the ingress qdisc of eth1 was removed"},
	"filters flushed":   {func(w *world) error { return w.k.FlushIngress("eth1") }, shaping.Download, "the redirect of eth1 was removed"},
	"ifb deleted":       {func(w *world) error { return w.k.DeleteIFB("eth1") }, shaping.Download, "the IFB was deleted"},
	"ifb's root gone":   {func(w *world) error { return w.k.DeleteRoot("ifb4eth1") }, shaping.Download, "the root qdisc of ifb4eth1 was removed"},
	"ifb set down":      {func(w *world) error { return w.k.SetLinkUp("ifb4eth1", false) }, shaping.Download, "ifb4eth1 was set down"},
	"ifb root replaced": {func(w *world) error { return w.k.ReplaceRoot("ifb4eth1", "fq_codel", 0) }, shaping.Download, "the root qdisc of ifb4eth1 was replaced by fq_codel 800"},
}

func TestRepairs(t *testing.T) {
	for name, by := range disturbances {
		for _, options := range []string{someQueue, someHTB} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, section("wan", "eth1", options)).start()
				w.pass(time.Minute)
				w.must(by.do(w))
				w.pass(200 * time.Millisecond)
				w.shapes("eth1", upBits, downBits)
				w.is("eth1", shaping.Shaped, shaping.Shaped)
				w.logged("warning", "wan", "eth1", by.hit.String(), by.reported, "put back")
				d := w.report().Queues[0].Directions[by.hit]
				if d.Repairs != 1 || !strings.Contains(d.LastChange, by.reported) {
					t.Errorf("status: %d repairs, last change %q; want 1, %q", d.Repairs, d.LastChange, by.reported)
				}
			})
		}
	}
}

// After the third repair in a minute the next disturbance is left alone, and
// said to be a conflict; later it is tried again, less and less often.
func TestConflict(t *testing.T) {
	for name, by := range disturbances {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, section("wan", "eth1", someQueue)).start()
			for range conflictRepairs {
				w.pass(time.Second)
				w.must(by.do(w))
				w.pass(200 * time.Millisecond)
				w.shapes("eth1", upBits, downBits)
			}
			w.logged("error", by.hit.String(), atOdds)
			w.must(by.do(w))
			w.pass(time.Second)
			states := map[shaping.Direction]string{shaping.Upload: shaping.Shaped, shaping.Download: shaping.Shaped}
			states[by.hit] = Conflict
			w.is("eth1", states[shaping.Upload], states[shaping.Download])
			w.logged("error", by.hit.String(), "conflict", by.reported)
			if w.k.Blackhole("eth1") {
				t.Error("packets are lost in a conflict")
			}
			w.pass(holdFirst)
			w.is("eth1", shaping.Shaped, shaping.Shaped)

			for range conflictRepairs + 1 {
				w.must(by.do(w))
				w.pass(time.Second)
			}
			w.is("eth1", states[shaping.Upload], states[shaping.Download])
			w.pass(holdFirst + 10*time.Second)
			w.is("eth1", states[shaping.Upload], states[shaping.Download])
			w.pass(holdFirst)
			w.is("eth1", shaping.Shaped, shaping.Shaped)
		})
	}
}

// Three repairs in more than a minute are no conflict.
func TestSeldomIsNoConflict(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range 10 {
		w.must(w.k.DeleteRoot("eth1"))
		w.pass(31 * time.Second)
		w.is("eth1", shaping.Shaped, shaping.Shaped)
	}
	if n := w.report().Daemon.Repairs; n != 10 {
		t.Errorf("%d repairs, want 10", n)
	}
}

func TestReloadEndsConflict(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range conflictRepairs + 1 {
		w.must(w.k.DeleteRoot("eth1"))
		w.pass(time.Second)
	}
	w.is("eth1", Conflict, shaping.Shaped)
	_, err := w.ask(MethodReload, "{}")
	w.must(err)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

// A rate that another program sets stays, over reloads and restarts, until the
// configuration has another.
func TestOutsideRate(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(w.k.SetRate("eth1", 4000000))
	w.pass(time.Minute)
	w.shapes("eth1", 4000000, downBits)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	if d := w.report().Queues[0].Directions[0]; d.ConfiguredKbit != 10000 || d.RateKbit != 4000 || d.Repairs != 0 {
		t.Errorf("status: rate %d, configured %d, repairs %d", d.RateKbit, d.ConfiguredKbit, d.Repairs)
	}
	_, err := w.ask(MethodReload, "{}")
	w.must(err)
	w.shapes("eth1", 4000000, downBits)
	w.start()
	w.pass(time.Minute)
	w.shapes("eth1", 4000000, downBits)

	w.write(section("wan", "eth1", strings.Replace(someQueue, "upload 10000", "upload 9000", 1)))
	w.pass(3 * time.Second)
	w.shapes("eth1", 9000000, downBits)
}

// A daemon that starts again changes nothing.
func TestAdopts(t *testing.T) {
	for _, options := range []string{someQueue, someHTB} {
		w := newWorld(t, section("wan", "eth1", options)).start()
		changes := 0
		w.k.Fail(func(op string) error {
			if !strings.HasPrefix(op, "dump") {
				changes++
			}
			return nil
		})
		w.start()
		w.pass(time.Minute)
		w.is("eth1", shaping.Shaped, shaping.Shaped)
		if changes != 0 {
			t.Errorf("a restart made %d changes", changes)
		}
	}
}

func TestBrokenConfigurationKeepsTheOneBefore(t *testing.T) {
	good := section("wan", "eth1", someQueue)
	w := newWorld(t, good+section("guest", "eth2", someQueue))
	w.addDevice("eth2", "device")
	w.start()
	for _, broken := range []string{
		strings.Replace(good, "10000", "10Mbit", 1),
		strings.Replace(good, "option interface", "option interfaze", 1),
		good[:len(good)/2],
		strings.Replace(good, "piece_of_cake", "piece_of_pie", 1),
		strings.Replace(good, "option qdisc", "option eqdisc_opts 'nonsense'\n\toption qdisc_advanced 1\n\toption qdisc_really_really_advanced 1\n\toption qdisc", 1),
	} {
		w.write(section("guest", "eth2", strings.Replace(someQueue, "10000", "5000", 1)) + broken)
		w.pass(3 * time.Second)
		w.shapes("eth1", upBits, downBits)
		w.shapes("eth2", 5000000, downBits) // the other queue follows
		if r := w.report(); r.Shaped || len(r.Findings)+len(r.Queues[1].Findings) == 0 {
			t.Errorf("the report does not tell of the mistake in\n%s\nlog: %s", broken, w.log.String())
		}
		// What is kept is kept true.
		w.must(w.k.DeleteLinkByName("eth1"))
		w.pass(time.Second)
		w.addDevice("eth1", "device")
		w.pass(time.Second)
		w.shapes("eth1", upBits, downBits)
		before := w.log.Len()
		w.pass(10 * time.Minute)
		if more := w.log.String()[before:]; more != "" {
			t.Errorf("the mistake is told again: %s", more)
		}
		w.write(good + section("guest", "eth2", someQueue))
		w.pass(3 * time.Second)
		w.is("eth1", shaping.Shaped, shaping.Shaped)
		w.shapes("eth2", upBits, downBits)
	}
}

// A daemon that starts with a broken file still knows the good one.
func TestRestartWithBrokenConfiguration(t *testing.T) {
	good := section("wan", "eth1", someQueue)
	w := newWorld(t, good).start()
	w.write(strings.Replace(good, "10000", "10Mbit", 1))
	w.start()
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	if r := w.report(); r.Shaped || len(r.Findings) == 0 {
		t.Errorf("the report does not tell of the mistake: %+v", r)
	}
}

func TestNoConfiguration(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(syscall.Unlink(w.dir + "/sqm"))
	w.pass(10 * time.Second)
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	w.logged("error", "no such file", "the configuration in force stays")
	w.write(section("wan", "eth1", strings.Replace(someQueue, "10000", "5000", 1)))
	w.pass(3 * time.Second)
	w.shapes("eth1", 5000000, downBits)
}

func TestQueueTakenOutIsSetFree(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.write("")
	w.pass(3 * time.Second)
	w.shapes("eth1", 0, 0)
	if links, _ := w.k.Links(); len(links) != 2 {
		t.Errorf("links left: %v", links)
	}
	w.logged("eth1", "set free")
}

// Stopped by hand stays stopped, until a reload.
func TestStoppedByHand(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(w.c.engine.Records.SetStopped("eth1"))
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", 0, 0)
	w.is("eth1", Stopped, Stopped)
	w.pass(time.Hour)
	w.shapes("eth1", 0, 0)
	_, err := w.ask(MethodReload, "{}")
	w.must(err)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

func TestFailuresAreTriedAgain(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("guest", "eth2", someQueue))
	w.addDevice("eth2", "device")
	tries := 0
	w.k.Fail(func(op string) error {
		if strings.Contains(op, "cake on eth1") {
			tries++
			return &tc.KernelError{Errno: syscall.ENOBUFS}
		}
		return nil
	})
	w.start()
	w.is("eth1", shaping.Unshaped, shaping.Unshaped)
	w.is("eth2", shaping.Shaped, shaping.Shaped)
	if r := w.report().Queues[0].Directions[0].Reason; !strings.Contains(r, "no buffer space") {
		t.Errorf("the reason is %q", r)
	}
	w.pass(5 * time.Minute)
	if tries < 8 || tries > 30 {
		t.Errorf("%d tries in five minutes", tries)
	}
	w.k.Fail(nil)
	w.pass(retryLast + time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

func TestNetworks(t *testing.T) {
	w := newWorld(t, section("wan", "@wan", someQueue)).start()
	if r := w.report(); r.Shaped || len(r.Queues) != 1 || r.Queues[0].Directions[0].State != shaping.Waiting {
		t.Errorf("without a bus: %+v", r)
	}
	w.networks = map[string]string{"wan": "eth1"}
	w.ifup()
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	// Down, or no bus: what is there stays.
	w.networks["wan"] = ""
	w.ifup()
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	w.networks = nil
	w.ifup()
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	// Another device: shaped there, and no more here.
	w.addDevice("pppoe-wan", "ppp")
	w.networks = map[string]string{"wan": "pppoe-wan"}
	w.ifup()
	w.pass(time.Second)
	w.shapes("pppoe-wan", upBits, downBits)
	w.shapes("eth1", 0, 0)
}

// A section whose network is down waits, and nobody calls that a mistake in the
// configuration.
func TestDirectionWaitsForNetwork(t *testing.T) {
	const common = "qdisc cake\tscript piece_of_cake.qos"
	w := newWorld(t, section("wan", "@wan", "upload 10000\tdownload 0\t"+common)+section("wan6", "@wan6", "upload 0\tdownload 85000\t"+common))
	w.networks = map[string]string{"wan": "eth1", "wan6": ""}
	w.start()
	w.pass(time.Second)
	w.is("eth1", shaping.Shaped, shaping.Off)
	w.is("", shaping.Waiting, shaping.Waiting)
	w.shapes("eth1", upBits, 0)
	w.networks["wan6"] = "eth1"
	w.ifup()
	w.pass(time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	w.shapes("eth1", upBits, downBits)
	if text := w.log.String(); strings.Contains(text, shaping.Refused) {
		t.Errorf("logged:\n%s", text)
	}
}

func TestManyEventsAreFewReconciles(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(time.Second)
	before := w.c.reconciles
	for range 1000 {
		w.must(w.k.SetMTU("eth1", 1400))
		w.must(w.k.SetMTU("eth1", 1500))
	}
	w.pass(500 * time.Millisecond)
	if n := w.c.reconciles - before; n > 2 {
		t.Errorf("2000 events at once made %d reconciles", n)
	}
	before = w.c.reconciles
	for i := range 1000 {
		w.must(w.k.SetMTU("eth1", 1400+i%2))
		w.pass(time.Millisecond)
	}
	if n := w.c.reconciles - before; n > 12 {
		t.Errorf("1000 events in a second made %d reconciles", n)
	}
}

// Devices that come and go and are no queue's cost nothing.
func TestOtherDevicesDoNotMatter(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(time.Second)
	before := w.c.reconciles
	for i := range 100 {
		w.addDevice(fmt.Sprintf("veth%d", i), "veth")
		w.pass(10 * time.Millisecond)
	}
	if n := w.c.reconciles - before; n != 0 {
		t.Errorf("100 foreign devices made %d reconciles", n)
	}
}

func TestRename(t *testing.T) {
	w := newWorld(t, section("wan", "wan", someQueue)).start()
	w.must(w.k.Rename("eth1", "wan"))
	w.pass(time.Second)
	w.shapes("wan", upBits, downBits)
	w.must(w.k.Rename("wan", "eth1"))
	w.pass(time.Second)
	w.shapes("eth1", 0, 0)
	w.is("wan", shaping.Waiting, shaping.Waiting)
	if links, _ := w.k.Links(); len(links) != 2 {
		t.Errorf("links left: %v", links)
	}
}

func TestClockStepIsToldOnce(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(10 * time.Second)
	w.wall += time.Hour
	w.pass(10 * time.Second)
	if n := w.report().Daemon.ClockSteps; n != 1 {
		t.Errorf("%d clock steps, want 1", n)
	}
	w.logged("clock was set")
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

func TestLostEvents(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(w.k.DeleteRoot("eth1"))
	w.must(w.k.DeleteLinkByName("ifb4eth1"))
	w.k.Resync()
	w.pass(200 * time.Millisecond)
	w.shapes("eth1", upBits, downBits)
	if n := w.report().Daemon.LostEvents; n != 1 {
		t.Errorf("%d losses, want 1", n)
	}
}

func TestTwoSectionsForOneDirection(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("again", "eth1", someHTB)).start()
	w.shapes("eth1", upBits, downBits)
	r := w.report()
	if r.Shaped || len(r.Findings) == 0 {
		t.Errorf("the report does not tell of it: %+v", r)
	}
}

// Once what was in the way has gone, shaping is no repair.
func TestForeignShaperIsWaitedFor(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue))
	_, err := w.k.AddLink("ifb4eth1", "ifb", 1500)
	w.must(err)
	w.must(w.k.SetLinkUp("ifb4eth1", true))
	w.start()
	w.is("eth1", shaping.Refused, shaping.Refused)
	w.must(w.k.DeleteLinkByName("ifb4eth1"))
	w.pass(time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	if n := w.report().Daemon.Repairs; n != 0 {
		t.Errorf("%d repairs, want none", n)
	}
}

// A reload of one device leaves the stop and the conflict of another.
func TestReloadOfOneDevice(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("guest", "eth2", someQueue))
	w.addDevice("eth2", "device")
	w.start()
	w.must(w.c.engine.Records.SetStopped("eth1"))
	w.must(w.c.engine.Records.SetStopped("eth2"))
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.is("eth1", Stopped, Stopped)
	w.is("eth2", Stopped, Stopped)
	_, err := w.ask(MethodReload, `{"device":"eth2"}`)
	w.must(err)
	w.pass(time.Second)
	w.is("eth1", Stopped, Stopped)
	w.is("eth2", shaping.Shaped, shaping.Shaped)
}

// While another sqmd is at work nothing is done, and right after it everything.
func TestLockIsRespected(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	unlock, err := w.c.engine.Records.TryLock()
	w.must(err)
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Minute)
	w.shapes("eth1", 0, downBits)
	w.logged("error", "another sqmd has held the lock")
	unlock()
	w.pass(1100 * time.Millisecond)
	w.shapes("eth1", upBits, downBits)
}

// Without notifications the kernel is asked each second.
func TestBlind(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.c.event(w.now, watch.Event{Kind: watch.Interrupted, Err: syscall.EBADF})
	w.must(w.k.FlushIngress("eth1"))
	w.k.Subscribe() // what waited is lost
	w.k.Events()
	w.pass(1100 * time.Millisecond)
	w.shapes("eth1", upBits, downBits)
	w.logged("warning", "cut off")
}

// A kernel that cannot be asked is no shaping.
func TestDeafKernel(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue))
	w.k.Fail(func(string) error { return syscall.EPERM })
	w.start()
	if _, err := w.c.report(w.now); err == nil {
		t.Error("there is a report of a kernel that answers nothing")
	}
	w.k.Fail(func(op string) error {
		if op == "dump links" {
			return syscall.EPERM
		}
		return nil
	})
	w.pass(retryLast)
	w.k.Fail(nil)
	r := w.report()
	if r.Shaped || len(r.Queues) != 1 || r.Queues[0].Directions[0].State != shaping.Unshaped {
		t.Errorf("before the first reconcile: %+v", r)
	}
	w.pass(retryLast + 2*time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

// Many changes of the rate, by a program that follows the line, cost little.
func TestFollowingARateIsCheap(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(5 * time.Second)
	before := w.c.reconciles
	for i := range 200 {
		w.must(w.k.SetRate("eth1", uint64(4+i%4)*1000000))
		w.must(w.k.SetRate("ifb4eth1", uint64(14+i%4)*1000000))
		w.pass(50 * time.Millisecond)
	}
	if n := w.c.reconciles - before; n > 12 {
		t.Errorf("ten seconds of rate changes made %d reconciles", n)
	}
	w.shapes("eth1", 7000000, 17000000)
}

// After trouble that has passed, a daemon at rest is at rest.
func TestQuietAfterTrouble(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.k.Fail(func(op string) error {
		if op == "dump links" {
			return syscall.ENOBUFS
		}
		return nil
	})
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(10 * time.Second)
	w.k.Fail(nil)
	w.pass(time.Minute)
	w.shapes("eth1", upBits, downBits)
	before := w.c.reconciles
	w.pass(5 * time.Minute)
	if n := w.c.reconciles - before; n > 6 {
		t.Errorf("%d reconciles in five quiet minutes, want the 5 audits", n)
	}
}

// torn is a kernel in which something happens between the reading of links and
// that of qdiscs.
type torn struct {
	shaping.Kernel
	between func()
}

func (k *torn) Qdiscs() ([]tc.Qdisc, error) {
	if k.between != nil {
		k.between()
		k.between = nil
	}
	return k.Kernel.Qdiscs()
}

// A device that is made anew while the kernel is read is a new device, and nobody
// has undone anything.
func TestDeviceReplacedWhileTheKernelIsRead(t *testing.T) {
	for _, options := range []string{someQueue, someHTB} {
		w := newWorld(t, section("wan", "eth1", options)).start()
		w.is("eth1", shaping.Shaped, shaping.Shaped)
		w.c.engine.Kernel = &torn{w.k, func() {
			w.must(w.k.DeleteLinkByName("eth1"))
			w.addDevice("eth1", "device")
		}}
		w.c.touch(w.now)
		w.pass(time.Second)
		w.is("eth1", shaping.Shaped, shaping.Shaped)
		if r := w.report(); r.Daemon.Repairs != 0 {
			t.Errorf("%d repairs", r.Daemon.Repairs)
		}
		if text := w.log.String(); strings.Contains(text, "error") || strings.Contains(text, "warning") {
			t.Errorf("logged:\n%s", text)
		}
	}
}

// A conflict is about one device: another of the same name is shaped.
func TestConflictEndsWithTheDevice(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range conflictRepairs + 1 {
		w.must(w.k.DeleteRoot("eth1"))
		w.pass(time.Second)
	}
	w.is("eth1", Conflict, shaping.Shaped)
	w.must(w.k.DeleteLinkByName("eth1"))
	w.pass(time.Second)
	w.addDevice("eth1", "device")
	w.pass(time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

// A daemon that starts while a network is down knows its device from the one
// before, and leaves it shaped.
func TestNetworkDownAtRestart(t *testing.T) {
	w := newWorld(t, section("wan", "@wan", someQueue))
	w.networks = map[string]string{"wan": "eth1"}
	w.start()
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	w.networks["wan"] = ""
	w.start()
	w.pass(time.Minute)
	w.shapes("eth1", upBits, downBits)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
}

// netifd that starts anew knows no network for a moment. That is no reason to
// forget a queue.
func TestNetworkUnknownForAMoment(t *testing.T) {
	w := newWorld(t, section("wan", "@wan", someQueue))
	w.networks = map[string]string{"wan": "eth1"}
	w.start()
	w.networks = map[string]string{}
	w.ifup()
	w.pass(10 * time.Second)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	w.pass(time.Minute)
	w.shapes("eth1", 0, 0)
}

// A network that never comes up keeps nothing of other queues from being done.
func TestNetworkDownHoldsUpNothing(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("six", "@wan6", someQueue))
	w.networks = map[string]string{"wan6": ""}
	w.start()
	w.shapes("eth1", upBits, downBits)
	w.write(section("wan", "eth1", strings.Replace(someQueue, "upload 10000", "upload 0", 1)) + section("six", "@wan6", someQueue))
	w.pass(3 * time.Second)
	w.shapes("eth1", 0, downBits)
	if r := w.report(); r.Shaped {
		t.Error("all is said to be shaped")
	}
}

// A lost quote can make a queue look disabled; it is not to be forgotten for that.
func TestDamagedLineDisablesNothing(t *testing.T) {
	good := section("wan", "eth1", someQueue)
	w := newWorld(t, good).start()
	w.write(strings.Replace(good, "enabled '1'", "enabled '1", 1))
	w.pass(3 * time.Second)
	w.must(w.k.DeleteRoot("eth1"))
	w.must(w.k.DeleteIFB("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	if r := w.report(); r.Shaped || len(r.Queues) != 1 || len(r.Findings) == 0 {
		t.Errorf("report: %+v", r)
	}
	w.start() // the copy of the good file was not overwritten
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
}

// Without a file at the start what is shaped stays so.
func TestStartWithoutFile(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(syscall.Unlink(w.dir + "/sqm"))
	w.start()
	w.pass(time.Minute)
	w.shapes("eth1", upBits, downBits)
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	if r := w.report(); r.Shaped {
		t.Error("all is said to be shaped")
	}
	// Nor is anything set free where there is no copy either.
	w.must(syscall.Unlink(w.dir + "/state/sqm.good"))
	w.start()
	w.pass(time.Minute)
	w.shapes("eth1", upBits, downBits)
}

// A queue that waits to be tried again loses no packets meanwhile.
func TestNoBlackholeWhileFailing(t *testing.T) {
	for name, breaks := range map[string]func(w *world) error{
		"ifb deleted": func(w *world) error { return w.k.DeleteIFB("eth1") },
		"ifb down":    func(w *world) error { return w.k.SetLinkUp("ifb4eth1", false) },
	} {
		w := newWorld(t, section("wan", "eth1", someQueue)).start()
		w.k.Lack("htb")
		w.write(section("wan", "eth1", someHTB))
		w.pass(time.Minute)
		w.must(breaks(w))
		w.pass(200 * time.Millisecond)
		if w.k.Blackhole("eth1") {
			t.Errorf("%s: packets are lost\nlog:\n%s", name, w.log.String())
		}
	}
}

// A configuration that the kernel refuses leaves the good one in force, also
// through a redial.
func TestFailingConfigurationKeepsTheOneBefore(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.k.Lack("htb")
	w.write(section("wan", "eth1", someHTB))
	w.pass(10 * time.Second)
	w.shapes("eth1", upBits, downBits)
	w.must(w.k.DeleteLinkByName("eth1"))
	w.pass(time.Second)
	w.addDevice("eth1", "device")
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	w.is("eth1", shaping.Refused, shaping.Refused)
	w.logged("error", "upload", "the last good configuration is in force")
}

// A mistake that only shows when words become a qdisc is remembered as one over a
// restart.
func TestPlanMistakeOverRestart(t *testing.T) {
	good := section("wan", "eth1", someQueue)
	w := newWorld(t, good).start()
	w.write(good + "\toption qdisc_advanced '1'\n\toption qdisc_really_really_advanced '1'\n\toption eqdisc_opts 'nonsense'\n")
	w.pass(3 * time.Second)
	w.start()
	w.must(w.k.DeleteRoot("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	w.is("eth1", shaping.Refused, shaping.Refused)
}

// In a conflict a direction is left as it is, not taken down.
func TestConflictLeavesAlone(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range conflictRepairs + 1 {
		yes := uint32(1)
		w.must(w.k.Tc(changeOf(t, tc.Qdisc{Ifindex: w.index("eth1"), Parent: tc.Root, Handle: cakeHandle(w), Kind: "cake", Options: &tc.Cake{Wash: &yes}})))
		w.pass(2 * time.Second)
	}
	w.is("eth1", Conflict, shaping.Shaped)
	w.shapes("eth1", upBits, downBits)
}

// While one direction is left to another program, a fight over the other one is
// found too.
func TestConflictOfBothDirections(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for range conflictRepairs + 1 {
		w.must(w.k.DeleteRoot("eth1"))
		w.pass(time.Second)
	}
	for range conflictRepairs + 1 {
		w.must(w.k.FlushIngress("eth1"))
		w.pass(time.Second)
	}
	w.is("eth1", Conflict, Conflict)
	if w.k.Blackhole("eth1") {
		t.Error("packets are lost")
	}
}

// Devices that exchange their names take their shaping along, and end up with what
// their new names are configured for.
func TestDevicesExchangeNames(t *testing.T) {
	w := newWorld(t, section("a", "eth1", someQueue)+section("b", "eth2", strings.Replace(someQueue, "10000", "5000", 1)))
	w.addDevice("eth2", "device")
	w.start()
	w.must(w.k.Rename("eth1", "tmp"))
	w.must(w.k.Rename("eth2", "eth1"))
	w.must(w.k.Rename("tmp", "eth2"))
	w.pass(2 * time.Second)
	w.shapes("eth1", upBits, downBits)
	w.shapes("eth2", 5000000, downBits)
	w.is("eth1", shaping.Shaped, shaping.Shaped)
	w.is("eth2", shaping.Shaped, shaping.Shaped)
}

// A daemon that cannot write its records still keeps packets from being lost.
func TestFullStateDirectory(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	state := w.dir + "/state"
	w.must(os.Mkdir(state+"/eth1.owned.new", 0o700)) // where the next record would be written
	w.must(w.k.DeleteIFB("eth1"))
	w.pass(time.Second)
	if w.k.Blackhole("eth1") {
		t.Error("packets are lost")
	}
}

// Our own old rate is never taken for another program's, whatever fails.
func TestOwnRateIsNotOutside(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.k.Fail(func(op string) error {
		if strings.Contains(op, "cake on eth1") {
			return &tc.KernelError{Errno: syscall.ENOBUFS}
		}
		return nil
	})
	w.write(section("wan", "eth1", strings.Replace(someQueue, "10000", "20000", 1)))
	w.pass(5 * time.Second)
	w.k.Fail(nil)
	w.pass(retryLast + 2*time.Second)
	w.shapes("eth1", 2*upBits, downBits)
}

// Two sections that want one direction by different names are not "all shaped".
func TestTwoSectionsByNetwork(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)+section("again", "@wan", someQueue))
	w.networks = map[string]string{"wan": "eth1"}
	w.start()
	w.pass(time.Second)
	w.shapes("eth1", upBits, downBits)
	if r := w.report(); r.Shaped {
		t.Errorf("all is said to be shaped: %+v", r.Queues)
	}
}

// The plan is about the file as it is, also when it is not in force yet.
func TestPlanIsFresh(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.write(section("wan", "eth1", strings.Replace(someQueue, "10000", "5000", 1)))
	reply, err := w.ask(MethodPlan, "{}")
	w.must(err)
	if plans := reply.(PlanReport).Plans; len(plans) != 1 || len(plans[0].Changes) != 1 {
		t.Errorf("plan: %+v", plans)
	}
	w.shapes("eth1", upBits, downBits)
	w.write("")
	reply, err = w.ask(MethodPlan, "{}")
	w.must(err)
	if plans := reply.(PlanReport).Plans; len(plans) != 1 || len(plans[0].Changes) == 0 {
		t.Errorf("plan of a removed queue: %+v", plans)
	}
}

// Whatever has happened, a daemon at rest compares only to be sure.
func TestRest(t *testing.T) {
	for name, disturb := range map[string]func(w *world){
		"stopped in a conflict": func(w *world) {
			for range conflictRepairs + 1 {
				w.must(w.k.DeleteRoot("eth1"))
				w.pass(time.Second)
			}
			w.must(w.c.engine.Records.SetStopped("eth1"))
			w.pass(2 * holdFirst)
		},
		"leftover that failed and went": func(w *world) {
			w.k.Fail(func(op string) error {
				if strings.HasPrefix(op, "remove") {
					return syscall.EBUSY
				}
				return nil
			})
			w.write("")
			w.pass(10 * time.Second)
			w.k.Fail(nil)
			w.must(w.k.DeleteLinkByName("eth1"))
			_ = w.k.DeleteIFB("eth1")
			w.pass(time.Minute)
		},
		"other file touched": func(w *world) {
			w.must(os.WriteFile(w.dir+"/sqmd", []byte("config x\n"), 0o600))
			w.pass(5 * time.Second)
		},
	} {
		w := newWorld(t, section("wan", "eth1", someQueue)).start()
		disturb(w)
		before := w.c.reconciles
		w.pass(5 * time.Minute)
		if n := w.c.reconciles - before; n > 12 {
			t.Errorf("%s: %d reconciles in five quiet minutes", name, n)
		}
	}
}

// A stop by hand outlasts what is no reload of it.
func TestStopOutlasts(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(w.c.engine.Records.SetStopped(""))
	w.must(w.k.DeleteRoot("eth1"))
	w.must(os.WriteFile(w.dir+"/sqmd", []byte("config x\n"), 0o600))
	w.must(os.Chtimes(w.dir+"/sqm", time.Now(), time.Now()))
	w.pass(10 * time.Second)
	w.is("eth1", Stopped, Stopped)
	if _, err := w.ask(MethodReload, `{"device":"eth7"}`); err == nil {
		t.Error("a reload of a device that is no queue's succeeds")
	}
	w.pass(time.Second)
	w.is("eth1", Stopped, Stopped)
}

// A foreign shaper in the way of the only direction is waited for, without an
// audit.
func TestDownloadOnlyForeignGoes(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", strings.Replace(someQueue, "upload 10000", "upload 0", 1)))
	w.must(w.k.AddHook("eth1", "clsact"))
	w.must(w.k.AddForeignRedirect("eth1", 5, "lo"))
	w.start()
	w.is("eth1", shaping.Off, shaping.Refused)
	w.must(w.k.FlushIngress("eth1"))
	w.pass(time.Second)
	w.shapes("eth1", 0, downBits)
}

// A file that is written without a pause is read all the same.
func TestFileNeverAtRest(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	for i := range 10 {
		w.write(section("wan", "eth1", strings.Replace(someQueue, "10000", fmt.Sprint(5000+i), 1)))
		w.pass(time.Second)
	}
	if up, _ := w.k.Shapes("eth1"); up == upBits {
		t.Error("a file that changes each second was not read in ten")
	}
}
