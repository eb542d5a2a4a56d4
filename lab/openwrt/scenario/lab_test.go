// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package scenario

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"sqmd/lab/openwrt"
	"sqmd/release/ipk"
)

// What the tests need, each with the place where scripts/lab-packages leaves it:
//
//	SQMD_BUSYBOX   a static busybox
//	SQMD_BOX       sqmbox for this architecture
//	SQMD_PACKAGES  a directory with old/ and new/, and in each the packages sqmd.ipk and sqmd.apk of that version
func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	path, err := filepath.Abs(otherwise)
	if err != nil {
		return otherwise
	}
	return path
}

const built = "../../../out/openwrt"

func busybox() string  { return setting("SQMD_BUSYBOX", "/bin/busybox") }
func box() string      { return setting("SQMD_BOX", built+"/sqmbox") }
func packages() string { return setting("SQMD_PACKAGES", built) }

// patience is for what has no bound of its own; the machine may be slow.
const patience = 3 * time.Minute

// device is the WAN's, with an address or without.
const device = "eth1"

// router is a router with its kernel's state in a namespace of its own.
type router struct {
	t *testing.T
	*openwrt.Root
	ctx context.Context
}

// newRouter makes one that is down, with the packages' architecture.
func newRouter(t *testing.T, o openwrt.Options) *router {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and the namespaces with it
	r := &router{t: t}
	_, err := netns.New()
	r.must(err)
	r.must(openwrt.Isolate())
	o.Busybox, o.Box, o.Arch = busybox(), box(), arch(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	r.must(err)
	r.Root, err = openwrt.New(dir, o)
	r.must(err)
	r.plug(device)
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(context.Background(), 30*time.Minute)
	t.Cleanup(cancel)
	t.Cleanup(r.end)
	return r
}

// boot makes a router and starts it.
func boot(t *testing.T, o openwrt.Options) *router {
	t.Helper()
	r := newRouter(t, o)
	r.must(r.Boot(r.ctx))
	return r
}

// end stops the router and says what it logged, if the test failed.
func (r *router) end() {
	if r.t.Failed() {
		r.t.Logf("log:\n%s", r.Read(openwrt.Log))
	}
	r.must(r.Shutdown())
	if left := r.Processes(); len(left) > 0 {
		r.t.Errorf("processes are left: %v", left)
	}
}

// arch is the architecture that the packages are for.
func arch(t *testing.T) string {
	t.Helper()
	file, err := os.Open(filepath.Join(packages(), "new", "sqmd.ipk"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := ipk.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return p.Arch
}

func (r *router) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// plug makes the WAN's device anew.
func (r *router) plug(name string) {
	r.t.Helper()
	for _, name := range []string{name, "lo"} {
		link, err := netlink.LinkByName(name)
		if err != nil {
			r.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name, TxQLen: 1000, MTU: 1500}, PeerName: "wan0"}))
			link, err = netlink.LinkByName(name)
		}
		r.must(err)
		r.must(netlink.LinkSetUp(link))
	}
	peer, err := netlink.LinkByName("wan0")
	r.must(err)
	r.must(netlink.LinkSetUp(peer))
}

// powerCycle ends the system, forgets what the kernel knew, and boots again.
func (r *router) powerCycle() {
	r.t.Helper()
	r.must(r.Shutdown())
	links, err := netlink.LinkList()
	r.must(err)
	for _, l := range links {
		if l.Type() == "ifb" || l.Attrs().Name == device {
			r.must(netlink.LinkDel(l))
		}
	}
	r.plug(device)
	r.must(r.Boot(r.ctx))
}

// sh runs a line of busybox's ash in the router, which has to succeed.
func (r *router) sh(line string) string {
	r.t.Helper()
	output, err := r.Run(r.ctx, "/bin/sh", "-c", line)
	r.must(err)
	r.t.Logf("%v: %s", output.Took.Round(time.Millisecond), line)
	if output.Code != 0 {
		r.t.Fatalf("%s: exit code %d\n%s", line, output.Code, output.Text)
	}
	if complaint := complaintIn(output.Text); complaint != "" {
		r.t.Errorf("%s: a shell complained: %s", line, complaint)
	}
	return output.Text
}

// code runs a line that may fail.
func (r *router) code(line string) int {
	r.t.Helper()
	output, err := r.Run(r.ctx, "/bin/sh", "-c", line)
	r.must(err)
	return output.Code
}

// complaintIn finds a line in which a shell says that something in a script is wrong.
func complaintIn(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "Command failed: ") {
			continue // ubus, of a service that is gone already
		}
		for _, sign := range []string{"syntax error", "not found", "bad number", "parameter not set", "unknown operand", "Permission denied"} {
			if strings.Contains(line, sign) && strings.Contains(line, ": ") {
				return line
			}
		}
	}
	return ""
}

// await waits until something is so.
func (r *router) await(what string, is func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("never: %s", what)
		}
	}
}

// daemon is the process of the daemon, 0 while there is none.
func (r *router) daemon() int {
	pid := 0
	for _, p := range r.Processes() {
		if p.Command == "/usr/sbin/sqmd run" || strings.HasPrefix(p.Command, "/usr/sbin/sqmd run ") {
			if pid != 0 {
				r.t.Errorf("two daemons run: %d and %d", pid, p.PID)
			}
			pid = p.PID
		}
	}
	return pid
}

// queue is the user's configuration of the WAN, with rates in kbit/s that tell whose it is.
func queue(enabled, download, upload int) string {
	return fmt.Sprintf(`
config queue '%s'
	option enabled '%d'
	option interface '%s'
	option download '%d'
	option upload '%d'
	option qdisc 'cake'
	option script 'piece_of_cake.qos'
	option linklayer 'none'
`, device, enabled, device, download, upload)
}
