// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/ubus"
	"sqmd/uci"
)

// preview asks for a preview of a text of /etc/config/sqm.
func (w *world) preview(config string) PreviewReport {
	w.t.Helper()
	p, err := w.c.preview(Arguments{Config: config})
	w.must(err)
	return p
}

// snapshot is all that a request without side effects must leave alone.
func (w *world) snapshot() string {
	w.t.Helper()
	all := w.log.String() + fmt.Sprint(w.c.networks, w.c.config, w.c.order, w.c.due, w.c.networks.refresh)
	for _, device := range []string{"eth1", "eth2"} {
		up, down := w.k.Shapes(device)
		all += fmt.Sprint(device, up, down)
	}
	w.must(filepath.WalkDir(w.dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			text, readErr := os.ReadFile(path)
			all, err = all+path+string(text), readErr
		}
		return err
	}))
	return all
}

func TestPreview(t *testing.T) {
	wan := section("wan", "eth1", someQueue)
	w := newWorld(t, wan).start()
	w.addDevice("eth2", "device")
	w.pass(2 * time.Second)
	before := w.snapshot()
	for name, c := range map[string]struct {
		config string
		usable bool
		// queues are the devices, and whether they exist; lines are found in what
		// would be done.
		queues map[string]bool
		lines  []string
		quiet  bool // nothing would be done
	}{
		"as it is":        {wan, true, map[string]bool{"eth1": true}, nil, true},
		"another rate":    {section("wan", "eth1", "upload 9000\tdownload 85000\tqdisc cake\tscript piece_of_cake.qos"), true, map[string]bool{"eth1": true}, []string{"tc qdisc change dev eth1", "9Mbit"}, false},
		"nothing":         {"", true, map[string]bool{"eth1": true}, []string{"tc qdisc delete dev eth1 root", "ip link delete"}, false},
		"switched off":    {strings.Replace(wan, "enabled '1'", "enabled '0'", 1), true, map[string]bool{"eth1": true}, []string{"tc qdisc delete dev eth1 root"}, false},
		"another device":  {wan + section("two", "eth2", someHTB), true, map[string]bool{"eth1": true, "eth2": true}, []string{"tc qdisc add dev eth2", "htb", "fq_codel"}, false},
		"no such device":  {wan + section("two", "eth9", someQueue), true, map[string]bool{"eth1": true, "eth9": false}, nil, true},
		"a bad rate":      {section("wan", "eth1", "upload fast\tdownload 85000\tscript simple.qos"), false, map[string]bool{"eth1": true}, nil, true},
		"words of tc":     {section("wan", "eth1", someQueue+"\teqdisc_opts nonsense"), false, map[string]bool{"eth1": true}, nil, true},
		"twice":           {wan + section("again", "eth1", someQueue), false, map[string]bool{"eth1": true}, nil, true},
		"a damaged file":  {"config queue 'wan\n", false, map[string]bool{"eth1": true}, nil, true},
		"not a text":      {"\xff\xfe\x00", true, map[string]bool{"eth1": true}, nil, true},
		"@wan, not known": {section("wan", "@wan", someQueue), false, nil, nil, true},
	} {
		p := w.preview(c.config)
		got := map[string]bool{}
		var lines []string
		for _, q := range p.Queues {
			got[q.Device] = q.Present
			lines = append(lines, q.Lines...)
			if q.Present && q.Queue == "" {
				t.Errorf("%s: %+v", name, q)
			}
		}
		if p.Usable != c.usable {
			t.Errorf("%s: usable %v: %+v", name, p.Usable, p.Findings)
		}
		if c.queues != nil && !cmp.Equal(c.queues, got) {
			t.Errorf("%s: queues %v, want %v", name, got, c.queues)
		}
		for _, want := range c.lines {
			if !strings.Contains(strings.Join(lines, "\n"), want) {
				t.Errorf("%s: no %q in\n%s", name, want, strings.Join(lines, "\n"))
			}
		}
		if quiet := !slices.ContainsFunc(p.Queues, func(q QueuePreview) bool { return q.Present && len(q.Lines) > 0 }); quiet != c.quiet {
			t.Errorf("%s: lines %q", name, lines)
		}
		if !c.usable && !slices.ContainsFunc(p.Findings, func(f PreviewFinding) bool { return f.Severity == "error" && f.Message != "" && f.File == "sqm" }) {
			t.Errorf("%s: no error among %+v", name, p.Findings)
		}
	}
	if after := w.snapshot(); after != before {
		t.Errorf("a preview left something behind (-before +after):\n%s", cmp.Diff(before, after))
	}
	w.shapes("eth1", upBits, downBits)
}

// What is said of a candidate is what sqmd check says of a file with that text.
func TestPreviewIsCheck(t *testing.T) {
	paths, err := filepath.Glob("../uci/testdata/*.uci")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, "").start()
		const other = "config sqmd main\n\toption enabled maybe\n"
		p, err := w.c.preview(Arguments{Config: string(text), SQMD: other})
		w.must(err)
		w.write(string(text))
		w.must(os.WriteFile(filepath.Join(w.dir, "sqmd"), []byte(other), 0o600))
		want, err := Check(filepath.Join(w.dir, "sqm"), filepath.Join(w.dir, "sqmd"))
		w.must(err)
		said := map[PreviewFinding]bool{}
		for _, f := range p.Findings {
			said[f] = true
		}
		wrong := false
		for _, f := range want {
			message := f.Problem
			if f.Accepted != "" {
				message += "; accepted: " + f.Accepted
			}
			wrong = wrong || f.Severity >= uci.Error
			if !said[PreviewFinding{f.Severity.String(), filepath.Base(f.File), f.Section, f.Option, message}] {
				t.Errorf("%s: check says %v, preview does not", path, f)
			}
		}
		if wrong && p.Usable {
			t.Errorf("%s: usable, in spite of errors", path)
		}
	}
}

