// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sqmd/lab/simkernel"
	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/ubus"
)

// world is a daemon's core with a simulated kernel and time that passes only when
// told to.
type world struct {
	t    testing.TB
	k    *simkernel.Kernel
	c    *core
	dir  string
	now  time.Duration
	wall time.Duration // what the wall clock is ahead by
	log  bytes.Buffer
	// networks are the devices of the networks that netifd knows; nil without a bus.
	networks map[string]string
	ended    bool
}

const (
	upBits, downBits = 10000000, 85000000
	someQueue        = "upload 10000\tdownload 85000\tqdisc cake\tscript piece_of_cake.qos"
	someHTB          = "upload 10000\tdownload 85000\tqdisc fq_codel\tscript simple.qos"
)

// section is the text of an enabled queue; options are separated by tabs.
func section(name, device, options string) string {
	text := fmt.Sprintf("config queue '%s'\n\toption enabled '1'\n\toption interface '%s'\n", name, device)
	for _, o := range strings.Split(options, "\t") {
		option, value, _ := strings.Cut(o, " ")
		text += fmt.Sprintf("\toption %s '%s'\n", option, value)
	}
	return text
}

// newWorld has an eth1 that is up, and no daemon yet.
func newWorld(t testing.TB, config string) *world {
	t.Helper()
	w := &world{t: t, k: simkernel.New(), dir: t.TempDir()}
	w.addDevice("eth1", "device")
	w.write(config)
	return w
}

// start starts a daemon; one that ran before is taken for crashed.
func (w *world) start() *world {
	w.log.Reset()
	w.now, w.ended = 0, false
	w.k.Subscribe()
	w.c = newCore(Options{
		Version: "test", SQM: filepath.Join(w.dir, "sqm"), SQMD: filepath.Join(w.dir, "sqmd"),
		Records: shaping.Records{Dir: filepath.Join(w.dir, "state")},
		Kernel:  func() (shaping.Kernel, func(), error) { return w.k, func() {}, nil },
		Wall:    func() int64 { return int64(w.now + w.wall) },
		Root:    w.dir, Log: &w.log,
	})
	w.c.bus = func() bool { return w.networks != nil }
	w.c.load(w.now, "start")
	w.pass(2 * gather)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) addDevice(name, kind string) {
	w.t.Helper()
	_, err := w.k.AddLink(name, kind, 1500)
	w.must(err)
	w.must(w.k.SetLinkUp(name, true))
	w.must(w.k.SetCarrier(name, true))
}

// write puts a configuration in place in one step, as uci(1) does.
func (w *world) write(config string) {
	w.t.Helper()
	path := filepath.Join(w.dir, "sqm")
	w.must(os.WriteFile(path+".new", []byte(config), 0o600))
	w.must(os.Rename(path+".new", path))
}

// pass lets time pass: the loop of [loop.run], with a clock of its own.
func (w *world) pass(d time.Duration) {
	for end := w.now + d; ; {
		events := w.k.Events()
		for _, e := range events {
			w.c.event(w.now, e)
		}
		w.c.step(w.now)
		if w.c.networks.refresh {
			w.c.networks.refresh = false
			w.answer()
			continue
		}
		if len(events) > 0 {
			continue
		}
		if w.now >= end {
			return
		}
		w.now = max(w.now, min(w.c.next(), end))
	}
}

// answer is what the bus does.
func (w *world) answer() {
	for _, name := range w.c.networks.names() {
		a := answer{network: name}
		switch device, known := w.networks[name]; {
		case w.networks == nil:
			a.err = ubus.ErrNoBus
		case !known:
			a.err = ubus.ErrNoNetwork
		case device == "":
			a.err = ubus.ErrNetworkDown
		default:
			a.device = device
		}
		w.c.resolved(w.now, a)
	}
}

// ifup tells that netifd changed something.
func (w *world) ifup() { w.c.networks.refresh = true }

// shapes fails the test unless the device is limited to these rates, in bit/s.
func (w *world) shapes(device string, up, down uint64) {
	w.t.Helper()
	if gotUp, gotDown := w.k.Shapes(device); gotUp != up || gotDown != down {
		w.t.Errorf("%s is shaped to %d up and %d down, want %d and %d\nlog:\n%s", device, gotUp, gotDown, up, down, w.log.String())
	}
}

// report is the status, which has to be true.
func (w *world) report() Report {
	w.t.Helper()
	r, err := w.c.report(w.now)
	w.must(err)
	w.isTrue(r)
	return r
}

// isTrue fails the test if the report claims a shaping that is not there.
func (w *world) isTrue(r Report) {
	w.t.Helper()
	for _, q := range r.Queues {
		up, down := w.k.Shapes(q.Device)
		for i, really := range []uint64{up, down} {
			d := q.Directions[i]
			if d.State == shaping.Shaped && (really == 0 || d.RateKbit != really/1000) {
				w.t.Errorf("%s %s is said to be shaped to %d kbit/s and is to %d bit/s\nlog:\n%s", q.Device, d.Direction, d.RateKbit, really, w.log.String())
			}
		}
	}
}

// states are the states of a device's directions.
func (w *world) states(device string) (up, down string) {
	w.t.Helper()
	for _, q := range w.report().Queues {
		if q.Device == device {
			return q.Directions[0].State, q.Directions[1].State
		}
	}
	return "", ""
}

// is fails the test unless the states are these.
func (w *world) is(device, up, down string) {
	w.t.Helper()
	if gotUp, gotDown := w.states(device); gotUp != up || gotDown != down {
		w.t.Errorf("%s is %s up and %s down, want %s and %s\nlog:\n%s", device, gotUp, gotDown, up, down, w.log.String())
	}
}

// logged fails the test unless the log has a line with all the words.
func (w *world) logged(words ...string) {
	w.t.Helper()
	for _, line := range strings.Split(w.log.String(), "\n") {
		found := true
		for _, word := range words {
			found = found && strings.Contains(line, word)
		}
		if found {
			return
		}
	}
	w.t.Errorf("no line of the log has %q:\n%s", words, w.log.String())
}

// ask sends a request.
func (w *world) ask(method, arguments string) (any, error) {
	return w.c.request(w.now, method, []byte(arguments))
}

// index is a device's ifindex.
func (w *world) index(device string) int {
	w.t.Helper()
	links, err := w.k.Links()
	w.must(err)
	for _, l := range links {
		if l.Name == device {
			return l.Index
		}
	}
	w.t.Fatalf("no device %s", device)
	return 0
}

// cakeHandle is the handle of the cake on eth1.
func cakeHandle(w *world) tc.Handle {
	w.t.Helper()
	qdiscs, err := w.k.Qdiscs()
	w.must(err)
	for _, q := range qdiscs {
		if q.Ifindex == w.index("eth1") && q.Parent == tc.Root {
			return q.Handle
		}
	}
	return 0
}

// changeOf is a change of a qdisc in place.
func changeOf(t testing.TB, q tc.Qdisc) tc.Request {
	t.Helper()
	r, err := tc.QdiscRequest(tc.Change, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
