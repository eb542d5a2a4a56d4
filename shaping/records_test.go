// SPDX-License-Identifier: GPL-2.0-or-later

package shaping

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestStopMarks(t *testing.T) {
	r := Records{Dir: filepath.Join(t.TempDir(), "state")}
	check := func(when string, eth0, eth1 bool) {
		t.Helper()
		if r.Stopped("eth0") != eth0 || r.Stopped("eth1") != eth1 {
			t.Errorf("%s: eth0 stopped %v, eth1 %v; want %v, %v", when, r.Stopped("eth0"), r.Stopped("eth1"), eth0, eth1)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check("at first", false, false)
	must(r.ClearStopped("", nil))
	must(r.SetStopped("eth0"))
	check("one stopped", true, false)
	must(r.ClearStopped("eth0", nil))
	must(r.SetStopped(""))
	check("all stopped", true, true)
	must(r.ClearStopped("eth1", []string{"eth0", "eth1"}))
	check("one applied", true, false)
	must(r.ClearStopped("", nil))
	check("all applied", false, false)
}

func TestTryLock(t *testing.T) {
	r := Records{Dir: filepath.Join(t.TempDir(), "state")}
	unlock, err := r.TryLock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.TryLock(); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v, want %v", err, ErrLocked)
	}
	unlock()
	if unlock, err = r.TryLock(); err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	unlock()
}
