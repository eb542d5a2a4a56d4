// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func loadTestCase(t *testing.T, name string) *Case {
	t.Helper()
	c, err := LoadCase(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The record's egress goes by marks, with minimize-delay matched under the mask 0x3f, which also meets AF22 (20) and 52;
// its ingress goes by DSCP alone.
func TestFateOf(t *testing.T) {
	record := loadTestCase(t, "tiers").Record.AfterStart
	for _, test := range []struct {
		direction Direction
		priority  []uint8
	}{
		{Egress, []uint8{4, 20, 36, 46, 48, 52}},
		{Ingress, []uint8{4, 36, 46, 48, 56}},
	} {
		for _, version := range []int{4, 6} {
			var priority, background []uint8
			for dscp := range uint8(64) {
				fate, err := record.fateOf(test.direction, "eth1", "ifb4eth1", Packet{version, dscp, probePort})
				if err != nil {
					t.Fatal(err)
				}
				switch fate.class {
				case "1:11":
					priority = append(priority, dscp)
				case "1:13":
					background = append(background, dscp)
				case "1:12":
				default:
					t.Errorf("%s IPv%d DSCP %d: class %q", test.direction, version, dscp, fate.class)
				}
				if fate.dscp != dscp {
					t.Errorf("%s IPv%d DSCP %d arrives with %d", test.direction, version, dscp, fate.dscp)
				}
			}
			if diff := cmp.Diff(test.priority, priority); diff != "" {
				t.Errorf("%s IPv%d priority (-want +got):\n%s", test.direction, version, diff)
			}
			if diff := cmp.Diff([]uint8{8}, background); diff != "" {
				t.Errorf("%s IPv%d background (-want +got):\n%s", test.direction, version, diff)
			}
		}
	}
}

func TestFateOfServices(t *testing.T) {
	record := loadTestCase(t, "tiers").Record.AfterStart
	for _, port := range servicePorts {
		got, err := record.fateOf(Egress, "eth1", "ifb4eth1", Packet{Version: 6, Port: port})
		if err != nil {
			t.Fatal(err)
		}
		if want := (fate{class: "1:11", dscp: 36}); got != want {
			t.Errorf("port %d: %v, want %v", port, got, want)
		}
	}
}

func TestClassOfFallsBackToDefault(t *testing.T) {
	d := recordedDevice{Qdiscs: []recordedQdisc{{Kind: "htb", Parent: "root", Options: map[string]any{"default": "0x10"}}}}
	got, err := d.classOf(&marked{Packet: Packet{Version: 4}})
	if err != nil || got != "1:10" {
		t.Errorf("got %q, %v, want 1:10", got, err)
	}
}

func TestMangle(t *testing.T) {
	for _, test := range []struct {
		rule string
		mark uint32
		dscp uint8
	}{
		{"-A C -i eth1 -m dscp ! --dscp 0x00 -j DSCP --set-dscp 0x00", 1, 0},
		{"-A C -i eth2 -m dscp ! --dscp 0x00 -j DSCP --set-dscp 0x00", 1, 10},
		{"-A C -i eth+ -j MARK --set-xmark 0x2/0xff", 2, 10},
		{"-A C -o eth1 -j MARK --set-xmark 0x2/0xff", 1, 10},
		{"-A C -p tcp -j MARK --set-xmark 0x2/0xff", 1, 10},
		{"-A C -p udp -m multiport --ports 123,40000 -j MARK --set-xmark 0x2/0xff", 2, 10},
		{"-A C -m mark --mark 0x1/0xff -j MARK --set-xmark 0x10/0xf0", 0x11, 10},
		{"-A C -m tos --tos 0x28/0xfc -j MARK --set-xmark 0x0/0xffffffff", 0, 10},
		{"-A D -j MARK --set-xmark 0x2/0xff", 1, 10},
	} {
		p := &marked{Packet: Packet{4, 10, probePort}, mark: 1, in: "eth1"}
		if err := (mangleTable{[]string{test.rule}}).traverse("C", p); err != nil {
			t.Errorf("%s: %v", test.rule, err)
		}
		if p.mark != test.mark || p.DSCP != test.dscp {
			t.Errorf("%s: mark %d DSCP %d, want %d and %d", test.rule, p.mark, p.DSCP, test.mark, test.dscp)
		}
	}
}

// -g leaves the chain it stands in for good.
func TestMangleGoto(t *testing.T) {
	table := mangleTable{[]string{"-A C -g D", "-A C -j MARK --set-xmark 0x9/0xff", "-A D -j MARK --set-xmark 0x2/0xff"}}
	p := &marked{}
	if err := table.traverse("C", p); err != nil || p.mark != 2 {
		t.Errorf("mark %d, %v, want 2", p.mark, err)
	}
}

func TestMangleRefuses(t *testing.T) {
	for _, rule := range []string{
		"", "-P C ACCEPT", "-A C", "-A C -j DROP", "-A C -s 192.0.2.1 -j MARK --set-xmark 0x1/0xff",
		"-A C -m mark --mark x -j MARK --set-xmark 0x1/0xff", "-A C -j MARK --set-xmark", "-A C -j MARK --and-mark 0x1", "-A C -g C",
	} {
		if err := (mangleTable{[]string{rule}}).traverse("C", &marked{}); err == nil {
			t.Errorf("%q was accepted", rule)
		}
	}
}

func FuzzMangle(f *testing.F) {
	f.Add("-A D -m dscp ! --dscp 0x00 -j DSCP --set-dscp 0x00\n-A D -g C")
	f.Add("-A D -g D")
	f.Add("-A D -m tos --tos 0x10/0x3f -j MARK --set-xmark 0x1/0xff")
	f.Fuzz(func(t *testing.T, text string) {
		_ = mangleTable{strings.Split(text, "\n")}.traverse("D", &marked{Packet: Packet{4, 1, probePort}})
	})
}

func TestWordMatches(t *testing.T) {
	header := Packet{4, 46, 53}.header()
	for text, want := range map[string]bool{
		"00b80000/00fc0000 at 0": true, "00b40000/00fc0000 at 0": false, "00000035/0000ffff at 20": true,
		"00110000/00ff0000 at 8": true, "00000000/00000000 at 24": true,
	} {
		if got, err := wordMatches(text, header); err != nil || got != want {
			t.Errorf("wordMatches(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0/0", "0/0 at x", "0/0 at -4", "0/0 at 25", "x/0 at 0", "0/0 at 0 at 0"} {
		if got, err := wordMatches(text, header); err == nil {
			t.Errorf("wordMatches(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzWordMatches(f *testing.F) {
	f.Add("00b80000/00fc0000 at 0", 4)
	f.Add("0/0 at 9223372036854775807", 6)
	f.Fuzz(func(t *testing.T, text string, version int) {
		_, _ = wordMatches(text, Packet{Version: version}.header())
	})
}
