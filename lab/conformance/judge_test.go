// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"slices"
	"strings"
	"testing"
)

// perfect is what sqmd does that meets the target of a case, on devices without any qdisc before.
func perfect(t *testing.T, c *Case) (Target, *Observation, states) {
	t.Helper()
	target, err := c.target(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := Tree{}
	for _, d := range c.Record.Env.Devices {
		before[d.Name] = decode(t, `{"kind":"veth","mtu":1500,"up":true,"classes":{},
			"qdiscs":{"root":{"kind":"noqueue","handle":"0:","options":{}}}}`)
	}
	o := &Observation{Case: c.Name}
	for _, path := range target.AfterStart.paths() {
		o.Probes = append(o.Probes, perfectProbe(t, c, target.AfterStart, path))
	}
	return target, o, states{before: before, afterStart: target.AfterStart.clone(), afterStop: before.clone()}
}

func perfectProbe(t *testing.T, c *Case, target Tree, path Path) Probe {
	t.Helper()
	ifb := target.redirect(path.Device)
	p := Probe{Path: path, Shaper: path.Device}
	if path.Direction == Ingress {
		p.Shaper = ifb
	}
	for _, packet := range probes(path.Direction) {
		e := Effect{Packet: packet, Arrived: true}
		fate := fateOf(t, c, path, ifb, packet)
		if !washes(target, p.Shaper) {
			e.ArrivedDSCP = fate.dscp
		}
		e.Class = fateOf(t, c, path, ifb, packet).class
		p.Effects = append(p.Effects, e)
	}
	p.Counted = uint64(len(p.Effects))
	return p
}

func fateOf(t *testing.T, c *Case, path Path, ifb string, packet Packet) fate {
	t.Helper()
	fate, err := c.Record.AfterStart.fateOf(path.Direction, path.Device, ifb, packet)
	if err != nil {
		t.Fatal(err)
	}
	return fate
}

func judgeAll(c *Case, target Target, o *Observation, s states) []string {
	return append(c.judgeTarget(target, o, s), judgeStop(o, s)...)
}

func TestPerfectPasses(t *testing.T) {
	for _, name := range []string{"tiers", "washed"} {
		c := loadTestCase(t, name)
		target, o, s := perfect(t, c)
		if differences := judgeAll(c, target, o, s); len(differences) > 0 {
			t.Errorf("%s: %q, want no difference", name, differences)
		}
	}
}

// at finds an object in a tree.
func at(t Tree, path ...string) node {
	object := node(t)
	for _, name := range path {
		object = object[name].(node)
	}
	return object
}

// Each of these is a fault that must not pass.
func TestJudgeSees(t *testing.T) {
	for _, test := range []struct {
		fault string
		spoil func(o *Observation, s *states)
		want  string // in one of the differences
	}{
		{"an option", func(_ *Observation, s *states) { at(s.afterStart, "eth1", "qdiscs", "1:11", "options")["ecn"] = false },
			`eth1 qdiscs 1:11 options ecn: false, want true`},
		{"a table", func(_ *Observation, s *states) { delete(at(s.afterStart, "eth1", "qdiscs", "root"), "stab") },
			`eth1 qdiscs root stab: missing`},
		{"a table's mpu", func(_ *Observation, s *states) { at(s.afterStart, "eth1", "qdiscs", "root", "stab")["mpu"] = 0.0 },
			`eth1 qdiscs root stab mpu: 0, want 64`},
		{"a handle", func(_ *Observation, s *states) { at(s.afterStart, "eth1", "qdiscs", "root")["handle"] = "2:" },
			`handle: "2:", want "1:"`},
		{"a class", func(_ *Observation, s *states) { delete(at(s.afterStart, "ifb4eth1", "classes"), "1:13") },
			`ifb4eth1 classes 1:13: missing, want htb`},
		{"a class's rate", func(_ *Observation, s *states) { at(s.afterStart, "ifb4eth1", "classes", "1:11")["rate"] = "1Mbit" },
			`ifb4eth1 classes 1:11 rate: "1Mbit", want "128Kbit"`},
		{"a leaf", func(_ *Observation, s *states) { delete(at(s.afterStart, "eth1", "qdiscs"), "1:12") },
			`eth1 qdiscs 1:12: missing, want fq_codel`},
		{"the hook", func(_ *Observation, s *states) { delete(at(s.afterStart, "eth1", "qdiscs"), "ffff:fff1") },
			`eth1 qdiscs ffff:fff1: missing, want ingress`},
		{"the redirect", func(_ *Observation, s *states) { delete(at(s.afterStart, "eth1"), "redirect") },
			`eth1 redirect: missing, want "ifb4eth1"`},
		{"the redirect's target", func(_ *Observation, s *states) { at(s.afterStart, "eth1")["redirect"] = "ifb0" },
			`eth1 redirect: "ifb0", want "ifb4eth1"`},
		{"an ifb that is down", func(_ *Observation, s *states) { at(s.afterStart, "ifb4eth1")["up"] = false },
			`ifb4eth1 up: false, want true`},
		{"an ifb's mark", func(_ *Observation, s *states) { at(s.afterStart, "ifb4eth1")["alias"] = "" },
			`ifb4eth1 alias: "", want "sqmd:eth1"`},
		{"an ifb's queue", func(_ *Observation, s *states) { at(s.afterStart, "ifb4eth1")["txqlen"] = 1000.0 },
			`ifb4eth1 txqlen: 1000, want 32`},
		{"an ifb's name", func(_ *Observation, s *states) {
			s.afterStart = s.afterStart.rename(map[string]string{"ifb4eth1": "ifb0"})
		},
			`ifb4eth1: missing, want ifb`},
		{"one ifb more", func(_ *Observation, s *states) { s.afterStart["ifb1"] = node{"kind": "ifb"} },
			`ifb1: ifb, want none`},
		{"an mtu", func(_ *Observation, s *states) { at(s.afterStart, "eth1")["mtu"] = 1492.0 },
			`eth1 mtu: 1492, want 1500`},

		{"a class for a DSCP", func(o *Observation, _ *states) { o.Probes[0].Effects[46].Class = "1:12" },
			`eth1 egress: IPv4 DSCP 46 went to class 1:12, want 1:11`},
		{"a class for a service", func(o *Observation, _ *states) { o.Probes[0].Effects[64].Class = "1:12" },
			`eth1 egress: IPv4 port 53 went to class 1:12, want 1:11`},
		{"a wash that is not wanted", func(o *Observation, _ *states) { o.Probes[1].Effects[46].ArrivedDSCP = 0 },
			`eth1 ingress: IPv4 DSCP 46 arrived with DSCP 0, want their own`},
		{"a lost packet", func(o *Observation, _ *states) { o.Probes[0].Effects[1].Arrived = false },
			`eth1 egress: 131 of 132 packets arrived`},
		{"a shaper passed by", func(o *Observation, _ *states) { o.Probes[1].Counted = 0 },
			`eth1 ingress: the shaper on ifb4eth1 has seen 0 of 128 packets`},
		{"no probe", func(o *Observation, _ *states) { o.Probes = o.Probes[1:] },
			`eth1 egress: no packets were sent`},

		{"the exit status", func(o *Observation, _ *states) { o.Start.Code = 1 }, `sqmd apply: exit status 1, want 0`},
		{"stop's exit status", func(o *Observation, _ *states) { o.Stop.Code = 1 }, `sqmd stop: exit status 1, want 0`},
		{"an ifb left", func(_ *Observation, s *states) { s.afterStop["ifb4eth1"] = s.afterStart["ifb4eth1"] },
			`after stop ifb4eth1: ifb, want none`},
		{"a hook left", func(_ *Observation, s *states) {
			at(s.afterStop, "eth1", "qdiscs")["ffff:fff1"] = at(s.afterStart, "eth1", "qdiscs", "ffff:fff1")
		}, `after stop eth1 qdiscs ffff:fff1: ingress, want none`},
		{"a shaper left", func(_ *Observation, s *states) {
			at(s.afterStop, "eth1", "qdiscs")["root"] = at(s.afterStart, "eth1", "qdiscs", "root")
		}, `after stop eth1 qdiscs root: htb, want noqueue`},
		{"a firewall table left", func(o *Observation, _ *states) { o.Tables = []string{"mangle"} }, `firewall tables [mangle] exist`},
		{"code that ran", func(o *Observation, _ *states) { o.NewFiles = []string{"pwned"} }, `new files in /tmp: [pwned]`},
	} {
		t.Run(test.fault, func(t *testing.T) {
			c := loadTestCase(t, "tiers")
			target, o, s := perfect(t, c)
			test.spoil(o, &s)
			differences := judgeAll(c, target, o, s)
			if !slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, test.want) }) {
				t.Errorf("got %q, want one with %q", differences, test.want)
			}
		})
	}
}

