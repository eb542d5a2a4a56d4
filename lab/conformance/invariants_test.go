// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"slices"
	"strings"
	"testing"
)

// oddObservation is a good answer to the case "odd": eth1, whose rate is none, is refused, eth2 runs.
func oddObservation(t *testing.T, c *Case) (*Observation, states) {
	t.Helper()
	target, o, s := perfect(t, c)
	s.afterStart = target.AfterStart
	s.afterStart["eth1"] = s.before.clone()["eth1"]
	o.Start = Exit{Code: 1, Stderr: "eth1 refused\n"}
	return o, s
}

func TestInvariants(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(o *Observation, s *states)
		want  string // in one of the differences; none if empty
	}{
		{"good", func(*Observation, *states) {}, ""},
		{"all refused", func(_ *Observation, s *states) { s.afterStart = s.before.clone() }, ""},
		{"success claimed", func(o *Observation, _ *states) { o.Start.Code = 0 },
			`exit status 0, but eth1 egress is not shaped`},
		{"no message", func(o *Observation, _ *states) { o.Start.Stderr = "" }, "no error message"},
		{"half done", func(_ *Observation, s *states) {
			at(s.afterStart, "eth1", "qdiscs")["root"] = at(s.afterStart, "ifb4eth2", "qdiscs", "root")
		},
			"eth1 is not as it was: qdiscs root: cake, want noqueue"},
		{"another rate", func(_ *Observation, s *states) {
			at(s.afterStart, "ifb4eth2", "qdiscs", "root", "options")["bandwidth"] = 1.0
		},
			"eth2 ingress is shaped at 0 kbit/s, want 9000"},
		{"no shaper behind the redirect", func(_ *Observation, s *states) {
			at(s.afterStart, "ifb4eth2", "qdiscs")["root"] = node{"kind": "pfifo_fast"}
		}, "eth2 ingress is not shaped"},
		{"down", func(_ *Observation, s *states) { at(s.afterStart, "ifb4eth2")["up"] = false }, "eth2 ingress goes to ifb4eth2, which is down"},
		{"packets lost", func(o *Observation, _ *states) { o.Probes[1].Effects[0].Arrived = false }, "127 of 128 packets arrived"},
		{"idle ifb", func(_ *Observation, s *states) { s.afterStart["ifb4eth1"] = node{"kind": "ifb"} }, "ifb4eth1: nothing is redirected to it"},
		{"disabled queue", func(_ *Observation, s *states) {
			at(s.afterStart, "eth3", "qdiscs")["root"] = node{"kind": "cake"}
		}, "eth3 is in no enabled queue but changed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := loadTestCase(t, "odd")
			o, s := oddObservation(t, c)
			test.spoil(o, &s)
			differences, err := c.invariants(o, s)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" && len(differences) > 0 || test.want != "" &&
				!slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, test.want) }) {
				t.Errorf("got %q, want %q", differences, test.want)
			}
		})
	}
}

func TestInvariantsCheckTheReading(t *testing.T) {
	c := loadTestCase(t, "odd")
	o, s := oddObservation(t, c)
	c.Record.Interfaces = []string{"eth1"}
	if differences, err := c.invariants(o, s); err == nil {
		t.Errorf("got %q, want an error about the interfaces", differences)
	}
}

// A failure that has no reason is a fault too.
func TestInvariantsSpuriousFailure(t *testing.T) {
	c := loadTestCase(t, "odd")
	o, s := oddObservation(t, c)
	c.Config = []byte(strings.ReplaceAll(string(c.Config), "'20Mbit'", "'0'"))
	c.Config = []byte(strings.ReplaceAll(string(c.Config), "'2000'", "'0'"))
	differences, err := c.invariants(o, s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"sqmd apply: exit status 1, although all queues are shaped as asked"}
	if !slices.Equal(differences, want) {
		t.Errorf("got %q, want %q", differences, want)
	}
}

func TestRateOf(t *testing.T) {
	for text, want := range map[string]uint64{
		`{"qdiscs":{"root":{"kind":"cake","options":{"bandwidth":2500000}}}}`:      20000,
		`{"qdiscs":{"root":{"kind":"tbf","options":{"rate":16000}}}}`:              128,
		`{"qdiscs":{"root":{"kind":"htb"}},"classes":{"1:1":{"ceil":"1984Kbit"}}}`: 1984,
		`{"qdiscs":{"root":{"kind":"htb"}},"classes":{"1:1":{"ceil":"20Mbit"}}}`:   20000,
		`{"qdiscs":{"root":{"kind":"htb"}},"classes":{"1:1":{"ceil":"2Gbit"}}}`:    2000000,
		`{"qdiscs":{"root":{"kind":"htb"}},"classes":{}}`:                          0,
		`{"qdiscs":{"root":{"kind":"noqueue"}}}`:                                   0,
	} {
		if got := rateOf(Tree{"eth1": decode(t, text)}, "eth1"); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestSwitchedOn(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "01": true, "on": true, "true": true, "yes": true, "enabled": true,
		"": false, "0": false, "2": false, "off": false, "True": false, "1 ": false,
	} {
		if got := switchedOn(text); got != want {
			t.Errorf("switchedOn(%q) = %v, want %v", text, got, want)
		}
	}
}
