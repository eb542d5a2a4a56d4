// SPDX-License-Identifier: GPL-2.0-or-later

package daemon

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/simkernel"
	"sqmd/shaping"
)

// overviewOf asks for the overview, and gives its size in bytes too.
func overviewOf(w *world) (OverviewReport, int) {
	w.t.Helper()
	reply, err := w.ask(MethodOverview, "{}")
	w.must(err)
	text, err := json.Marshal(reply)
	w.must(err)
	return reply.(OverviewReport), len(text)
}

func TestOverviewOfCake(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue+"\tgoal priorities")).start()
	for range 5 {
		w.k.Advance("eth1", simkernel.Traffic{Bytes: 125000, Packets: 100, Drops: 3})
		w.pass(time.Second)
	}
	o, _ := overviewOf(w)
	s, err := w.c.report(w.now)
	w.must(err)
	if !o.Shaped || o.Version != "test" || len(o.Queues) != 1 || o.ConfigFindings != 0 || o.UptimeS != w.c.uptime(w.now) {
		t.Fatalf("%+v", o)
	}
	q, full := o.Queues[0], s.Queues[0].Directions[0]
	if q.Queue != "wan" || !cmp.Equal(q.Sections, []string{"wan"}) || q.Device != "eth1" || q.Link == nil || !q.Link.Carrier {
		t.Errorf("%+v", q)
	}
	up := q.Directions[0]
	if up.Direction != "upload" || up.State != shaping.Shaped || up.Qdisc != "cake" || up.Recipe != "piece_of_cake.qos" ||
		up.RateKbit != 10000 || up.ConfiguredKbit != 10000 || up.ThroughputKbit == 0 || up.Drops != full.Drops {
		t.Errorf("%+v", up)
	}
	if len(up.Tins) != 4 || len(full.Tins) != 4 {
		t.Fatalf("%d tins, in status %d", len(up.Tins), len(full.Tins))
	}
	for i, row := range up.Tins {
		if len(row) != len(o.TinColumns) {
			t.Fatalf("%d columns, titles %q", len(row), o.TinColumns)
		}
		tin := full.Tins[i]
		want := []any{tin.Name, tin.SentBytes, tin.SentPackets, tin.Drops, tin.Marks, tin.BacklogBytes,
			tin.PeakDelayUs, tin.AvgDelayUs, tin.SparseDelayUs, tin.TargetUs, tin.ThresholdKbit}
		if diff := cmp.Diff(want, row); diff != "" {
			t.Errorf("tin %d (-status +overview):\n%s", i, diff)
		}
	}
}

// Of all tins together there are the sum of marks and the greatest delays.
func TestOverviewOfAllTins(t *testing.T) {
	d := DirectionReport{}
	d.Tins = []shaping.TinStatus{{Marks: 1 << 31, PeakDelayUs: 7, AvgDelayUs: 3}, {Marks: 1 << 31, PeakDelayUs: 5, AvgDelayUs: 4}, {}}
	o := shortened(d)
	if *o.Marks != 1<<32 || *o.PeakUs != 7 || *o.AvgUs != 4 {
		t.Errorf("marks %d, peak %d, average %d", *o.Marks, *o.PeakUs, *o.AvgUs)
	}
}

// What htb does not count is null, and a queue that waits has no numbers.
func TestOverviewOfOthers(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someHTB)+section("next", "eth9", someQueue)+section("bad", "eth8", "download x\tupload 1000\tscript simple.qos")).start()
	w.pass(2 * time.Second)
	o, _ := overviewOf(w)
	if o.Shaped || len(o.Queues) != 3 || o.ConfigFindings == 0 {
		t.Fatalf("%+v", o)
	}
	up := o.Queues[0].Directions[0]
	if up.Marks != nil || up.PeakUs != nil || len(up.Tins) != 3 || up.Tins[0][4] != nil || up.Tins[0][6] != nil {
		t.Errorf("%+v", up)
	}
	if text := jsonOf(t, up); !strings.Contains(text, `"marks":null`) || strings.Contains(text, `"reason"`) {
		t.Error(text)
	}
	next := o.Queues[1]
	if next.Link != nil || next.Directions[0].State != shaping.Waiting || len(next.Directions[0].Tins) != 0 || next.Directions[0].Recipe != "piece_of_cake.qos" {
		t.Errorf("%+v", next)
	}
	if bad := o.Queues[2]; bad.Directions[0].State != shaping.Refused || bad.Directions[0].Reason == "" {
		t.Errorf("%+v", bad)
	}
}

// The rate that another program set is told beside the configured one.
func TestOverviewTellsOfForeignRates(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.must(w.k.SetRate("eth1", 5000000))
	w.pass(2 * time.Second)
	o, _ := overviewOf(w)
	if up := o.Queues[0].Directions[0]; up.RateKbit != 5000 || up.ConfiguredKbit != 10000 || up.Reason == "" {
		t.Errorf("%+v", up)
	}
}

