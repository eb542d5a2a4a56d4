// SPDX-License-Identifier: GPL-2.0-or-later

package tc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsed reads a line that begins with the kind; "class htb" is a class.
func parsed(t testing.TB, line string) Options {
	t.Helper()
	list := strings.Fields(line)
	parse := func(kind string, list []string) (Options, error) { return ParseQdiscWords(kind, nil, list) }
	if list[0] == "class" {
		parse, list = ParseClassWords, list[1:]
	}
	o, err := parse(list[0], list[1:])
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return o
}

// What is wanted, what a living qdisc has as the kernel shows it, and what
// follows.
func TestQdiscSatisfied(t *testing.T) {
	for _, c := range []struct {
		want, have            string
		satisfied, changeable bool
	}{
		// Left open is not compared; the kernel's rounding is foreseen.
		{"fq_codel", "fq_codel limit 10240 flows 1024 quantum 1514 target 4999us interval 99999us memory_limit 32mb ecn drop_batch 64", true, true},
		{"fq_codel target 5ms interval 100ms", "fq_codel target 4999us interval 99999us", true, true},
		{"fq_codel target 5ms", "fq_codel target 5ms", true, true},
		{"fq_codel target 5ms", "fq_codel target 4998us", false, true},
		{"fq_codel quantum 100", "fq_codel quantum 256", true, true},
		{"fq_codel quantum 300", "fq_codel quantum 1514", false, true},
		{"fq_codel limit 1001", "fq_codel limit 10240", false, true},
		{"fq_codel drop_batch 1", "fq_codel drop_batch 64", false, true},
		{"fq_codel ecn", "fq_codel noecn", false, true},
		{"fq_codel memory_limit 4mb", "fq_codel memory_limit 32mb", false, true},
		// The number of flows is for life; one not asked for is the default.
		{"fq_codel flows 32", "fq_codel flows 1024", false, false},
		{"fq_codel flows 32", "fq_codel flows 32", true, true},
		// What was given and is not wanted any more cannot be taken back.
		{"fq_codel", "fq_codel ce_threshold 1ms", false, false},
		{"fq_codel ce_threshold 1ms", "fq_codel ce_threshold 999us", true, true},
		{"fq_codel ce_threshold 1ms", "fq_codel ce_threshold 999us ce_threshold_selector 0x4/0xfc", false, false},
		{"fq_codel ce_threshold 1ms", "fq_codel ce_threshold 999us ce_threshold_selector 0/0", true, true},
		{"fq_codel", "fq_codel quantum 300", false, false},
		{"fq_codel", "fq_codel quantum 500", false, false},
		// Quanta that may be a device's own: pppoe, tun, jumbo frames.
		{"fq_codel", "fq_codel quantum 1504", true, true},
		{"fq_codel", "fq_codel quantum 1420", true, true},
		{"fq_codel", "fq_codel quantum 9014", true, true},
		{"fq_codel", "fq_codel quantum 576", true, true},
		// Memory limits that are some build's default, and one that is none.
		{"fq_codel", "fq_codel memory_limit 4mb", true, true},
		{"fq_codel", "fq_codel memory_limit 3mb", false, false},
		{"fq_codel", "fq_codel memory_limit 100kb", false, false},

		{"codel", "codel limit 1000 target 4999us interval 99999us noecn", true, true},
		{"codel limit 5", "codel limit 1000", false, true},
		{"codel", "codel ce_threshold 1ms", false, false},

		{"pie target 15ms", "pie target 15ms", true, true},
		{"pie target 4999us", "pie target 4998us", true, true},
		{"pie target 4999us", "pie target 4997us", false, true},
		{"pie tupdate 15ms", "pie tupdate 20ms", true, true}, // 100 ticks in a second
		{"pie tupdate 15ms", "pie tupdate 16ms", true, true}, // 250
		{"pie tupdate 15ms", "pie tupdate 17ms", false, true},
		{"pie tupdate 15ms", "pie tupdate 15ms", true, true}, // 1000
		{"pie ecn bytemode", "pie ecn nobytemode", false, true},

		{"fq_pie flows 64", "fq_pie flows 1024", false, false},
		{"fq_pie", "fq_pie quantum 300", false, false},
		{"fq_pie ecn_prob 7", "fq_pie ecn_prob 10", false, true},

		{"sfq", "sfq limit 127 quantum 1514 divisor 1024 flows 128 depth 127", true, true},
		{"sfq limit 20 flows 100", "sfq limit 20 quantum 1514 divisor 1024 flows 20 depth 127", true, true},
		{"sfq limit 20", "sfq limit 127 quantum 1514 divisor 1024 flows 128 depth 127", false, false},
		{"sfq depth 500", "sfq limit 127 quantum 1514 divisor 1024 flows 128 depth 127", true, true},
		{"sfq perturb 10", "sfq perturb 9", false, false},
		{"sfq redflowlimit 100000", "sfq redflowlimit 90000 min 8333 max 25000 burst 14", true, true},
		{"sfq redflowlimit 100000", "sfq redflowlimit 90000 min 8000 max 25000", false, false},
		{"sfq redflowlimit 100000 ecn", "sfq redflowlimit 100000", false, false},
		{"sfq", "sfq redflowlimit 100000", false, false},

		{"red limit 400000 avpkt 1000", "red limit 400000 min 33333 max 100000 avpkt 1000 burst 55", true, true},
		{"red limit 400000 avpkt 1000", "red limit 400000 avpkt 1000 ecn", false, true},
		{"red limit 400000 avpkt 1000", "red limit 400000 avpkt 1000 probability 0.03", false, true},
		{"red limit 400000 avpkt 1000 adaptive", "red limit 400000 avpkt 1000 probability 0.03 adaptive", true, true},
		{"red limit 400000 avpkt 1000", "red limit 400000 avpkt 1000 qevent mark block 9", false, false},

		{"pfifo", "pfifo limit 1000", true, true},
		{"pfifo limit 10", "pfifo limit 1000", false, true},
		{"pfifo limit 10", "bfifo limit 10", false, false},

		{"htb default 12", "htb default 12 direct_qlen 1000", true, true},
		{"htb default 12 r2q 10", "htb default 12 direct_qlen 1000", true, true},
		{"htb default 12", "htb default 10", false, false},
		{"htb default 12 direct_qlen 5", "htb default 12 direct_qlen 1000", false, false},

		{"class htb rate 10mbit burst 1749 quantum 1749", "class htb rate 10mbit ceil 10mbit burst 1749 cburst 1600 quantum 1749", true, true},
		{"class htb rate 12mbit burst 1749", "class htb rate 12mbit burst 1750 cburst 1600", true, true},
		{"class htb rate 12mbit burst 1749", "class htb rate 12mbit burst 1748 cburst 1600", false, true},
		{"class htb rate 1mbit quantum 300", "class htb rate 1mbit quantum 1749", false, true},
		{"class htb rate 1mbit", "class htb rate 1mbit quantum 1749", true, true},
		{"class htb rate 1mbit prio 9", "class htb rate 1mbit prio 7", true, true},
		{"class htb rate 1mbit overhead 44", "class htb rate 1mbit", false, true},
		{"class htb rate 1mbit linklayer atm", "class htb rate 1mbit linklayer ethernet", false, true},
		{"class htb rate 33333bit", "class htb rate 33328bit", true, true},

		{"tbf rate 900mbit burst 112500 limit 1mb", "tbf rate 900mbit burst 112495 limit 1mb", true, true},
		{"tbf rate 900mbit burst 112500 limit 1mb", "tbf rate 900mbit burst 112520 limit 1mb", false, true},
		{"tbf rate 1mbit burst 2000 limit 1mb", "tbf rate 1mbit burst 2000 limit 1mb peakrate 2mbit minburst 1600", false, true},
		{"tbf rate 1mbit burst 2000 limit 1mb overhead 44 linklayer atm", "tbf rate 1mbit burst 2020 limit 1mb overhead 44 linklayer atm", true, true}, // the same cells

		{"cake bandwidth 33333bit", "cake bandwidth 33328bit", true, true},
		{"cake bandwidth 10mbit autorate-ingress", "cake bandwidth 9mbit autorate-ingress", true, true},
		{"cake bandwidth 10mbit", "cake bandwidth 9mbit", false, true},
		{"cake overhead 44", "cake raw", false, true},
		{"cake raw", "cake overhead 0", false, true},
		{"cake", "cake bandwidth 9mbit diffserv4", true, true},
	} {
		// A dump always has what a new qdisc has.
		want, have := parsed(t, c.want), Complete(parsed(t, c.have))
		if got := Satisfied(want, have); got != c.satisfied {
			t.Errorf("%s satisfied by %s: %v", c.want, c.have, got)
		}
		if got := Changeable(want, have); got != c.changeable {
			t.Errorf("%s changeable to %s: %v", c.have, c.want, got)
		}
	}
}

