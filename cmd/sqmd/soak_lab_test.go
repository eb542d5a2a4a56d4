// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"sqmd/control"
	"sqmd/daemon"
	"sqmd/tc"
)

// resident is the process `sqmd run` in a jail, with two queues: wan on eth1 by
// cake, guest on eth2 by htb.
type resident struct {
	*jail
	process *exec.Cmd
	log     tally
	client  *control.Client
	tc      *tc.Conn
	rate    int // of uploads, in kbit/s: another one with each configuration
}

// tally keeps the beginning of what is written and counts the rest.
type tally struct {
	mu    sync.Mutex
	text  bytes.Buffer
	bytes int
}

func (l *tally) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes += len(text)
	if l.text.Len() < 64<<10 {
		l.text.Write(text)
	}
	return len(text), nil
}

func (l *tally) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

func (l *tally) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// reside starts the daemon and waits until it shapes.
func reside(t *testing.T) *resident {
	t.Helper()
	r := &resident{jail: newJail(t, ""), rate: 10000}
	r.veth("eth2", "wan2")
	r.configure()
	var err error
	r.tc, err = tc.Dial()
	r.must(err)
	t.Cleanup(r.tc.Close)
	r.process = exec.Command("/sqmd", "run")
	r.process.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir}
	// The profiler keeps each new call stack for good. sqmd does not have it linked
	// in, but package testing does.
	r.process.Dir, r.process.Env = "/", []string{asCommand + "=1", "GODEBUG=memprofilerate=0"}
	r.process.Stdout, r.process.Stderr = &r.log, &r.log
	r.must(r.process.Start())
	t.Cleanup(r.end)
	r.shaped(20 * time.Second)
	return r
}

// end ends the daemon, which has to obey.
func (r *resident) end() {
	r.signal(syscall.SIGTERM)
	if err := r.process.Wait(); err != nil {
		r.t.Errorf("the daemon ended with %v\n%s", err, &r.log)
	}
}

func (r *resident) signal(s syscall.Signal) {
	if err := r.process.Process.Signal(s); err != nil {
		r.t.Errorf("signal %v to the daemon: %v\n%s", s, err, &r.log)
	}
}

// configure writes a configuration that has not been before.
func (r *resident) configure() {
	r.rate++
	section := func(name, device, recipe string) string {
		return fmt.Sprintf("config queue '%s'\n\toption enabled '1'\n\toption interface '%s'\n\toption upload '%d'\n\toption download '85000'\n%s", name, device, r.rate, recipe)
	}
	text := section("wan", "eth1", "\toption qdisc 'cake'\n\toption script 'piece_of_cake.qos'\n") +
		section("guest", "eth2", "\toption qdisc 'fq_codel'\n\toption script 'simple.qos'\n")
	path := filepath.Join(r.dir, "etc/config/sqm")
	r.must(os.WriteFile(path+".new", []byte(text), 0o600))
	r.must(os.Rename(path+".new", path))
}

// veth makes a device that is up, with a peer that is up.
func (r *resident) veth(name, peer string) {
	r.t.Helper()
	r.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name, TxQLen: 1000, MTU: 1500}, PeerName: peer}))
	r.up(name, true)
	r.up(peer, true)
}

// index is that of a device, 0 if there is none.
func (r *resident) index(name string) int {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return 0
	}
	return link.Attrs().Index
}

func (r *resident) up(name string, up bool) {
	r.t.Helper()
	link, err := netlink.LinkByName(name)
	r.must(err)
	if up {
		r.must(netlink.LinkSetUp(link))
	} else {
		r.must(netlink.LinkSetDown(link))
	}
}

// remove removes a device, if it is there.
func (r *resident) remove(name string) {
	if link, err := netlink.LinkByName(name); err == nil {
		_ = netlink.LinkDel(link) // the daemon may have been quicker
	}
}

// ask sends a request, which has to be answered.
func (r *resident) ask(method string, arguments daemon.Arguments, reply any) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var err error
	if r.client == nil {
		r.client, err = control.Dial(ctx, filepath.Join(r.dir, "var/run/sqmd", daemon.SocketName))
	}
	if err == nil {
		err = r.client.Call(ctx, method, arguments, reply)
	}
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", method, err, &r.log)
	}
}