// The cake of the record clears DSCPs on ingress.
func TestJudgeSeesMissingWash(t *testing.T) {
	c := loadTestCase(t, "washed")
	target, o, s := perfect(t, c)
	o.Probes[1].Effects[46].ArrivedDSCP = 46
	want := []string{"eth1 ingress: IPv4 DSCP 46 arrived with their DSCP, want 0"}
	if got := judgeAll(c, target, o, s); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRefusedTarget(t *testing.T) {
	c := loadTestCase(t, "washed")
	_, o, s := perfect(t, c)
	target := Target{Refused: true, AfterStart: Tree{"eth1": AsBefore, "eth2": AsBefore}}
	s.afterStart = s.before.clone()
	o.Start = Exit{Code: 1, Stderr: "refused\n"}
	if got := judgeAll(c, target, o, s); len(got) > 0 {
		t.Errorf("got %q, want no difference", got)
	}
	o.Start = Exit{}
	want := []string{
		"sqmd apply: exit status 0, want another than 0",
		"sqmd apply: no error message, want one that says what is refused",
	}
	if got := judgeAll(c, target, o, s); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIFBNamesAreFreeOnlyWithAClash(t *testing.T) {
	c := loadTestCase(t, "tiers")
	target, o, s := perfect(t, c)
	s.afterStart = s.afterStart.rename(map[string]string{"ifb4eth1": "other"})
	if got := judgeAll(c, target, o, s); len(got) == 0 {
		t.Error("another name passed")
	}
	c.Notes = append(c.Notes, Note{Bug: true, ID: ifbClash})
	if got := judgeAll(c, target, o, s); len(got) > 0 {
		t.Errorf("got %q, want no difference", got)
	}
}

func TestJudgeReportsTheLab(t *testing.T) {
	got := Judge(loadTestCase(t, "tiers"), &Observation{Error: "no kernel"})
	if want := []string{"the lab failed: no kernel"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{
		"": nil, "7": {7}, "1-3 7 9-10": {1, 2, 3, 7, 9, 10}, "53 123": {53, 123},
	} {
		if got := ranges(numbers); got != want {
			t.Errorf("ranges(%v) = %q, want %q", numbers, got, want)
		}
	}
}

func TestRisen(t *testing.T) {
	for _, test := range []struct {
		before, after map[string]uint32
		class         string
		sole          bool
	}{
		{nil, nil, "", true},
		{map[string]uint32{"1:11": 1, "1:12": 7}, map[string]uint32{"1:11": 2, "1:12": 7}, "1:11", true},
		{map[string]uint32{"1:11": 1}, map[string]uint32{"1:11": 1}, "", false},
		{map[string]uint32{"1:11": 1}, map[string]uint32{"1:11": 3}, "1:11", false},
	} {
		if class, sole := risen(test.before, test.after); class != test.class || sole != test.sole {
			t.Errorf("risen(%v, %v) = %q, %v, want %q, %v", test.before, test.after, class, sole, test.class, test.sole)
		}
	}
}
