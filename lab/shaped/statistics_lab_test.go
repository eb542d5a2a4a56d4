// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package shaped_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/tc"
)

// counters are what is said about a qdisc or class, by the names that tc(8) has in its JSON, with a dot between those of
// an object and of what it holds.
type counters map[string]string

func (c counters) set(name string, value any) { c[name] = fmt.Sprint(value) }

// descriptive are the names in tc's JSON that are no counters. What options has is held against tc in tests of its own.
var descriptive = map[string]bool{
	"kind": true, "handle": true, "parent": true, "root": true, "refcnt": true, "dev": true, "options": true,
}

// shownQdiscs reads the counters of all qdiscs from tc -s -j, by device and kind.
func (r *router) shownQdiscs() map[string]counters {
	r.Helper()
	var qdiscs []map[string]any
	decoder := json.NewDecoder(strings.NewReader(r.tool("tc", "-s", "-j", "qdisc", "show")))
	decoder.UseNumber()
	r.must(decoder.Decode(&qdiscs))
	shown := map[string]counters{}
	for _, q := range qdiscs {
		c := counters{}
		for name, value := range q {
			if !descriptive[name] {
				c.flatten(name, value)
			}
		}
		shown[fmt.Sprint(q["dev"], " ", q["kind"], " ", q["parent"])] = c
	}
	return shown
}

func (c counters) flatten(name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for inner, v := range value {
			c.flatten(name+"."+inner, v)
		}
	case []any:
		for i, v := range value {
			c.flatten(fmt.Sprintf("%s.%d", name, i), v)
		}
	default:
		c.set(name, value)
	}
}

// decodedQdiscs reads the same through sqmd's own decoder.
func (r *router) decodedQdiscs() map[string]counters {
	r.Helper()
	decoded := map[string]counters{}
	r.kernel(func(conn *tc.Conn, devices devices) error {
		qdiscs, err := conn.Qdiscs()
		for _, q := range qdiscs {
			parent := "<nil>" // a root has none in JSON
			if q.Parent != tc.Root {
				parent = q.Parent.String()
			}
			c := general(q.Stats)
			addCake(c, q.Stats.Cake)
			addFqCodel(c, q.Stats.FqCodel)
			decoded[fmt.Sprint(devices.Name(q.Ifindex), " ", q.Kind, " ", parent)] = c
		}
		return err
	})
	return decoded
}

func general(s *tc.Stats) counters {
	c := counters{}
	c.set("bytes", s.Bytes)
	c.set("packets", s.Packets)
	c.set("drops", s.Drops)
	c.set("overlimits", s.Overlimits)
	c.set("requeues", s.Requeues)
	c.set("backlog", s.Backlog)
	c.set("qlen", s.Qlen)
	return c
}

func addCake(c counters, s *tc.CakeStats) {
	if s == nil {
		return
	}
	c.set("memory_used", s.MemoryUsed)
	c.set("memory_limit", s.MemoryLimit)
	c.set("capacity_estimate", s.CapacityBits/8)
	c.set("min_network_size", s.MinNet)
	c.set("max_network_size", s.MaxNet)
	c.set("min_adj_size", s.MinAdjusted)
	c.set("max_adj_size", s.MaxAdjusted)
	c.set("avg_hdr_offset", s.AvgNetOffset)
	for i, tin := range s.Tins {
		for name, value := range map[string]any{
			"threshold_rate": tin.ThresholdBits / 8,
			"sent_bytes":     tin.SentBytes, "backlog_bytes": tin.BacklogBytes,
			"target_us": tin.TargetUs, "interval_us": tin.IntervalUs,
			"peak_delay_us": tin.PeakDelayUs, "avg_delay_us": tin.AvgDelayUs, "base_delay_us": tin.SparseDelayUs,
			"sent_packets":      tin.SentPackets,
			"way_indirect_hits": tin.WayHits, "way_misses": tin.WayMisses, "way_collisions": tin.WayCollisions,
			"drops": tin.Drops, "ecn_mark": tin.Marks, "ack_drops": tin.AckDrops,
			"sparse_flows": tin.SparseFlows, "bulk_flows": tin.BulkFlows, "unresponsive_flows": tin.Unresponsive,
			"max_pkt_len": tin.MaxPacket, "flow_quantum": tin.FlowQuantum,
		} {
			c.set(fmt.Sprintf("tins.%d.%s", i, name), value)
		}
	}
}

