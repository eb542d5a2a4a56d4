// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpectationFiles(t *testing.T) {
	names, err := expectationNames()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("there are no expectation files")
	}
	for _, name := range names {
		text, err := expectFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := parseExpectation(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sum, err := hex.DecodeString(e.ConfigHash); err != nil || len(sum) != 32 {
			t.Errorf("%s: sqm_uci_sha256 is %q", name, e.ConfigHash)
		}
		if len(e.Why) == 0 {
			t.Errorf("%s: no reason", name)
		}
		for id, right := range e.Why {
			if right == "" || id != strings.ToUpper(id) {
				t.Errorf("%s: reason for %q is %q", name, id, right)
			}
		}
	}
}

func TestParseExpectationRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"other start":      `{"start":"maybe"}`,
		"unknown field":    `{"start":"shaped","stop":"x"}`,
		"misspelt word":    `{"start":"shaped","after_start":{"eth1":"like before"}}`,
		"number":           `{"start":"shaped","after_start":{"eth1":1}}`,
		"no JSON":          `{`,
		"something behind": `{"start":"shaped"} {}`,
	} {
		if e, err := parseExpectation([]byte(text)); err == nil {
			t.Errorf("%s: got %v, want an error", name, e)
		}
	}
}

func FuzzParseExpectation(f *testing.F) {
	f.Add([]byte(`{"sqm_uci_sha256":"","why":{"X":"y"},"start":"shaped","after_start":{"eth1":"as before","ifb0":null,"eth2":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := parseExpectation(text)
		if err != nil {
			return
		}
		for name, value := range e.AfterStart {
			if _, isObject := value.(node); !isObject && value != nil && value != AsBefore {
				t.Errorf("%s is %v", name, value)
			}
		}
	})
}

// An expectation is for one content: a case of its name with another configuration is on its own.
func TestExpectationIsBoundToContent(t *testing.T) {
	names, err := expectationNames()
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(strings.TrimPrefix(names[0], "expect/"), ".json")
	e, err := (&Case{Name: name, Config: []byte("config queue\n")}).expectation()
	if e != nil || err != nil {
		t.Errorf("got %v, %v, want none", e, err)
	}
}

func TestTargetWithExpectation(t *testing.T) {
	c := loadTestCase(t, "washed")
	target, err := c.target(&Expectation{
		Start: startRefused,
		AfterStart: node{
			"eth1":     AsBefore,
			"ifb4eth1": nil,
			"eth2":     decode(t, `{"qdiscs":{"root":{"options":{"nat":false}}}}`),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Target{Refused: true, AfterStart: decodeTree(t, `{
		"eth1": "as before",
		"eth2": {"kind":"veth","mtu":1500,"up":true,"classes":{},"qdiscs":{"root":{"kind":"cake","handle":"auto",
			"options":{"bandwidth":1125000,"diffserv":"besteffort","nat":false,"wash":false,"overhead":0,"raw":true}}}}}`)}
	if diff := cmp.Diff(want, target); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseNotes(t *testing.T) {
	got := parseNotes("title\n\nBUG A-B: text: more\nNOTE C: other\nBUGS no: thing\nBUG without colon\nNo bug seen: x\n")
	want := []Note{{true, "A-B", "text: more"}, {false, "C", "other"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRecordStands(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   true,
		"NOTE BAD-RATE: x":                   true,
		"BUG STOP-ERROR: x":                  true,
		"BUG STOP-ERROR: x\nBUG IDLE-IFB: x": true,
		"BUG STOP-ERROR: x\nBUG BAD-RATE: x": false,
	} {
		c := &Case{Notes: parseNotes(text)}
		if got := c.recordStands(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestFindCases(t *testing.T) {
	got, err := FindCases("testdata/cases")
	if err != nil || !slices.Equal(got, []string{"odd", "tiers", "washed"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := FindCases("testdata"); err == nil {
		t.Errorf("a directory without cases: got %v, want an error", got)
	}
}
