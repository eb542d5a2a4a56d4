// SPDX-License-Identifier: GPL-2.0-or-later

package settings

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const before = `# kept until something is committed
config queue 'wan'
	option enabled '1'
	option note 'it''s'
	list hosts 'a b'
	list hosts 'c'

config queue
	option enabled '0'
`

func newStore(t *testing.T) Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sqm"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	return Store{Dir: dir, Changes: filepath.Join(dir, "changes")}
}

func (s Store) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "sqm"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGet(t *testing.T) {
	s := newStore(t)
	tests := map[string]struct {
		path, want string
		err        error
	}{
		"option":        {"sqm.wan.enabled", "1", nil},
		"section":       {"sqm.wan", "queue", nil},
		"list":          {"sqm.wan.hosts", "a b c", nil},
		"first":         {"sqm.@queue[0].enabled", "1", nil},
		"last":          {"sqm.@queue[-1].enabled", "0", nil},
		"no option":     {"sqm.wan.none", "", ErrNotFound},
		"no section":    {"sqm.lan.enabled", "", ErrNotFound},
		"no such index": {"sqm.@queue[2].enabled", "", ErrNotFound},
		"no config":     {"firewall.wan", "", ErrNotFound},
	}
	for name, test := range tests {
		p, err := ParsePath(test.path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(p); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, path := range []string{"", "sqm..enabled", "../sqm"} {
		if _, err := ParsePath(path); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: error %v", path, err)
		}
	}
}

// TestCommit changes much, and looks at the file before and after it is committed.
func TestCommit(t *testing.T) {
	s := newStore(t)
	if err := s.Commit(""); err != nil || s.text(t) != before {
		t.Errorf("a commit of nothing: %v\n%s", err, s.text(t))
	}
	for _, c := range []struct{ do, section, option, value string }{
		{"set", "wan", "enabled", "0"},
		{"set", "@queue[1]", "interface", "eth1"},
		{"delete", "wan", "note", ""},
		{"add_list", "wan", "hosts", "d"},
		{"del_list", "wan", "hosts", "c"},
		{"set", "lan", "", "queue"},
		{"set", "lan", "enabled", ""},
	} {
		if err := s.Change(c.do, Path{"sqm", c.section, c.option}, c.value); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
	if name, err := s.Add("sqm", "class"); err != nil || name == "" {
		t.Errorf("add: %q, %v", name, err)
	}
	if s.text(t) != before {
		t.Error("the file changed before the commit")
	}
	if got, _ := s.Get(Path{"sqm", "wan", "enabled"}); got != "0" {
		t.Errorf("what waits is not seen: %q", got)
	}
	if err := s.Commit(""); err != nil {
		t.Fatal(err)
	}
	const want = `
config queue 'wan'
	option enabled '0'
	list hosts 'a b'
	list hosts 'd'

config queue
	option enabled '0'
	option interface 'eth1'

config queue 'lan'

config class

`
	if diff := cmp.Diff(want, s.text(t)); diff != "" {
		t.Error(diff)
	}
	if pending, err := s.Pending("sqm"); err != nil || pending != "" {
		t.Errorf("still waits: %q, %v", pending, err)
	}
}

func TestErrors(t *testing.T) {
	s := newStore(t)
	for _, c := range []struct {
		do   string
		path Path
		want error
	}{
		{"delete", Path{"sqm", "lan", ""}, ErrNotFound},
		{"delete", Path{"sqm", "wan", "none"}, ErrNotFound},
		{"set", Path{"sqm", "lan", "enabled"}, ErrNotFound},
		{"set", Path{"sqm", "@queue[7]", ""}, ErrNotFound},
		{"set", Path{"sqm", "", ""}, ErrInvalid},
		{"set", Path{"none", "wan", "enabled"}, ErrNotFound},
	} {
		if err := s.Change(c.do, c.path, "1"); !errors.Is(err, c.want) {
			t.Errorf("%v: error %v", c, err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "bad"), []byte("config 'open\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("bad"); err == nil {
		t.Error("a damaged file was read")
	}
}

func TestShowAndPending(t *testing.T) {
	s := newStore(t)
	if err := s.Change("set", Path{"sqm", "wan", "enabled"}, "0"); err != nil {
		t.Fatal(err)
	}
	got, err := s.Show(Path{Config: "sqm"}, false)
	const want = `sqm.wan=queue
sqm.wan.enabled='0'
sqm.wan.note='its'
sqm.wan.hosts='a b' 'c'
sqm.@queue[1]=queue
sqm.@queue[1].enabled='0'
`
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := s.Pending("sqm"); err != nil || got != "sqm.wan.enabled='0'\n" {
		t.Errorf("changes %q, %v", got, err)
	}
	if err := s.Revert("sqm"); err != nil {
		t.Error(err)
	}
	if got, _ := s.Get(Path{"sqm", "wan", "enabled"}); got != "1" {
		t.Errorf("after a revert: %q", got)
	}
}

// TestVariables has a shell read them.
func TestVariables(t *testing.T) {
	text, err := newStore(t).Variables("sqm")
	if err != nil {
		t.Fatal(err)
	}
	script := text + `set -- $CONFIG_SECTIONS; echo "$1 $CONFIG_wan_TYPE $CONFIG_wan_hosts $CONFIG_wan_hosts_LENGTH $CONFIG_wan_hosts_ITEM1 $#"`
	out, err := exec.Command("sh", "-ec", script).Output()
	if err != nil || string(out) != "wan queue a b c 2 a b 2\n" {
		t.Errorf("%v: %q", err, out)
	}
}

func TestOrder(t *testing.T) {
	s := newStore(t)
	name, err := s.Add("sqm", "queue")
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := s.Waiting("sqm")
	if diff := cmp.Diff([]Change{{Do: "add", Section: name, Value: "queue"}}, waiting); diff != "" || err != nil {
		t.Fatalf("%v, waiting (-want +got):\n%s", err, diff)
	}
	if err := s.Order("sqm", []string{name, "wan"}); err != nil {
		t.Fatal(err)
	}
	f, err := s.Load("sqm")
	if err != nil {
		t.Fatal(err)
	}
	if f.Sections[0].Name != name || f.Sections[1].Name != "wan" || len(f.Sections) != 3 {
		t.Errorf("the sections are %v, %v and %d more", f.Sections[0], f.Sections[1], len(f.Sections)-2)
	}
	if err := s.Order("sqm", []string{"none"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a section that is not there: %v", err)
	}
}