func addFqCodel(c counters, s *tc.FqCodelStats) {
	if s == nil {
		return
	}
	c.set("maxpacket", s.MaxPacket)
	c.set("drop_overlimit", s.DropOverlimit)
	c.set("new_flow_count", s.NewFlowCount)
	c.set("ecn_mark", s.Marks)
	c.set("new_flows_len", s.NewFlows)
	c.set("old_flows_len", s.OldFlows)
	// tc leaves these out where there is nothing to say.
	for name, value := range map[string]uint32{"ce_mark": s.CEMarks, "memory_used": s.MemoryUsed, "drop_overmemory": s.DropOvermemory} {
		if value != 0 {
			c.set(name, value)
		}
	}
}

// shownClasses reads the counters of a device's htb classes from the text of tc -s, as tc has no usable JSON for them:
//
//	class htb 1:10 parent 1:1 leaf 110: prio 0 ...
//	 Sent 1234 bytes 5 pkt (dropped 0, overlimits 2 requeues 0)
//	 backlog 0b 0p requeues 0
//	 lended: 5 borrowed: 0 giants: 0
//	 tokens: 100 ctokens: 100
func (r *router) shownClasses(device string) map[string]counters {
	r.Helper()
	shown := map[string]counters{}
	var c counters
	lines := bufio.NewScanner(strings.NewReader(r.tool("tc", "-s", "class", "show", "dev", device)))
	for lines.Scan() {
		words := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(" (),:", r) })
		switch {
		case len(words) == 0:
			c = nil
		case words[0] == "class" && words[1] == "htb":
			c = counters{}
			shown[words[2]+":"+words[3]] = c
		case words[0] == "class":
			c = nil
		case c == nil:
		case words[0] == "Sent":
			c["bytes"], c["packets"], c["drops"], c["overlimits"], c["requeues"] = words[1], words[3], words[6], words[8], words[10]
		case words[0] == "lended":
			c["lended"], c["borrowed"] = words[1], words[3]
		case words[0] == "tokens":
			c["tokens"], c["ctokens"] = words[1], words[3]
		}
	}
	return shown
}

func (r *router) decodedClasses(device string) map[string]counters {
	r.Helper()
	decoded := map[string]counters{}
	r.kernel(func(conn *tc.Conn, devices devices) error {
		classes, err := conn.Classes(devices[device])
		for _, class := range classes {
			if class.Kind != "htb" {
				continue
			}
			c := general(class.Stats)
			delete(c, "backlog")
			delete(c, "qlen")
			c.set("lended", class.Stats.HTBClass.Lends)
			c.set("borrowed", class.Stats.HTBClass.Borrows)
			c.set("tokens", class.Stats.HTBClass.Tokens)
			c.set("ctokens", class.Stats.HTBClass.CTokens)
			decoded[class.Handle.String()] = c
		}
		return err
	})
	return decoded
}

// drained waits until no packet is on its way through the router.
func (r *router) drained() {
	r.Helper()
	const patience = time.Minute
	for begin := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		waiting := ""
		for name, c := range r.decodedQdiscs() {
			if c["qlen"] != "0" {
				waiting += name + " "
			}
		}
		if waiting == "" {
			return
		}
		if time.Since(begin) > patience {
			r.Fatalf("packets wait in %s after %v", waiting, patience)
		}
	}
}

// atRest takes what tc and sqmd say, when tc says the same before and after. The kernel sends packets of its own now and
// then.
func (r *router) atRest(shown, decoded func() map[string]counters) (theirs, ours map[string]counters) {
	r.Helper()
	r.drained()
	const attempts = 10
	for range attempts {
		theirs = shown()
		ours = decoded()
		if cmp.Equal(theirs, shown()) {
			return theirs, ours
		}
	}
	r.Fatalf("counters did not come to rest in %d attempts", attempts)
	return nil, nil
}

