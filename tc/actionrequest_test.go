// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// readActionTable gives the attributes of each slot of a request.
func readActionTable(t *testing.T, r Request) []Action {
	t.Helper()
	var table Actions
	err := decoder{binary.NativeEndian, r.body[tcamsgSize:]}.each(func(typ uint16, v value) {
		if typ == tcaActTab {
			table = decodeActions(v.nested())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestActionRequest(t *testing.T) {
	list, err := ParseActionWords(strings.Fields("action drop index 7 cookie a1b2 action ctinfo dscp 0xfc000000 0x1000000 index 8"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ActionRequest(Add, list)
	if err != nil {
		t.Fatal(err)
	}
	if r.typ != unix.RTM_NEWACTION || r.flags != unix.NLM_F_CREATE|unix.NLM_F_EXCL {
		t.Errorf("message type %d with flags %#x", r.typ, r.flags)
	}
	want := []Action{
		{Options: &Gact{Control: ControlShot.Ptr()}, Index: 7, Cookie: []byte{0xa1, 0xb2}},
		{Options: &CtInfo{DSCPMask: 0xfc000000, DSCPStateMask: 0x1000000, Control: ControlPipe.Ptr()}, Index: 8},
	}
	if diff := cmp.Diff(want, readActionTable(t, r)); diff != "" {
		t.Error(diff)
	}
}

func TestActionDelete(t *testing.T) {
	r := ActionDelete(ActionID{"gact", 1}, ActionID{"csum", 9})
	if r.typ != unix.RTM_DELACTION || r.flags != 0 {
		t.Errorf("message type %d with flags %#x", r.typ, r.flags)
	}
	want := []Action{{Options: &Raw{kind: "gact"}, Index: 1}, {Options: &Raw{kind: "csum"}, Index: 9}}
	if diff := cmp.Diff(want, readActionTable(t, r), cmp.AllowUnexported(Raw{})); diff != "" {
		t.Error(diff)
	}
}

func TestActionFlush(t *testing.T) {
	r := ActionFlush("gact")
	if r.typ != unix.RTM_DELACTION || r.flags != unix.NLM_F_ROOT {
		t.Errorf("message type %d with flags %#x", r.typ, r.flags)
	}
	want := []Action{{Options: &Raw{kind: "gact"}}}
	if diff := cmp.Diff(want, readActionTable(t, r), cmp.AllowUnexported(Raw{})); diff != "" {
		t.Error(diff)
	}
}

func TestParseActionWords(t *testing.T) {
	names := devices{"lo": 7}
	for line, want := range map[string]Action{
		"action mirred egress mirror index 5 dev lo": {Options: &Mirred{Mirror: true, Ifindex: 7}, Index: 5},
		"action mirred ingress redirect dev lo pipe index 5": {
			Options: &Mirred{Ingress: true, Ifindex: 7, Control: ControlPipe.Ptr()}, Index: 5},
		"action mirred index 5":             {Options: &Mirred{}, Index: 5},
		"action skbedit prio 99":            {Options: &Skbedit{Priority: ref[Handle](0x99)}},
		"action csum ip and icmp index 123": {Options: &Csum{Update: CsumIPv4 | CsumICMP}, Index: 123},
	} {
		got, err := ParseActionWords(strings.Fields(line), names)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if diff := cmp.Diff(Actions{want}, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestParseActionWordsRefuses(t *testing.T) {
	for line, part := range map[string]string{
		"":                         "no action",
		"drop":                     `no option "drop"`,
		"action":                   `needs a kind`,
		"action police rate 1mbit": `unknown action "police"`,
		"action drop at once":      `no option "at"`,
	} {
		_, err := ParseActionWords(strings.Fields(line), nil)
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: error %v, want one with %q", line, err, part)
		}
	}
}
