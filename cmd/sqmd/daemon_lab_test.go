// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"sqmd/control"
	"sqmd/daemon"
	"sqmd/shaping"
)

// Bounds of the daemon, in the guest's virtual time.
const (
	// repairTime is from what another program did to the kernel's showing it mended.
	repairTime = 200 * time.Millisecond
	// appearTime is from a device's being there to its being shaped.
	appearTime = time.Second
	// patience is for what has no bound of its own.
	patience = 30 * time.Second
)

// Rates of the queue that most scenarios use, in kbit/s.
const (
	upKbit   = 1000
	downKbit = 1500
)

// wanQueue is the queue that most scenarios use.
func wanQueue() string { return queueOn("wan", "eth1", upKbit, downKbit) }

// queueOn is the text of a section.
func queueOn(section, device string, up, down int) string {
	text := queue(fmt.Sprintf("upload %d", up), fmt.Sprintf("download %d", down), "qdisc cake", "script piece_of_cake.qos")
	text = strings.Replace(text, "'wan'", "'"+section+"'", 1)
	return strings.Replace(text, "'eth1'", "'"+device+"'", 1)
}

// router is a jail in which the daemon runs as a process of its own. Its WAN is
// eth1, whose other end is wan0 in another namespace; packets flow both ways,
// about twice as many as the queue lets pass.
type router struct {
	*jail
	here, there netns.NsHandle
	kernel      *shaping.Live
	up, down    *flood

	process *exec.Cmd // the daemon; nil while none runs
	begun   resources // of the daemon once it worked
	before  string    // all of the namespace before there was a daemon
	ifbs    int       // how many there are to be in the end
}

func newRouter(t *testing.T, config string) *router {
	t.Helper()
	r := &router{jail: newJail(t, config), ifbs: 1}
	r.mountSystem()
	r.sh("ip link del eth1")
	r.addStranger()
	var err error
	r.here, err = netns.Get()
	r.must(err)
	r.there, err = netns.New() // which is then the thread's
	r.must(err)
	r.sh("ip link set lo up")
	r.must(netns.Set(r.here))
	t.Cleanup(func() { r.here.Close(); r.there.Close() })
	r.kernel, err = shaping.OpenKernel()
	r.must(err)
	t.Cleanup(r.kernel.Close)
	r.plug("eth1")
	r.number("eth1", "wan0")
	r.startFloods()
	r.before = r.snapshot()
	t.Cleanup(r.end)
	return r
}

// mountSystem gives the jail a /proc and the namespace's own /sys.
func (r *router) mountSystem() {
	r.t.Helper()
	for _, kind := range []string{"proc", "sysfs"} {
		at := filepath.Join(r.dir, strings.TrimSuffix(kind, "fs"))
		r.must(os.MkdirAll(at, 0o755))
		r.must(unix.Mount(kind, at, kind, 0, ""))
		r.t.Cleanup(func() { r.must(unix.Unmount(at, unix.MNT_DETACH)) })
	}
}

// addStranger makes a device with an alias, qdiscs, classes and filters that are
// no business of sqmd.
func (r *router) addStranger() {
	r.t.Helper()
	r.sh(`ip link add lan0 type dummy; ip link set lan0 up alias 'not yours'
tc qdisc add dev lan0 root handle 1: htb default 10
tc class add dev lan0 parent 1: classid 1:10 htb rate 5mbit
tc filter add dev lan0 parent 1: protocol ip pref 9 matchall flowid 1:10
tc qdisc add dev lan0 clsact
tc filter add dev lan0 ingress protocol ip pref 3 matchall action skbedit priority 7`)
}

// inPeer runs f in the namespace at the other end of the WAN.
func (r *router) inPeer(f func()) {
	r.t.Helper()
	r.must(netns.Set(r.there))
	defer func() { r.must(netns.Set(r.here)) }()
	f()
}

// plug makes a device whose other end is wan0 in the peer. It is down, and has no
// address.
func (r *router) plug(name string) {
	r.t.Helper()
	r.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name, TxQLen: 1000, MTU: 1500},
		PeerName: "wan0", PeerNamespace: netlink.NsFd(r.there)}))
}

func (r *router) unplug(name string) {
	r.t.Helper()
	r.must(netlink.LinkDel(r.link(name)))
}