// load sends more both ways than the router lets through: some that gets marked, some that gets dropped, in three classes
// of traffic.
func (r *router) load() {
	r.Helper()
	const kbit, duration = 2000, 4 * time.Second
	var flows []flow
	for i, tos := range []int{0, 0x20 | ect0, 0xb8 | ect0} { // best effort without ECN, CS1, EF
		for _, p := range []path{r.upload(), r.download()} {
			port := uint16(8000 + i)
			flows = append(flows, flow{path: p, ipv6: i == 1, fromPort: port + 100, toPort: port, tos: tos, size: 400 + 300*i})
		}
	}
	ended := make(chan error)
	for _, f := range flows {
		go func() { ended <- f.flood(1000*kbit, duration) }()
	}
	for range flows {
		r.must(<-ended)
	}
}

// nonzero lists counters that the load must have moved, so that a comparison of zeros does not pass for one of numbers.
func (r *router) nonzero(what string, c counters, names ...string) {
	r.Helper()
	for _, name := range names {
		if value, ok := c[name]; !ok || value == "0" {
			r.Errorf("%s: %s is %q after the load, want a number", what, name, value)
		}
	}
}

// TestCakeStatistics holds what sqmd decodes of cake's statistics against what tc(8) does.
func TestCakeStatistics(t *testing.T) {
	r := newRouter(t)
	r.shape(queue("download 2500", "upload 1500", "qdisc cake", "script layer_cake.qos", "squash_dscp 0", "squash_ingress 0",
		"linklayer atm", "overhead 44"))
	r.load()
	theirs, ours := r.atRest(r.shownQdiscs, r.decodedQdiscs)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("statistics (-tc +sqmd):\n%s", diff)
	}
	for _, device := range []string{"eth1", "ifb4eth1"} {
		c := ours[device+" cake <nil>"]
		r.nonzero(device, c, "bytes", "packets", "drops", "overlimits", "memory_used", "memory_limit", "capacity_estimate",
			"max_network_size", "max_adj_size", "avg_hdr_offset")
		for tin := range 3 {
			in := fmt.Sprintf("tins.%d.", tin)
			r.nonzero(device, c, in+"threshold_rate", in+"sent_bytes", in+"sent_packets", in+"target_us", in+"interval_us",
				in+"peak_delay_us", in+"way_misses", in+"max_pkt_len", in+"flow_quantum")
		}
		r.nonzero(device, c, "tins.0.ecn_mark", "tins.1.drops")
		t.Logf("%s: %v", device, c)
	}
}

// TestHTBStatistics does the same for htb, its classes and fq_codel under it.
func TestHTBStatistics(t *testing.T) {
	r := newRouter(t)
	r.shape(queue("download 2500", "upload 1500", "qdisc fq_codel", "script simple.qos", "squash_dscp 0", "squash_ingress 0"))
	r.load()
	theirs, ours := r.atRest(r.shownQdiscs, r.decodedQdiscs)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("statistics (-tc +sqmd):\n%s", diff)
	}
	marks, drops := 0, 0
	for name, c := range ours {
		if strings.Contains(name, "fq_codel") {
			r.nonzero(name, c, "new_flow_count", "maxpacket")
			if c["ecn_mark"] != "0" {
				marks++
			}
			if c["drops"] != "0" {
				drops++
			}
		}
	}
	if marks == 0 || drops == 0 {
		t.Errorf("%d leaves marked and %d dropped packets, want some of both", marks, drops)
	}
	for _, device := range []string{"eth1", "ifb4eth1"} {
		theirs, ours := r.atRest(func() map[string]counters { return r.shownClasses(device) },
			func() map[string]counters { return r.decodedClasses(device) })
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("classes of %s (-tc +sqmd):\n%s", device, diff)
		}
		if len(ours) < 2 {
			t.Errorf("%s has %d classes, want some", device, len(ours))
		}
		r.nonzero(device, ours["1:1"], "bytes", "packets", "overlimits", "lended", "tokens", "ctokens")
	}
}