// A network that only netifd's list knows is previewed on its device.
func TestPreviewKnowsListedNetworks(t *testing.T) {
	w := newWorld(t, "").start()
	config := section("wan", "@wan", someQueue)
	w.c.resolved(w.now, answer{all: []ubus.Network{{Name: "wan", Device: "eth1"}, {Name: "down"}}})
	if p := w.preview(config); !p.Usable || len(p.Queues) != 1 || p.Queues[0].Device != "eth1" || len(p.Queues[0].Lines) == 0 {
		t.Errorf("%+v", p)
	}
	for network, word := range map[string]string{"down": "down", "wann": "no such network"} {
		p := w.preview(strings.Replace(config, "@wan", "@"+network, 1))
		if !p.Usable || len(p.Queues) != 0 || len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Message, word) {
			t.Errorf("%s: %+v", network, p)
		}
	}
}

// A text as large as it may be, with as many mistakes as fit, costs a bounded
// answer, and not much time.
func TestPreviewIsBounded(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	const queue, lots = "config queue q%d\noption enabled 1\noption interface %s%d\noption download 1000\noption upload 1000\n", 1 << 30
	for i := range maxPreviewQueues {
		w.addDevice(fmt.Sprintf("e%d", i), "device")
	}
	w.pass(time.Second)
	for name, c := range map[string]struct {
		line   string
		number int
	}{
		"queues":    {queue + "option script simple.qos\n", maxPreviewQueues},
		"words":     {queue + "option script piece_of_cake.qos\noption iqdisc_opts 'x y'\n", maxPreviewQueues},
		"options":   {"config queue q%d\n" + strings.Repeat("option unknown%[3]d 1\n", 40), maxPreviewQueues},
		"sections":  {"config q%d %s%d\n", lots},
		"nonsense":  {"nonsense %d %s%d\n", lots},
		"one place": {"config queue q%d\noption enabled 1\noption interface eth1\noption download 1\noption upload 1\noption script simple.qos\n#%s%d\n", maxPreviewQueues},
	} {
		var text strings.Builder
		for i := 0; i < c.number && text.Len() < maxPreviewText-200; i++ {
			fmt.Fprintf(&text, c.line, i, "e", i)
		}
		start := time.Now()
		p := w.preview(text.String())
		t.Logf("%s: %v, %d bytes", name, time.Since(start), len(jsonOf(t, p)))
		if len(p.Findings) > maxPreviewFindings || len(p.Queues) > maxPreviewQueues {
			t.Errorf("%s: %d findings, %d queues", name, len(p.Findings), len(p.Queues))
		}
		if _, err := ubus.TableOf(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.c.preview(Arguments{Config: strings.Repeat("config queue\n", maxPreviewQueues+1)}); !errors.Is(err, ubus.StatusInvalidArgument) {
		t.Errorf("of more queues: %v", err)
	}
}

// Whatever the texts are, there is an answer that ubus carries, and nothing is
// changed.
func FuzzPreview(f *testing.F) {
	paths, err := filepath.Glob("../uci/testdata/*.uci")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no test data: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "config sqmd main\n\toption enabled 2\n")
	}
	f.Add(section("wan", "eth1", someQueue+"\tiqdisc_opts rtt\x0010ms"), "\x00")
	f.Add(section("wan", "@lan", "upload 1\tdownload 1\tscript simple.qos\tqdisc fq_codel\teqdisc_opts flows 1"), "config queue x")
	w := newWorld(f, section("wan", "eth1", someQueue)).start()
	w.pass(2 * time.Second)
	f.Fuzz(func(t *testing.T, config, other string) {
		if max(len(config), len(other)) > maxPreviewText {
			return
		}
		p, err := w.c.preview(Arguments{Config: config, SQMD: other})
		if errors.Is(err, ubus.StatusInvalidArgument) && strings.Count(config, "config") > maxPreviewQueues {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		table, err := ubus.TableOf(p)
		if err != nil {
			t.Fatal(err)
		}
		carried(t, table)
		if p.Usable == slices.ContainsFunc(p.Findings, func(f PreviewFinding) bool { return f.Severity == "error" }) {
			t.Errorf("usable %v with %+v", p.Usable, p.Findings)
		}
		if up, down := w.k.Shapes("eth1"); up != upBits || down != downBits {
			t.Errorf("eth1 is now shaped to %d and %d", up, down)
		}
	})
}

// carried fails the test if a string has a NUL, which ubus cannot carry.
func carried(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			t.Errorf("%q has a NUL", v)
		}
	case []any:
		for _, e := range v {
			carried(t, e)
		}
	case ubus.Table:
		for name, e := range v {
			carried(t, name)
			carried(t, e)
		}
	}
}