// number gives the ends of the WAN their addresses, sets them up, tells each the
// other's hardware address, and waits until they carry packets. Otherwise it may
// be a second before they do: the kernel looks for carriers once a second where
// links come and go, and asks for an address again after that long.
func (r *router) number(device, peer string) {
	r.t.Helper()
	r.address(device, routerAddress)
	ours, theirs := r.link(device).Attrs().HardwareAddr, net.HardwareAddr{}
	r.inPeer(func() {
		r.address(peer, peerAddress)
		r.introduce(peer, routerAddress, ours)
		theirs = r.link(peer).Attrs().HardwareAddr
	})
	r.introduce(device, peerAddress, theirs)
	r.eventually("the line carries packets", func() bool {
		up := r.link(device).Attrs().OperState == netlink.OperUp
		r.inPeer(func() { up = up && r.link(peer).Attrs().OperState == netlink.OperUp })
		return up
	})
}

func (r *router) address(device, address string) {
	r.t.Helper()
	link := r.link(device)
	a, err := netlink.ParseAddr(address + "/24")
	r.must(err)
	r.must(netlink.AddrReplace(link, a))
	r.must(netlink.LinkSetUp(link))
}

func (r *router) introduce(device, neighbour string, at net.HardwareAddr) {
	r.t.Helper()
	r.must(netlink.NeighSet(&netlink.Neigh{LinkIndex: r.link(device).Attrs().Index, State: netlink.NUD_PERMANENT,
		IP: net.ParseIP(neighbour), HardwareAddr: at}))
}

func (r *router) link(name string) netlink.Link {
	r.t.Helper()
	link, err := netlink.LinkByName(name)
	if err != nil {
		r.t.Fatalf("device %s: %v", name, err)
	}
	return link
}

// start starts the daemon and waits until it answers.
func (r *router) start() {
	r.t.Helper()
	log, err := os.OpenFile(filepath.Join(r.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	r.must(err)
	defer log.Close()
	r.process = r.inJail("run")
	r.process.Stdout, r.process.Stderr = log, log
	r.must(r.process.Start())
	r.eventually("the daemon answers", func() bool {
		_, err := r.ask()
		return err == nil
	})
}

// started is start, and then waits until eth1 is shaped as configured.
func (r *router) started() {
	r.t.Helper()
	r.start()
	r.untilShaped("eth1", upKbit, downKbit)
	r.begun = r.used()
}

func (r *router) inJail(args ...string) *exec.Cmd {
	c := exec.Command("/sqmd", args...)
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir}
	c.Dir, c.Env = "/", []string{asCommand + "=1"}
	return c
}

// verb runs sqmd as a further process.
func (r *router) verb(args ...string) result {
	r.t.Helper()
	var out, complaints bytes.Buffer
	c := r.inJail(args...)
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil && c.ProcessState == nil {
		r.t.Fatalf("sqmd %v: %v", args, err)
	}
	return result{code: c.ProcessState.ExitCode(), stdout: out.String(), stderr: complaints.String()}
}

// expectVerb runs sqmd and judges its exit code.
func (r *router) expectVerb(code int, args ...string) result {
	r.t.Helper()
	done := r.verb(args...)
	if done.code != code {
		r.t.Errorf("sqmd %v: exit %d, want %d\n%s%s", args, done.code, code, done.stdout, done.stderr)
	}
	return done
}

// signal ends the daemon and gives its exit code, -1 for a death by signal.
func (r *router) signal(s syscall.Signal) int {
	r.t.Helper()
	r.must(r.process.Process.Signal(s))
	_ = r.process.Wait() // what it says is in the state
	code := r.process.ProcessState.ExitCode()
	r.process = nil
	return code
}

// ask asks the daemon through its socket.
func (r *router) ask() (report daemon.Report, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err = control.Call(ctx, filepath.Join(r.dir, "var/run/sqmd", daemon.SocketName), daemon.MethodStatus, nil, &report)
	return report, err
}

func (r *router) report() daemon.Report {
	r.t.Helper()
	report, err := r.ask()
	if err != nil {
		r.t.Fatalf("status: %v\n%s", err, r.log())
	}
	return report
}

// direction is what the daemon reports of a direction of a device.
func (r *router) direction(device, name string) daemon.DirectionReport {
	r.t.Helper()
	report := r.report()
	for _, q := range report.Queues {
		for _, d := range q.Directions {
			if q.Device == device && d.Direction == name {
				return d
			}
		}
	}
	r.t.Fatalf("no %s of %s in %+v", name, device, report)
	return daemon.DirectionReport{}
}

// expectState judges what the daemon reports of both directions of a device.
func (r *router) expectState(device, want string) {
	r.t.Helper()
	for _, name := range []string{"upload", "download"} {
		if d := r.direction(device, name); d.State != want {
			r.t.Errorf("%s %s is reported %s (%s), want %s", device, name, d.State, d.Reason, want)
		}
	}
}

// log is what the daemon has written.
func (r *router) log() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "log"))
	r.must(err)
	return string(text)
}

