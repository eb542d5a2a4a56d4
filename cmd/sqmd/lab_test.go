// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"sqmd/shaping"
	"sqmd/tc"
)

// The tests in files with this build tag run as root in a virtual machine, on a
// real kernel, each in a network namespace of its own: scripts/lab go-test ./...

// box is a router in a namespace: eth1 is its WAN, a veth whose other end is
// wan0.
type box struct {
	t       *testing.T
	records string
}

func newBox(t *testing.T) *box {
	t.Helper()
	runtime.LockOSThread() // never unlocked: the thread ends with the test, and the namespace with it
	if _, err := netns.New(); err != nil {
		t.Fatalf("new namespace: %v", err)
	}
	b := &box{t: t, records: t.TempDir()}
	b.must(netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "eth1", TxQLen: 1000, MTU: 1500}, PeerName: "wan0"}))
	for _, name := range []string{"lo", "eth1", "wan0"} {
		link, err := netlink.LinkByName(name)
		b.must(err)
		b.must(netlink.LinkSetUp(link))
	}
	return b
}

func (b *box) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// sh runs a shell script in the namespace.
func (b *box) sh(script string) string {
	b.t.Helper()
	out, err := exec.Command("sh", "-ec", script).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// watched counts what is asked of the kernel to change, and can spoil one of the
// changes.
type watched struct {
	shaping.Kernel
	changes int
	spoil   int // the change to spoil, from 1; 0 for none
}

func (w *watched) next() (spoilt bool) {
	w.changes++
	return w.changes == w.spoil
}

// Do spoils a request by putting in its place one that the kernel itself
// refuses, so that its answer is real.
func (w *watched) Do(requests ...tc.Request) ([]error, error) {
	for i := range requests {
		if w.next() {
			requests[i], _ = tc.QdiscRequest(tc.Add, tc.Qdisc{Ifindex: 1, Parent: tc.Root, Handle: tc.MakeHandle(1, 5), Kind: "pfifo"})
		}
	}
	return w.Kernel.Do(requests...)
}

const spoiltMessage = "Invalid minor handle"

var errSpoilt = fmt.Errorf("%s: %w", spoiltMessage, syscall.EINVAL)

func (w *watched) CreateIFB(name string, queues int) (int, error) {
	if w.next() {
		return 0, errSpoilt
	}
	return w.Kernel.CreateIFB(name, queues)
}

func (w *watched) SetAlias(ifindex int, alias string) error {
	if w.next() {
		return errSpoilt
	}
	return w.Kernel.SetAlias(ifindex, alias)
}

func (w *watched) SetUp(ifindex int) error {
	if w.next() {
		return errSpoilt
	}
	return w.Kernel.SetUp(ifindex)
}

func (w *watched) DeleteLink(ifindex int) error {
	if w.next() {
		return errSpoilt
	}
	return w.Kernel.DeleteLink(ifindex)
}

// result is one run of the command.
type result struct {
	code           int
	stdout, stderr string
	changes        int // requests to change something
}

// sqmd runs the command on the box's kernel; spoil is the change to spoil, 0 for
// none.
func (b *box) sqmd(spoil int, args ...string) result {
	b.t.Helper()
	var out, err bytes.Buffer
	w := &watched{spoil: spoil}
	code := run(args, environment{
		stdout: &out, stderr: &err,
		kernel: func() (shaping.Kernel, func(), error) {
			k, err := shaping.OpenKernel()
			if err != nil {
				return nil, nil, err
			}
			w.Kernel = k
			return w, k.Close, nil
		},
		records: shaping.Records{Dir: b.records},
		sqm:     "/nonexistent", sqmd: "/nonexistent",
	})
	return result{code, out.String(), err.String(), w.changes}
}

func (b *box) mustApply(config string) result {
	b.t.Helper()
	r := b.sqmd(0, "apply", "-v", "-c", b.config(config))
	if r.code != 0 {
		b.t.Fatalf("apply: exit %d\n%s%s\nconfiguration:\n%s", r.code, r.stdout, r.stderr, config)
	}
	return r
}

func (b *box) config(text string) string {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "sqm")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// snapshot is all traffic control and all links of the namespace as the real
// tools show them, without counters and without what the kernel numbers anew.
// One tc process shows it all: processes are slow in the guest.
func (b *box) snapshot() string {
	b.t.Helper()
	links, err := netlink.LinkList()
	b.must(err)
	var out, script strings.Builder
	for _, l := range links {
		a := l.Attrs()
		fmt.Fprintf(&out, "%s %s alias %q up %v txqueuelen %d\n", l.Type(), a.Name, a.Alias, a.Flags&net.FlagUp != 0, a.TxQLen)
		for _, show := range []string{"qdisc show dev %s", "class show dev %s", "filter show dev %s", "filter show dev %s ingress", "filter show dev %s egress"} {
			fmt.Fprintf(&script, show+"\n", a.Name)
		}
	}
	show := exec.Command("tc", "-d", "-force", "-batch", "-")
	show.Stdin = strings.NewReader(script.String())
	// Asking for the filters of a hook that is not there is an error.
	shown, _ := show.Output()
	out.WriteString(sortClasses(volatile.ReplaceAllString(string(shown), "")))
	return out.String()
}

// sortClasses puts classes, which come in the order they were made in, in order.
func sortClasses(shown string) string {
	lines := strings.Split(shown, "\n")
	isClass := func(i int) bool { return i < len(lines) && strings.HasPrefix(lines[i], "class ") }
	for i := range lines {
		end := i
		for isClass(end) {
			end++
		}
		slices.Sort(lines[i:end])
	}
	return strings.Join(lines, "\n")
}

// volatile matches what differs from one dump to the next: classes of active
// flows, reference counts, and numbers that the kernel gives to actions and to
// the tables of u32.
var volatile = regexp.MustCompile(`(?m)^class (fq_codel|sfq|cake) .*\n| refcnt \d+| direct_packets_stat \d+|\s+index \d+ ref \d+ bind \d+| (fh|ht) [0-9a-f]+:?[0-9a-f:]*\b`)

// queue is the text of one section.
func queue(options ...string) string {
	var text strings.Builder
	text.WriteString("config queue 'wan'\n\toption enabled '1'\n\toption interface 'eth1'\n")
	for _, o := range options {
		name, value, _ := strings.Cut(o, " ")
		fmt.Fprintf(&text, "\toption %s '%s'\n", name, value)
	}
	return text.String()
}

var recipes = map[string]string{
	"piece_of_cake":    queue("download 85000", "upload 10000", "qdisc cake", "script piece_of_cake.qos"),
	"piece_of_cake up": queue("download 0", "upload 10000", "qdisc cake", "script piece_of_cake.qos"),
	"layer_cake":       queue("download 50000", "upload 9000", "qdisc cake", "script layer_cake.qos", "squash_ingress 0", "linklayer atm", "overhead 44"),
	"simple":           queue("download 20000", "upload 2000", "qdisc fq_codel", "script simple.qos", "squash_ingress 0", "linklayer ethernet", "overhead 40", "tcMPU 64"),
	"simple one tier":  queue("download 20000", "upload 2000", "qdisc fq_codel", "script simple.qos"),
	"simplest":         queue("download 30000", "upload 1500", "qdisc codel", "script simplest.qos", "linklayer atm", "overhead 32"),
	"simplest_tbf":     queue("download 30000", "upload 3000", "qdisc fq_codel", "script simplest_tbf.qos", "linklayer ethernet", "overhead 22"),
	"sfq":              queue("download 30000", "upload 3000", "qdisc sfq", "script simplest.qos"),
	"pie":              queue("download 30000", "upload 3000", "qdisc pie", "script simple.qos"),
	"private":          queue("download 8000", "upload 2000", "qdisc fq_codel", "script simple.qos", "linklayer atm", "overhead 44", "tcMPU 96", "linklayer_adaptation_mechanism htb_private"),
}