// An inner class keeps the quantum and priority it had as a leaf.
func TestHTBInnerClassSatisfied(t *testing.T) {
	want := parsed(t, "class htb rate 10mbit quantum 3000 prio 2")
	have := parsed(t, "class htb rate 10mbit quantum 1749").(*HTBClass)
	if Satisfied(want, have) {
		t.Error("a leaf with another quantum is satisfying")
	}
	have.Level = 7
	if !Satisfied(want, have) {
		t.Error("an inner class is asked for a quantum")
	}
}

// Options of other kinds never satisfy, and neither does nothing.
func TestSatisfiedAcrossKinds(t *testing.T) {
	for _, a := range wholeLines {
		want := parsed(t, a)
		if Satisfied(want, nil) || Changeable(want, nil) || !Satisfied(nil, want) || Changeable(nil, want) {
			t.Errorf("%s against nothing", a)
		}
		for _, b := range wholeLines {
			have := parsed(t, b)
			if want.Kind() != have.Kind() && (Satisfied(want, have) || Changeable(want, have)) {
				t.Errorf("%s satisfied by or changeable from %s", a, b)
			}
		}
	}
}

func TestComplete(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"fq_codel", "fq_codel limit 10240 flows 1024 interval 100ms target 5ms ecn drop_batch 64"},
		{"fq_codel limit 1001 noecn flows 8", "fq_codel limit 1001 flows 8 interval 100ms target 5ms noecn drop_batch 64"},
		{"codel target 9ms", "codel limit 1000 interval 100ms target 9ms noecn"},
		{"pie", "pie limit 1000 tupdate 15ms target 15ms alpha 2 beta 20 noecn nobytemode no_dq_rate_estimator"},
		{"fq_pie", "fq_pie limit 10240 flows 1024 target 15ms tupdate 15ms alpha 2 beta 20 ecn_prob 10 noecn nobytemode no_dq_rate_estimator"},
		{"sfq quantum 1514", "sfq limit 127 quantum 1514b divisor 1024 flows 128 depth 127 perturb 0"},
		{"pfifo", "pfifo "},
		{"cake nat", "cake unlimited diffserv3 triple-isolate nat nowash egress no-ack-filter split-gso rtt 100ms raw noatm"},
	} {
		if diff := cmp.Diff(c.want, show(Complete(parsed(t, c.line)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
}

func TestSizeTableSatisfied(t *testing.T) {
	for _, c := range []struct {
		name       string
		want, have *SizeTable
		satisfied  bool
	}{
		{"none wanted, none there", nil, nil, true},
		{"none wanted", nil, &SizeTable{Overhead: 4}, false},
		{"none there", &SizeTable{Overhead: 4}, nil, false},
		{"the defaults", &SizeTable{LinkLayer: LinkATM}, &SizeTable{LinkLayer: LinkATM, MTU: 2047, TSize: 512}, true},
		{"sizes without a table", &SizeTable{LinkLayer: LinkEthernet, Overhead: 8, MTU: 2047, TSize: 512}, &SizeTable{LinkLayer: LinkEthernet, Overhead: 8}, true},
		{"ethernet is the least", &SizeTable{Overhead: 8}, &SizeTable{LinkLayer: LinkEthernet, Overhead: 8}, true},
		{"overhead", &SizeTable{Overhead: 8}, &SizeTable{Overhead: -8}, false},
		{"framing", &SizeTable{LinkLayer: LinkATM, Overhead: 8}, &SizeTable{LinkLayer: LinkEthernet, Overhead: 8}, false},
		{"entries", &SizeTable{LinkLayer: LinkATM, TSize: 128}, &SizeTable{LinkLayer: LinkATM, MTU: 2047, TSize: 512}, false},
		{"mpu", &SizeTable{LinkLayer: LinkEthernet, MPU: 64}, &SizeTable{LinkLayer: LinkEthernet, MPU: 84, MTU: 2047, TSize: 512}, false},
	} {
		if got := c.want.Satisfied(c.have); got != c.satisfied {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
