// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"slices"
	"testing"
)

// elsewhere is an observation as a guest reports it.
func elsewhere() *Observation {
	links := json.RawMessage(`[{"ifname":"eth1","flags":["UP"],"mtu":1500,"linkinfo":{"info_kind":"veth"}}]`)
	qdiscs := func(handle string, target int) json.RawMessage {
		text, _ := json.Marshal([]node{{"kind": "fq_codel", "handle": handle, "dev": "eth1", "root": true, "options": node{"target": target}}})
		return text
	}
	return &Observation{
		Case:       "x",
		Before:     Snapshot{Links: links, Qdiscs: json.RawMessage(`[]`)},
		AfterStart: Snapshot{Links: links, Qdiscs: qdiscs("8001:", 4999)},
		AfterStop:  Snapshot{Links: links, Qdiscs: json.RawMessage(`[]`)},
		Probes: []Probe{{Path: Path{"eth1", Egress}, Shaper: "eth1", Counted: 1, Effects: []Effect{
			{Packet: Packet{Version: 4, DSCP: 46, Port: probePort}, Arrived: true, ArrivedDSCP: 46, Class: "1:11"},
		}}},
	}
}

func TestAlike(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(o *Observation)
		want  []string
	}{
		"the same": {func(*Observation) {}, nil},
		"another automatic handle and a packet of the kernel's own": {func(o *Observation) {
			o.AfterStart.Qdiscs = json.RawMessage(`[{"kind":"fq_codel","handle":"8009:","dev":"eth1","root":true,"options":{"target":4999}}]`)
			o.Probes[0].Counted = 2
		}, nil},
		"one unit": {func(o *Observation) {
			o.AfterStart.Qdiscs = json.RawMessage(`[{"kind":"fq_codel","handle":"8001:","dev":"eth1","root":true,"options":{"target":5000}}]`)
		}, []string{"after start eth1 qdiscs root options target: 5000, want 4999"}},
		"an exit status": {func(o *Observation) { o.Start.Code = 1 }, []string{"apply code: 1, want 0"}},
		"another word":   {func(o *Observation) { o.Stop.Stderr = "no" }, []string{`stop stderr: "no", want ""`}},
		"a packet's class": {func(o *Observation) { o.Probes[0].Effects[0].Class = "1:12" },
			[]string{`packets eth1 egress packets IPv4 DSCP 46 class: "1:12", want "1:11"`}},
		"a path":    {func(o *Observation) { o.Probes = nil }, []string{`packets eth1 egress: missing, want {"packets":{"IPv4 DSCP 46":{"arrived":true,"arrived_dscp":46,"class":"1:11","dscp":46,"port":40000,"version":4}},"shaper":"eth1"}`}},
		"a failure": {func(o *Observation) { o.Error = "no tc" }, []string{"the lab failed: no tc"}},
	} {
		o := elsewhere()
		test.spoil(o)
		if got := Alike(elsewhere(), o); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for got, want := range map[float64]bool{20000: true, 16000: true, 15000: true, 30000: false, 0: false} {
		if identical(keptAsTimerTicks, 20000.0, got) != want {
			t.Errorf("tupdate of %v where 20000 is wanted: %v, want %v", got, !want, want)
		}
	}
	broken := elsewhere()
	broken.Error = "no tc"
	if got := Alike(broken, elsewhere()); len(got) != 1 {
		t.Errorf("with a reference that failed: %q, want one difference", got)
	}
}