// hangUp ends the connection to the daemon; ask makes a new one.
func (r *resident) hangUp() {
	if r.client != nil {
		r.client.Close()
		r.client = nil
	}
}

// shaped waits until the daemon says that all is shaped.
func (r *resident) shaped(patience time.Duration) {
	r.t.Helper()
	socket := filepath.Join(r.dir, "var/run/sqmd", daemon.SocketName)
	var report daemon.Report
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err = control.Call(ctx, socket, daemon.MethodStatus, nil, &report)
		cancel()
		if err == nil && report.Shaped && len(report.Queues) == 2 {
			return
		}
	}
	r.t.Fatalf("not shaped after %v: %v %+v\n%s", patience, err, report, &r.log)
}

// proc reads a file about the process.
func (r *resident) proc(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(r.process.Process.Pid), name))
	r.must(err)
	return string(text)
}

// field is a number of a file of the form of /proc/PID/status (proc(5)).
func (r *resident) field(text, name string) int {
	r.t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			r.must(err)
			return n
		}
	}
	r.t.Fatalf("no %s in\n%s", name, text)
	return 0
}

// holdings is what the process holds.
type holdings struct{ residentKB, anonymousKB, descriptors, threads int }

func (r *resident) holdings() holdings {
	r.t.Helper()
	status := r.proc("status")
	open, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(r.process.Process.Pid), "fd"))
	r.must(err)
	return holdings{r.field(status, "VmRSS"), r.field(status, "RssAnon"), len(open), r.field(status, "Threads")}
}

// soakEvents is what can happen, by how often it does.
var soakEvents = []struct {
	often int
	what  string
	do    func(r *resident, n int)
}{
	{3, "eth1 is made anew", func(r *resident, _ int) { r.remove("eth1"); r.veth("eth1", "wan0") }},
	{3, "eth2 is made anew", func(r *resident, _ int) { r.remove("eth2"); r.veth("eth2", "wan2") }},
	{4, "root removed", func(r *resident, n int) {
		r.tcDo(tc.QdiscDelete(tc.Qdisc{Ifindex: r.index([]string{"eth1", "eth2", "ifb4eth1"}[n%3]), Parent: tc.Root}))
	}},
	{4, "filters flushed", func(r *resident, n int) {
		r.tcDo(tc.FilterDelete(tc.Filter{Ifindex: r.index([]string{"eth1", "eth2"}[n%2]), Parent: tc.IngressHook}))
	}},
	{2, "hook removed", func(r *resident, n int) {
		r.tcDo(tc.QdiscDelete(tc.Qdisc{Ifindex: r.index([]string{"eth1", "eth2"}[n%2]), Parent: tc.IngressParent}))
	}},
	{2, "IFB deleted", func(r *resident, n int) { r.remove([]string{"ifb4eth1", "ifb4eth2"}[n%2]) }},
	{8, "carrier flaps", func(r *resident, n int) {
		peer := []string{"wan0", "wan2"}[n%2]
		r.up(peer, false)
		r.up(peer, true)
	}},
	{8, "foreign device", func(r *resident, n int) {
		name := fmt.Sprintf("other%d", n%7)
		r.remove(name)
		r.must(netlink.LinkAdd(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: name, TxQLen: 1000}}))
		r.up(name, true)
	}},
	{4, "foreign device gone", func(r *resident, n int) { r.remove(fmt.Sprintf("other%d", n%7)) }},
	{10, "SIGHUP", func(r *resident, _ int) { r.signal(syscall.SIGHUP) }},
	{2, "new configuration", func(r *resident, _ int) { r.configure() }},
	{8, "status", func(r *resident, _ int) { r.ask(daemon.MethodStatus, daemon.Arguments{}, &daemon.Report{}) }},
	{6, "stats", func(r *resident, _ int) { r.ask(daemon.MethodStats, daemon.Arguments{}, &daemon.StatsReport{}) }},
	{6, "history", func(r *resident, n int) {
		r.ask(daemon.MethodHistory, daemon.Arguments{Device: "eth1", Direction: "upload", StepS: []int64{1, 60}[n%2]}, &daemon.HistoryReport{})
	}},
	{3, "plan", func(r *resident, _ int) { r.ask(daemon.MethodPlan, daemon.Arguments{}, &daemon.PlanReport{}) }},
	{2, "check", func(r *resident, _ int) { r.ask(daemon.MethodCheck, daemon.Arguments{}, &daemon.CheckReport{}) }},
	{3, "hang up", func(r *resident, _ int) { r.hangUp() }},
}

