// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// htbClasses is what tc 6.1 says of a root with link layer parameters, of another without, and of qdiscs below.
const htbClasses = `class htb 1:11 parent 1:1 leaf 110: prio 1 quantum 1749 rate 2Mbit overhead 44 ceil 2Mbit linklayer atm burst 1748b/1 mpu 96b cburst 1747b/1 mpu 97b level 0 
class htb 1:1 root rate 2Mbit ceil 2Mbit overhead 44 linklayer ethernet burst 1748b/1 mpu 0b cburst 1748b/1 mpu 0b level 7 
class fq_codel 110:1d7 parent 110: 
class tbf 8001:1 parent 8001: leaf 8002: 
`

func TestParseClasses(t *testing.T) {
	got, err := parseClasses(htbClasses)
	if err != nil {
		t.Fatal(err)
	}
	want := []node{
		{
			"kind": "htb", "classid": "1:11", "parent": "1:1", "leaf": "110:", "prio": 1, "quantum": 1749,
			"rate": "2Mbit", "overhead": "44", "ceil": "2Mbit", "linklayer": "atm",
			"burst": "1748b/1", "mpu": "96b", "cburst": "1747b/1", "cmpu": "97b", "level": 0,
		},
		{
			"kind": "htb", "classid": "1:1", "parent": "root",
			"rate": "2Mbit", "ceil": "2Mbit", "coverhead": "44", "linklayer": "ethernet",
			"burst": "1748b/1", "mpu": "0b", "cburst": "1748b/1", "cmpu": "0b", "level": 7,
		},
		{"kind": "tbf", "classid": "8001:1", "parent": "8001:", "leaf": "8002:"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseClassesRefuses(t *testing.T) {
	for _, text := range []string{"class htb 1:1 root rate", "class htb 1:1 root prio high"} {
		if got, err := parseClasses(text); err == nil {
			t.Errorf("parseClasses(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseClasses(f *testing.F) {
	f.Add(htbClasses)
	f.Add("class htb 1:1 root rate")
	f.Fuzz(func(t *testing.T, text string) {
		classes, err := parseClasses(text)
		for _, class := range classes {
			if err == nil && (class["kind"] == nil || class["classid"] == nil) {
				t.Errorf("a class without kind or id: %v", class)
			}
		}
	})
}

// seen is a namespace with a tbf behind a clsact, in the words of ip and tc 6.1, shortened.
var seen = Snapshot{
	Links: json.RawMessage(`[
		{"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"mtu":65536},
		{"ifname":"labport0","flags":["UP"],"mtu":1500,"linkinfo":{"info_kind":"veth"}},
		{"ifname":"eth1","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1500,"txqlen":1000,"linkinfo":{"info_kind":"veth"}},
		{"ifname":"ifb4eth1","flags":["BROADCAST","NOARP","UP","LOWER_UP"],"mtu":1500,"operstate":"UNKNOWN","txqlen":32,
		 "num_tx_queues":1,"linkinfo":{"info_kind":"ifb"},"ifalias":"sqmd:eth1"}]`),
	Qdiscs: json.RawMessage(`[
		{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"refcnt":2,"options":{}},
		{"kind":"htb","handle":"1:","dev":"eth1","root":true,"refcnt":2,
		 "options":{"r2q":10,"default":"0x12","direct_packets_stat":2,"ver":"3.17","direct_qlen":1000},
		 "stab":{"linklayer":"ethernet","overhead":40}},
		{"kind":"clsact","handle":"ffff:","dev":"eth1","parent":"ffff:fff1","options":{}},
		{"kind":"tbf","handle":"8001:","dev":"ifb4eth1","root":true,"refcnt":2,"options":{"rate":1000000}},
		{"kind":"sfq","handle":"8002:","dev":"ifb4eth1","parent":"8001:","options":{"limit":1001}}]`),
	Classes: map[string]string{
		"eth1":     "class htb 1:1 root rate 2Mbit ceil 2Mbit level 7",
		"ifb4eth1": "class tbf 8001:1 parent 8001: leaf 8002:",
		"gone":     "class htb 1:1 root",
	},
	Ingress: map[string]json.RawMessage{"eth1": json.RawMessage(`[
		{"parent":"ffff:","protocol":"all","pref":10,"kind":"u32","chain":0},
		{"parent":"ffff:","protocol":"all","pref":10,"kind":"u32","chain":0,"options":{"fh":"800::800","actions":[
			{"order":1,"kind":"ctinfo"},
			{"order":2,"kind":"mirred","mirred_action":"redirect","direction":"egress","to_dev":"ifb4eth1"}]}}]`)},
}

func TestSnapshotTree(t *testing.T) {
	got, err := seen.tree()
	if err != nil {
		t.Fatal(err)
	}
	want := decodeTree(t, `{
		"eth1": {"kind":"veth","mtu":1500,"up":true,"redirect":"ifb4eth1",
			"qdiscs": {
				"root": {"kind":"htb","handle":"1:","options":{"r2q":10,"default":"0x12","direct_qlen":1000},
					"stab":{"linklayer":"ethernet","overhead":40}},
				"ffff:fff1": {"kind":"clsact","handle":"ffff:","options":{}}},
			"classes": {"1:1": {"kind":"htb","classid":"1:1","parent":"root","rate":"2Mbit","ceil":"2Mbit","level":7}}},
		"ifb4eth1": {"kind":"ifb","mtu":1500,"up":true,"alias":"sqmd:eth1","operstate":"UNKNOWN","tx_queues":1,"txqlen":32,
			"flags":["BROADCAST","LOWER_UP","NOARP","UP"],
			"qdiscs": {
				"root": {"kind":"tbf","handle":"auto","options":{"rate":1000000}},
				"auto": {"kind":"sfq","handle":"auto","options":{"limit":1001}}},
			"classes": {"auto:1": {"kind":"tbf","classid":"auto:1","parent":"auto","leaf":"auto"}}}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSnapshotTreeRefuses(t *testing.T) {
	twice := seen
	twice.Ingress = map[string]json.RawMessage{"eth1": json.RawMessage(`[{"options":{"actions":[
		{"kind":"mirred","mirred_action":"redirect","direction":"egress","to_dev":"a"},
		{"kind":"mirred","mirred_action":"redirect","direction":"egress","to_dev":"b"}]}}]`)}
	broken := seen
	broken.Qdiscs = json.RawMessage(`[`)
	for name, s := range map[string]Snapshot{"two redirects": twice, "broken qdiscs": broken, "nothing": {}} {
		if tree, err := s.tree(); err == nil {
			t.Errorf("%s: got %v, want an error", name, tree)
		}
	}
}

func FuzzSnapshotTree(f *testing.F) {
	f.Add([]byte(seen.Links), []byte(seen.Qdiscs), htbClasses, []byte(seen.Ingress["eth1"]))
	f.Fuzz(func(t *testing.T, links, qdiscs []byte, classes string, ingress []byte) {
		s := Snapshot{
			Links: links, Qdiscs: qdiscs,
			Classes: map[string]string{"eth1": classes},
			Ingress: map[string]json.RawMessage{"eth1": ingress},
		}
		tree, err := s.tree()
		if err == nil && len(compare(node(tree), node(tree))) > 0 {
			t.Errorf("a tree differs from itself: %v", tree)
		}
	})
}
