// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func ptr[T any](v T) *T { return &v }

// sane is an enabled section without findings, to which a test adds lines. An
// option that the test sets itself is left out of it.
func sane(lines string) string {
	text := "config queue 'q'\n"
	for _, o := range [][2]string{{"enabled", "1"}, {"interface", "eth1"}, {"download", "20000"}, {"upload", "2000"}, {"script", "piece_of_cake.qos"}} {
		if !strings.Contains(lines, "option "+o[0]+" ") {
			text += "option " + o[0] + " '" + o[1] + "'\n"
		}
	}
	return text + lines
}

// saneQueue is what [sane] reads as.
func saneQueue() Queue {
	return Queue{
		File: "f", Section: "q", Line: 1, Enabled: true, Interface: "eth1", Download: 20_000_000, Upload: 2_000_000,
		Recipe: PieceOfCake, Qdisc: "cake", SquashDSCP: true, SquashIngress: true, IngressECN: true, EgressECN: true,
		TableMTU: 2047, TableSize: 512, Verbosity: 5,
	}
}

// TestOptions sets options that are all right and looks at what changes.
func TestOptions(t *testing.T) {
	htb := "option script simple.qos\noption qdisc fq_codel\n"
	for _, c := range []struct {
		name, lines string
		change      func(*Queue)
	}{
		{"nothing", "", func(q *Queue) {}},
		{"empty values", "option itarget ''\noption linklayer ''\noption ilimit ''\n", func(q *Queue) {}},
		{"off", "option enabled off\n", func(q *Queue) { q.Enabled = false }},
		{"on", "option enabled True\n", func(q *Queue) {}},
		{"logical network", "option interface @wan\n", func(q *Queue) { q.Interface, q.Logical = "wan", true }},
		{"leading zeros", "option download 050000\noption overhead 022\noption linklayer ethernet\n", func(q *Queue) {
			q.Download, q.Overhead, q.LinkLayer = 50_000_000, 22, LinkEthernet
		}},
		{"100 Gbit/s", "option download 100000000\n", func(q *Queue) { q.Download = 100_000_000_000 }},
		{"upload only", "option download 0\n", func(q *Queue) { q.Download = 0 }},
		{"layer_cake", "option script layer_cake.qos\noption qdisc cake\noption squash_dscp 0\noption squash_ingress 0\n", func(q *Queue) {
			q.Recipe, q.SquashDSCP, q.SquashIngress = LayerCake, false, false
		}},
		{"default leaf", "option script simplest.qos\n", func(q *Queue) { q.Recipe, q.Qdisc = Simplest, "fq_codel" }},
		{"simple with cake", "option script simple.qos\noption qdisc cake\n", func(q *Queue) { q.Recipe = Simple }},
		{"tbf with a fifo", "option script simplest_tbf.qos\noption qdisc bfifo\n", func(q *Queue) { q.Recipe, q.Qdisc = SimplestTBF, "bfifo" }},
		{"cake_mq", "option qdisc cake_mq\n", func(q *Queue) { q.UseMQ = true }},
		{"use_mq", "option use_mq 1\n", func(q *Queue) { q.UseMQ = true }},
		{"use_mq wins over cake_mq", "option qdisc cake_mq\noption use_mq 0\n", func(q *Queue) {}},
		{"leaf", htb + "option ingress_ecn NOECN\noption egress_ecn ecn\noption ilimit 600\noption elimit 300\noption itarget 12ms\noption etarget default\n", func(q *Queue) {
			q.Recipe, q.Qdisc = Simple, "fq_codel"
			q.IngressECN, q.IngressLimit, q.EgressLimit = false, 600, 300
			q.IngressTarget, q.EgressTarget = Target{TargetFixed, 12_000}, Target{Mode: TargetKernel}
		}},
		{"words", "option iqdisc_opts 'nat \"x'\nlist eqdisc_opts nat\nlist eqdisc_opts dual-srchost\n", func(q *Queue) {
			q.IngressOpts, q.EgressOpts = `nat "x`, "nat dual-srchost"
		}},
		{"line", "option linklayer adsl\noption overhead 44\noption tcMPU 96\noption tcMTU 0\noption tcTSIZE 0\noption linklayer_adaptation_mechanism cake\n", func(q *Queue) {
			q.LinkLayer, q.Overhead, q.MPU, q.TableMTU, q.TableSize, q.Mechanism = LinkATM, 44, 96, 0, 0, MechanismCake
		}},
		{"htb accounts", htb + "option linklayer ethernet\noption linklayer_adaptation_mechanism htb_private\n", func(q *Queue) {
			q.Recipe, q.Qdisc, q.LinkLayer, q.Mechanism = Simple, "fq_codel", LinkEthernet, MechanismHTB
		}},
		{"negative overhead beyond cake's range", htb + "option linklayer ethernet\noption overhead -100\n", func(q *Queue) {
			q.Recipe, q.Qdisc, q.LinkLayer, q.Overhead = Simple, "fq_codel", LinkEthernet, -100
		}},
		{"preset", "option link_preset pppoe-ptm\n", func(q *Queue) {
			q.LinkPreset, q.LinkLayer, q.Overhead, q.MPU, q.OverheadOnIP = "pppoe-vdsl2", LinkPTM, 30, 68, true
		}},
		{"preset and the same again", "option link_preset docsis\noption linklayer ethernet\noption tcMPU 64\n", func(q *Queue) {
			q.LinkPreset, q.LinkLayer, q.Overhead, q.MPU, q.OverheadOnIP = "docsis", LinkEthernet, 18, 64, true
		}},
		{"no accounting", "option link_preset raw\n", func(q *Queue) { q.LinkPreset = "raw" }},
		{"cake", "option nat 0\noption isolation dual-srchost\noption ack_filter aggressive\noption rtt 30ms\noption memlimit 32mb\noption split_gso no\noption diffserv_ingress diffserv4\noption diffserv_egress precedence\noption wash_egress 1\n", func(q *Queue) {
			q.NAT, q.Isolation, q.AckFilter, q.RTT, q.MemLimit, q.SplitGSO = ptr(false), "dual-srchost", "aggressive", 30_000, 32<<20, ptr(false)
			q.DiffservIngress, q.DiffservEgress, q.WashEgress = "diffserv4", "precedence", ptr(true)
		}},
		{"ack filter on", "option ack_filter yes\noption rtt satellite\n", func(q *Queue) { q.AckFilter, q.RTT = "on", 1_000_000 }},
		{"ack filter off", "option ack_filter 0\n", func(q *Queue) { q.AckFilter = "off" }},
		{"goal device", "option goal device\n", func(q *Queue) { q.Goal, q.NAT = "device", ptr(true) }},
		{"goal device without nat", "option goal device\noption nat 0\n", func(q *Queue) { q.Goal, q.NAT = "device", ptr(false) }},
		{"goal flow", "option goal flow\n", func(q *Queue) { q.Goal, q.Isolation = "flow", "flows" }},
		{"goal flow with other isolation", "option goal flow\noption isolation hosts\n", func(q *Queue) { q.Goal, q.Isolation = "flow", "hosts" }},
		{"goal priorities", "option goal priorities\n", func(q *Queue) {
			q.Goal, q.DiffservIngress, q.DiffservEgress, q.SquashDSCP, q.SquashIngress = "priorities", "diffserv4", "diffserv4", false, false
		}},
		{"goal priorities with own choices", "option goal priorities\noption squash_dscp 1\noption diffserv_ingress diffserv8\noption diffserv_egress besteffort\n", func(q *Queue) {
			q.Goal, q.DiffservIngress, q.DiffservEgress, q.SquashIngress = "priorities", "diffserv8", "besteffort", false
		}},
		{"goal priorities with htb", htb + "option goal priorities\n", func(q *Queue) {
			q.Recipe, q.Qdisc, q.Goal, q.DiffservIngress, q.DiffservEgress, q.SquashDSCP, q.SquashIngress = Simple, "fq_codel", "priorities", "diffserv4", "diffserv4", false, false
		}},
		{"unlimited", "option unlimited 1\noption download ''\noption upload ''\n", func(q *Queue) {
			q.Unlimited, q.Download, q.Upload = Directions{true, true}, 0, 0
		}},
		{"unlimited upload", "option unlimited upload\noption upload 0\n", func(q *Queue) { q.Unlimited.Upload, q.Upload = true, 0 }},
		{"log", "option debug_logging yes\noption verbosity 8\n", func(q *Queue) { q.DebugLogging, q.Verbosity = true, 8 }},
		{"web page", "option qdisc_advanced 0\noption qdisc_really_really_advanced 1\noption linklayer_advanced 0\n", func(q *Queue) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := ParseSQM("f", []byte(sane(c.lines)))
			if diff := cmp.Diff([]string(nil), problems(config.Findings)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			want := saneQueue()
			c.change(&want)
			if diff := cmp.Diff([]Queue{want}, config.Queues, cmpopts.IgnoreUnexported(Queue{})); diff != "" {
				t.Errorf("queues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsolationByDirection(t *testing.T) {
	for _, c := range []struct{ lines, ingress, egress string }{
		{"", "", ""},
		{"option goal device\n", "dual-dsthost", "dual-srchost"},
		{"option goal device\noption isolation hosts\n", "hosts", "hosts"},
		{"option goal flow\n", "flows", "flows"},
	} {
		q := ParseSQM("f", []byte(sane(c.lines))).Queues[0]
		if q.IngressIsolation() != c.ingress || q.EgressIsolation() != c.egress {
			t.Errorf("%q: %q and %q, want %q and %q", c.lines, q.IngressIsolation(), q.EgressIsolation(), c.ingress, c.egress)
		}
	}
}

func TestQueueFinding(t *testing.T) {
	q := ParseSQM("/etc/config/sqm", []byte(sane("list eqdisc_opts nat\nlist eqdisc_opts nonsense\n"))).Queues[0]
	for _, c := range []struct {
		option string
		want   Finding
	}{
		{"eqdisc_opts", Finding{File: "/etc/config/sqm", Line: 8, Type: "queue", Section: "q", Option: "eqdisc_opts", Value: "nat nonsense", Severity: Error, Problem: "p", Accepted: "a"}},
		{"iqdisc_opts", Finding{File: "/etc/config/sqm", Line: 1, Type: "queue", Section: "q", Option: "iqdisc_opts", Severity: Error, Problem: "p", Accepted: "a"}},
		{"", Finding{File: "/etc/config/sqm", Line: 1, Type: "queue", Section: "q", Severity: Error, Problem: "p", Accepted: "a"}},
	} {
		if diff := cmp.Diff(c.want, q.Finding(Error, c.option, "p", "a")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.option, diff)
		}
	}
}

func TestLoadSQM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sqm")
	if err := os.WriteFile(path, []byte(sane("")), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := LoadSQM(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Queues) != 1 || config.Queues[0].File != path {
		t.Errorf("queues: %+v", config.Queues)
	}
	if _, err := LoadSQM(path + ".missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := LoadSQM(filepath.Dir(path)); err == nil {
		t.Error("no error for a directory")
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#", maxFileSize+5)), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err = LoadSQM(path)
	if err != nil || !config.Incomplete || len(config.Findings) != 1 {
		t.Errorf("large file: %v, %+v", err, config)
	}
}