// An answer about two queues of four tins each way is at most 4 kB, also when the
// numbers are long.
func TestOverviewIsShort(t *testing.T) {
	const options = "upload 9000000\tdownload 9000000\tqdisc cake\tscript layer_cake.qos\tgoal priorities"
	w := newWorld(t, section("the_first_one", "eth1.4094", options)+section("the_other_one", "pppoe-wan", options))
	w.addDevice("eth1.4094", "vlan")
	w.addDevice("pppoe-wan", "ppp")
	writeStat(w, 100)
	w.start().pass(2 * time.Second)
	writeStat(w, 900)
	w.pass(time.Second)
	o, small := overviewOf(w)
	full, err := w.c.report(w.now)
	w.must(err)
	if len(full.Queues) != 2 || o.CPU == nil {
		t.Fatalf("%+v", full)
	}
	o.Queues = nil
	for _, q := range full.Queues {
		for i := range q.Directions {
			d := &q.Directions[i]
			if d.State != shaping.Shaped || len(d.Tins) != 4 {
				t.Errorf("%+v", d)
			}
			d.ThroughputKbit, d.Drops, d.BacklogBytes = 8999999, 99999999, 9999999
			d.Reason = strings.Repeat("x", 100)
			for j := range d.Tins {
				name := d.Tins[j].Name
				d.Tins[j] = shaping.TinStatus{Name: name, SentBytes: 9_999_999_999_999, SentPackets: 4_000_000_000, Drops: 9_999_999, Marks: 9_999_999,
					BacklogBytes: 9_999_999, PeakDelayUs: 999_999, AvgDelayUs: 99_999, SparseDelayUs: 9_999, TargetUs: 99_999, ThresholdKbit: 9_000_000}
			}
		}
		o.Queues = append(o.Queues, w.c.overviewOf(q))
	}
	size := len(jsonOf(t, o))
	const most = 4000
	if size > most {
		t.Errorf("%d bytes, at most %d:\n%s", size, most, jsonOf(t, o))
	}
	t.Logf("%d bytes, %d at first", size, small)
}

// writeStat is a /proc/stat with a processor that was busy for so many ticks of
// 1000.
func writeStat(w *world, busy int) {
	w.t.Helper()
	path := filepath.Join(w.dir, "proc/stat")
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	text := "cpu  0 0 0 0 0 0 0\ncpu0 " + jsonOf(w.t.(*testing.T), busy) + " 0 0 " + jsonOf(w.t.(*testing.T), 1000-busy) + " 0 0 " + jsonOf(w.t.(*testing.T), busy*2) + "\n"
	w.must(os.WriteFile(path, []byte(text), 0o600))
}

func TestOverviewTellsOfProcessors(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue))
	w.start().pass(3 * time.Second)
	if o, _ := overviewOf(w); o.CPU != nil {
		t.Errorf("without a file: %+v", o.CPU)
	}
	writeStat(w, 100)
	w.start().pass(2 * time.Second)
	writeStat(w, 900)
	w.pass(time.Second)
	o, _ := overviewOf(w)
	if diff := cmp.Diff(&CPUReport{BusyPercent: 100, SoftirqPercent: 100, CPUs: 1}, o.CPU); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The doctor looks at the first request, and again after a minute, not each time.
func TestOverviewCountsFindings(t *testing.T) {
	w := newWorld(t, section("wan", "eth1", someQueue)).start()
	w.pass(2 * time.Second)
	o, _ := overviewOf(w)
	reply, err := w.ask(MethodDoctor, "{}")
	w.must(err)
	before := len(reply.(DoctorReport).Findings)
	if o.Findings != before {
		t.Errorf("%d findings, the doctor has %d", o.Findings, before)
	}
	w.must(os.MkdirAll(filepath.Join(w.dir, "etc/config"), 0o755))
	w.must(os.WriteFile(filepath.Join(w.dir, "etc/config/firewall"), []byte("config defaults\n\toption flow_offloading 1\n\toption flow_offloading_hw 1\n"), 0o600))
	w.pass(30 * time.Second)
	if o, _ := overviewOf(w); o.Findings != before {
		t.Errorf("after half a minute %d findings, before %d", o.Findings, before)
	}
	w.pass(40 * time.Second)
	if o, _ := overviewOf(w); o.Findings <= before {
		t.Errorf("after a minute %d findings, before %d", o.Findings, before)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"short", "short"}, {"exactly ten", "exactly..."}, {strings.Repeat("\u00e9", 6), "\u00e9\u00e9\u00e9..."},
	} {
		got := cut(c.in, 10)
		if got != c.want || !utf8.ValidString(got) {
			t.Errorf("%q is cut to %q, want %q", c.in, got, c.want)
		}
	}
}
