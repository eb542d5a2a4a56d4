// SPDX-License-Identifier: GPL-2.0-or-later

//go:build lab

package tc

import (
	"net"
	"testing"

	"github.com/vishvananda/netlink"
)

// send gives the device an address and sends n packets of size bytes out of it.
func (b *bench) send(n, size int) {
	b.t.Helper()
	link, err := netlink.LinkByName(b.name)
	if err != nil {
		b.t.Fatal(err)
	}
	address, err := netlink.ParseAddr("192.0.2.1/24")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := netlink.AddrReplace(link, address); err != nil {
		b.t.Fatalf("give the device an address: %v", err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		b.t.Fatalf("set the device up: %v", err)
	}
	socket, err := net.Dial("udp", "192.0.2.2:9")
	if err != nil {
		b.t.Fatal(err)
	}
	defer socket.Close()
	for range n {
		// A full queue is told to the sender, and is what some of this is for.
		_, _ = socket.Write(make([]byte, size))
	}
}

// statsOf gives the statistics of the first qdisc of a kind.
func (b *bench) statsOf(kind string) *Stats {
	b.t.Helper()
	all, err := b.conn.Qdiscs()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, q := range all {
		if q.Ifindex == b.ifindex && q.Kind == kind {
			return q.Stats
		}
	}
	b.t.Fatalf("no qdisc %s", kind)
	return nil
}

// TestLabStats sends more packets than a slow shaper lets through and looks for
// them in the statistics of each kind under it.
func TestLabStats(t *testing.T) {
	const packets, size = 60, 1000
	for _, c := range []struct {
		line string
		own  func(s *Stats) bool
	}{
		{"fq_codel limit 20", func(s *Stats) bool {
			return s.FqCodel.MaxPacket > size && s.FqCodel.DropOverlimit > 0 && s.FqCodel.NewFlowCount > 0 && s.FqCodel.MemoryUsed > 0 &&
				s.FqCodel.NewFlows+s.FqCodel.OldFlows == 1
		}},
		{"codel limit 20", func(s *Stats) bool { return s.Codel.DropOverlimit > 0 }},
		{"pie limit 20", func(s *Stats) bool { return s.Pie.PacketsIn > 0 && s.Pie.Overlimit > 0 && s.Pie.MaxQueue >= 19 }},
		{"sfq limit 20 redflowlimit 9000 min 1200 max 3000 probability 0.9 burst 2", func(s *Stats) bool { return s.SFQ.ProbDrop+s.SFQ.ForcedDrop > 0 }},
		{"red limit 20000 avpkt 1000 min 2000 max 6000 probability 0.5 bandwidth 64kbit", func(s *Stats) bool { return s.RED.PDrop+s.RED.Early > 0 }},
		{"pfifo limit 20", func(s *Stats) bool { return true }},
		{"cake unlimited memlimit 30kb", func(s *Stats) bool {
			tin := s.Cake.Tins[1]
			return len(s.Cake.Tins) == 3 && tin.SentPackets > 0 && tin.MaxPacket > size && tin.SparseFlows+tin.BulkFlows > 0 && s.Cake.MemoryUsed > 0 && s.Cake.MaxNet > size
		}},
	} {
		t.Run(c.line, func(t *testing.T) {
			b := newBench(t)
			b.qdisc(Add, parseLine(t, "htb default 1"))
			class := MakeHandle(1, 1)
			request, err := ClassRequest(Add, Class{Ifindex: b.ifindex, Parent: MakeHandle(1, 0), Handle: class, Kind: "htb", Options: &HTBClass{Rate: 64000, Quantum: 1500}})
			if err != nil {
				t.Fatal(err)
			}
			b.do(request)
			leaf := parseLine(t, c.line)
			leaf.Parent, leaf.Handle = class, MakeHandle(2, 0)
			b.qdisc(Add, leaf)
			b.send(packets, size)

			s := b.statsOf(leaf.Kind)
			if s.Drops == 0 || s.Backlog == 0 || s.Qlen == 0 || !c.own(s) {
				t.Errorf("%+v: %+v", leaf.Options.Words(nil), s)
				for _, own := range []any{s.FqCodel, s.Codel, s.Pie, s.SFQ, s.RED, s.Cake} {
					t.Logf("%+v", own)
				}
			}
			classes, err := b.conn.Classes(b.ifindex)
			if err != nil {
				t.Fatal(err)
			}
			flows := 0
			for _, class := range classes {
				switch {
				case class.Kind == "htb":
					if h := class.Stats.HTBClass; class.Leaf != leaf.Handle || class.Stats.Packets == 0 || h.Lends == 0 || h.Tokens == 0 {
						t.Errorf("htb class %+v: %+v, %+v", class, class.Stats, h)
					}
				case class.Stats.CakeFlow != nil || class.Stats.FqCodelFlow != nil || class.Stats.SFQFlow != nil:
					if class.Stats.Qlen > 1 {
						flows++
					}
				}
			}
			if want := map[string]int{"fq_codel": 1, "sfq": 1, "cake": 1}[leaf.Kind]; flows != want {
				t.Errorf("%d full flows among the classes, want %d", flows, want)
			}
		})
	}
}
