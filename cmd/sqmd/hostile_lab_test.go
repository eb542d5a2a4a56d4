// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"sqmd/ifb"
	"sqmd/shaping"
	"sqmd/tc"
	"sqmd/uci"
)

// realConfigs are the configurations of the conformance cases: real ones and
// hostile ones.
func realConfigs(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../lab/conformance/oracle/*/sqm.uci")
	if err != nil || len(paths) < 80 {
		t.Fatalf("%d configurations found, %v", len(paths), err)
	}
	var texts []string
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// mutate changes a configuration in a few places: bytes, lines, and values that
// look right and are not.
func mutate(random *rand.Rand, text string, others []string) string {
	hostile := []string{"'", "\"", "\\", "\n", "$(touch /tmp/executed)", "; touch /tmp/executed", "`touch /tmp/executed`", "-1", "0", "99999999999999999999", "\x00", "../", "é", "0x10", "1e9", " "}
	lines := strings.Split(text, "\n")
	for range 1 + random.Intn(4) {
		at := random.Intn(len(lines))
		switch random.Intn(6) {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			lines = slices.Insert(lines, at, lines[random.Intn(len(lines))])
		case 2:
			other := strings.Split(others[random.Intn(len(others))], "\n")
			lines = slices.Insert(lines, at, other[random.Intn(len(other))])
		default:
			line, word := lines[at], hostile[random.Intn(len(hostile))]
			cut := random.Intn(len(line) + 1)
			lines[at] = line[:cut] + word + line[min(len(line), cut+random.Intn(3)):]
		}
		if len(lines) == 0 {
			lines = []string{""}
		}
	}
	return strings.Join(lines, "\n")
}

// A thousand damaged configurations: nothing is executed, nothing panics, and
// what is reported as shaped is shaped.
func TestDamagedConfigurations(t *testing.T) {
	b := newBox(t)
	configs := realConfigs(t)
	b.addDevices(configs)
	random := rand.New(rand.NewSource(1))
	shaped := 0
	for range 1000 {
		text := mutate(random, configs[random.Intn(len(configs))], configs)
		path := b.config(text)
		r := b.sqmd(0, "apply", "-c", path)
		if r.code != 0 && r.stderr == "" {
			t.Errorf("exit %d and not a word, with\n%s", r.code, text)
		}
		shaped += b.judgeClaims(path, text, r.code)
		if r := b.sqmd(0, "stop"); r.code != 0 {
			t.Fatalf("stop: exit %d, %s, after\n%s", r.code, r.stderr, text)
		}
	}
	if shaped < 500 {
		t.Errorf("only %d directions were shaped: the damage is too heavy to be a test", shaped)
	}
	for _, pattern := range []string{"/tmp/executed*", "/tmp/oracle-pwned*"} {
		if made, _ := filepath.Glob(pattern); len(made) > 0 {
			t.Errorf("an option value was executed: %q", made)
		}
	}
}

// addDevices makes a device for every interface that the configurations name.
func (b *box) addDevices(configs []string) {
	b.t.Helper()
	for _, text := range configs {
		for _, q := range uci.ParseSQM("sqm", []byte(text)).Queues {
			if _, err := netlink.LinkByName(q.Interface); err == nil || q.Interface == "" || q.Interface == "eth9" {
				continue
			}
			b.must(netlink.LinkAdd(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Name: q.Interface, TxQLen: 1000}}))
		}
	}
}

// judgeClaims compares what status and the exit code claim with the kernel, and
// counts the directions that are shaped.
func (b *box) judgeClaims(path, text string, code int) (shaped int) {
	b.t.Helper()
	var status struct {
		Queues []shaping.Status `json:"queues"`
	}
	r := b.sqmd(0, "status", "--json", "-c", path)
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		b.t.Fatalf("status: %v: %s", err, r.stdout)
	}
	really := b.reallyShaped()
	for _, q := range status.Queues {
		for _, d := range q.Directions {
			if d.State == shaping.Shaped && !really[q.Device+" "+d.Direction] {
				b.t.Errorf("%s %s is said to be shaped and is not, with\n%s", q.Device, d.Direction, text)
			}
			if d.State == shaping.Shaped {
				shaped++
			}
		}
	}
	if code != 0 {
		return shaped
	}
	for _, q := range uci.ParseSQM(path, []byte(text)).Queues {
		if q.Enabled && (q.Upload > 0 && !really[q.Interface+" upload"] || q.Download > 0 && !really[q.Interface+" download"]) {
			b.t.Errorf("exit 0, and queue %s is not shaped, with\n%s", q.Section, text)
		}
	}
	return shaped
}

// reallyShaped looks at the kernel with nothing but dumps: a device's upload is
// shaped by a shaper at its root, its download by one at the root of an IFB that
// is up and that its arriving packets are redirected to.
func (b *box) reallyShaped() map[string]bool {
	b.t.Helper()
	k, err := shaping.OpenKernel()
	b.must(err)
	defer k.Close()
	links, err := k.Links()
	b.must(err)
	qdiscs, err := k.Qdiscs()
	b.must(err)
	shapers := map[int]bool{}
	hooks := map[int]bool{}
	for _, q := range qdiscs {
		isShaper := q.Kind == "cake" || q.Kind == "htb" || q.Kind == "tbf"
		shapers[q.Ifindex] = shapers[q.Ifindex] || q.Parent == tc.Root && isShaper
		hooks[q.Ifindex] = hooks[q.Ifindex] || q.Parent == tc.IngressParent
	}
	up := map[int]bool{}
	for _, l := range links {
		up[l.Index] = l.Up
	}
	really := map[string]bool{}
	for _, l := range links {
		really[l.Name+" upload"] = shapers[l.Index]
		if hooks[l.Index] {
			really[l.Name+" download"] = b.redirected(k, l, func(to int) bool { return shapers[to] && up[to] })
		}
	}
	return really
}

func (b *box) redirected(k *shaping.Live, l ifb.Link, shaped func(ifindex int) bool) bool {
	b.t.Helper()
	filters, err := k.Filters(l.Index, tc.IngressHook)
	b.must(err)
	for _, f := range filters {
		if o, ok := f.Options.(*tc.Matchall); ok {
			if to, ok := o.Actions.RedirectsTo(); ok && shaped(to) {
				return true
			}
		}
	}
	return false
}