// tcDo does what another program may have made impossible meanwhile.
func (r *resident) tcDo(request tc.Request) {
	r.t.Helper()
	_, err := r.tc.Do(request)
	r.must(err)
}

// disturb makes so many events happen.
func (r *resident) disturb(random *rand.Rand, events int) {
	r.t.Helper()
	var order []int
	for i, e := range soakEvents {
		for range e.often {
			order = append(order, i)
		}
	}
	for range events {
		soakEvents[order[random.IntN(len(order))]].do(r, random.IntN(1<<20))
		time.Sleep(5 * time.Millisecond)
	}
}

// rest brings the daemon to rest, where all is shaped, and tells what it holds then:
// the least of a few looks, because a look can meet it at work.
func (r *resident) rest() holdings {
	r.t.Helper()
	r.hangUp()
	r.signal(syscall.SIGHUP)
	r.shaped(5 * time.Second)
	least := r.holdings()
	for range 10 {
		time.Sleep(500 * time.Millisecond)
		h := r.holdings()
		least.residentKB, least.descriptors = min(least.residentKB, h.residentKB), min(least.descriptors, h.descriptors)
	}
	return least
}

// What hours bring, in a few minutes: descriptors and threads stay as they are
// after warming up, the log stays within its limit, and all is shaped in the end.
// What memory does is printed; the daemon's own soak test holds its heap.
func TestSoak(t *testing.T) {
	r := reside(t)
	start := time.Now()
	time.Sleep(2 * time.Second) // history begins with the first readings
	random := rand.New(rand.NewPCG(1, 2))
	const warming, events = 800, 4000
	r.disturb(random, warming)
	warm := r.rest()
	r.disturb(random, events)
	end := r.rest()
	t.Logf("before %+v, after %d events %+v, log %d bytes", warm, events, end, r.log.size())
	if end.descriptors > warm.descriptors {
		t.Errorf("%d descriptors became %d", warm.descriptors, end.descriptors)
	}
	if end.threads > soakThreads {
		t.Errorf("%d threads, want at most %d", end.threads, soakThreads)
	}
	// Two queues as such and by direction, and the daemon: seven subjects of three
	// levels; see the promise of journal.Log.
	lines := 7 * 3 * 3 * (10 + int(time.Since(start)/(30*time.Second)) + 1)
	if size := r.log.size(); size > lines*400 {
		t.Errorf("the log has %d bytes, at most %d lines of 400 bytes are allowed", size, lines)
	}
}

// soakThreads is how many threads the runtime makes at most: it adds one when all
// others happen to be in a system call, and never ends any.
const soakThreads = 10

// waits is how often the threads of the process have given up the processor to
// wait: voluntary_ctxt_switches of all of them, proc(5).
func (r *resident) waits() (n int) {
	r.t.Helper()
	tasks, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(r.process.Process.Pid), "task"))
	r.must(err)
	for _, task := range tasks {
		n += r.field(r.proc("task/"+task.Name()+"/status"), "voluntary_ctxt_switches")
	}
	return n
}

// An idle daemon wakes twice a second at most.
//
// A wake is a time, seen each 100 ms, in which threads of the process have waited
// for something and got it: what they do with each other while it is at work does
// not wake the machine again.
func TestIdle(t *testing.T) {
	r := reside(t)
	r.rest()
	const seconds = 300
	wakes, waits := r.idle(seconds * time.Second)
	t.Logf("in %d s %d wakes, %d waits of all threads", seconds, wakes, waits)
	if wakes > 2*seconds {
		t.Errorf("%d wakes in %d s", wakes, seconds)
	}
}

// idle looks on for a while.
func (r *resident) idle(d time.Duration) (wakes, waits int) {
	r.t.Helper()
	first := r.waits()
	last := first
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		if now := r.waits(); now != last {
			last = now
			wakes++
		}
	}
	return wakes, last - first
}