// logged are the lines of the log that have a text in them.
func (r *router) logged(text string) (lines []string) {
	r.t.Helper()
	for _, line := range strings.Split(r.log(), "\n") {
		if strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// configure writes the configuration in one step, as uci(1) does.
func (r *router) configure(text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, "etc/config/sqm")
	r.must(os.WriteFile(path+".new", []byte(text), 0o600))
	r.must(os.Rename(path+".new", path))
}

// eventually waits for something that has no bound of its own.
func (r *router) eventually(what string, is func() bool) time.Duration {
	r.t.Helper()
	start := time.Now()
	for !is() {
		if time.Since(start) > patience {
			r.t.Fatalf("not so after %v: %s; log:\n%s", patience, what, r.log())
		}
		time.Sleep(pollEvery)
	}
	return time.Since(start)
}

// resources are what a process uses.
type resources struct {
	descriptors, threads int
}

func (u resources) String() string {
	return fmt.Sprintf("%d descriptors, %d threads", u.descriptors, u.threads)
}

// used looks at the daemon from outside.
func (r *router) used() (u resources) {
	r.t.Helper()
	proc := filepath.Join("/proc", strconv.Itoa(r.process.Process.Pid))
	open, err := os.ReadDir(filepath.Join(proc, "fd"))
	r.must(err)
	u.descriptors = len(open)
	status, err := os.ReadFile(filepath.Join(proc, "status"))
	r.must(err)
	for _, line := range strings.Split(string(status), "\n") {
		// Other lines leave the numbers as they are.
		_, _ = fmt.Sscanf(line, "Threads: %d", &u.threads)
	}
	return u
}

// expectNoLeak compares what the daemon uses with what it used once it worked.
// A connection that is just being closed, and a thread that the runtime keeps for
// later, are no leaks.
func (r *router) expectNoLeak() {
	r.t.Helper()
	const someDescriptors, someThreads = 2, 4
	var now resources
	r.eventually("descriptors are closed", func() bool {
		now = r.used()
		return r.begun == resources{} || now.descriptors <= r.begun.descriptors+someDescriptors
	})
	r.t.Logf("daemon: %v; at the start %v", now, r.begun)
	if r.begun != (resources{}) && now.threads > r.begun.threads+someThreads {
		r.t.Errorf("the daemon has grown to %v from %v", now, r.begun)
	}
}

// end is the end of each scenario: nothing has leaked, and after sqmd stop all is
// as before.
func (r *router) end() {
	r.t.Helper()
	if r.process == nil {
		return
	}
	defer func() {
		if r.process != nil {
			r.signal(syscall.SIGKILL)
		}
		if r.t.Failed() {
			r.t.Logf("log of the daemon:\n%s", r.log())
		}
	}()
	r.expectNoLeak()
	if n := r.devices("ifb"); n != r.ifbs {
		r.t.Errorf("%d IFBs, want %d", n, r.ifbs)
	}
	r.expectVerb(0, "stop")
	if diff := cmp.Diff(r.before, r.snapshot()); diff != "" {
		r.t.Errorf("after sqmd stop all should be as before there was a daemon (-before +after):\n%s", diff)
	}
}

// devices is how many devices of a kind there are.
func (r *router) devices(kind string) (n int) {
	r.t.Helper()
	links, err := r.kernel.Links()
	r.must(err)
	for _, l := range links {
		if l.Kind == kind {
			n++
		}
	}
	return n
}
