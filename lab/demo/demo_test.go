// SPDX-License-Identifier: GPL-2.0-or-later

package demo

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/chart"
	"sqmd/lab/traffic"
)

const ms = time.Millisecond

// example returns measurements that miss no bar, as every shaper and load would give.
func example() []Measurement {
	var all []Measurement
	for _, shaper := range Shapers() {
		for _, load := range Loads() {
			m := Measurement{Shaper: shaper, Load: load}
			ping := 22 * ms
			if shaper.Script == "" {
				ping = 200 * ms
			}
			m.Ping = traffic.Summary{Sent: 4, Median: ping, P95: ping + ms, P99: ping + 2*ms, Max: ping + 3*ms}
			m.Echoes = []traffic.Echo{{Sent: 0, RoundTrip: ping}, {Sent: 50 * ms, RoundTrip: ping + 3*ms}, {Sent: 150 * ms}, {Sent: 250 * ms, RoundTrip: ping}}
			if load.Down {
				m.Down = Throughput{Goodput: 109e6, Wire: 114e6}
			}
			if load.Up {
				m.Up = Throughput{Goodput: 11.4e6, Wire: 11.9e6}
			}
			all = append(all, m)
		}
	}
	return all
}

var line = Line{Interface: "eth1", Down: 115e6, Up: 12e6}

func TestReadLine(t *testing.T) {
	got, err := ReadLine("sqm.config")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(line, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

func TestReadLineRefuses(t *testing.T) {
	queue := func(download, upload string) string {
		return "config queue\n\toption enabled 1\n\toption interface eth1\n\toption download " + download + "\n\toption upload " + upload + "\n\toption script piece_of_cake.qos\n\toption qdisc cake\n"
	}
	tests := map[string]struct {
		text string
		want string
	}{
		"no queue":              {"", "exactly one enabled queue"},
		"two queues":            {queue("1000", "1000") + strings.ReplaceAll(queue("1000", "1000"), "eth1", "eth2"), "exactly one enabled queue"},
		"broken queue":          {queue("x", "1000"), "download"},
		"no download":           {queue("0", "1000"), "rates must be"},
		"upload above the line": {queue("1000", "13000"), "rates must be"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sqm")
			if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ReadLine(path)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestWithOption(t *testing.T) {
	tests := map[string]struct {
		text, want string
	}{
		"replaced": {
			"config queue 'eth1'\n\toption script 'a'\n\toption qdisc 'cake'\n",
			"config queue 'eth1'\n\toption script 'new'\n\toption qdisc 'cake'\n",
		},
		"added": {
			"config queue\n\toption qdisc 'cake'\n",
			"config queue\n\toption script 'new'\n\toption qdisc 'cake'\n",
		},
		"twice, quoted": {
			"config 'queue'\n  option 'script' a\n option \"script\" b",
			"config 'queue'\n\toption script 'new'\n",
		},
		"longer names stay": {
			"config queue\n\toption scripts a\n\toption script_x b\n",
			"config queue\n\toption script 'new'\n\toption scripts a\n\toption script_x b\n",
		},
		"every queue": {
			"config queue\n\nconfig queue 'b'\n",
			"config queue\n\toption script 'new'\n\nconfig queue 'b'\n\toption script 'new'\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, withOption(test.text, "script", "new")); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissed(t *testing.T) {
	for _, m := range example() {
		if missed := line.missed(m); len(missed) > 0 {
			t.Errorf("%v misses %v", m, missed)
		}
	}
	bare, cake := Shapers()[0], Shapers()[1]
	down, up, both := Loads()[0], Loads()[1], Loads()[2]
	good := traffic.Summary{Sent: 9, Median: 22 * ms, P99: 25 * ms}
	tests := map[string]struct {
		measurement Measurement
		want        []string
	}{
		"no bloat":           {Measurement{Shaper: bare, Load: down, Ping: traffic.Summary{Sent: 9, Median: 150 * ms}}, []string{"ping median 150 ms shows no bloat"}},
		"nothing answered":   {Measurement{Shaper: bare, Load: down, Ping: traffic.Summary{Sent: 9, Lost: 9}}, []string{"no ping was answered"}},
		"slow median":        {Measurement{Shaper: cake, Load: up, Up: Throughput{Goodput: 11.4e6}, Ping: traffic.Summary{Sent: 9, Median: 23 * ms, P99: 25 * ms}}, []string{"ping median 23 ms is above 22 ms"}},
		"slow p99":           {Measurement{Shaper: cake, Load: up, Up: Throughput{Goodput: 11.4e6}, Ping: traffic.Summary{Sent: 9, Median: 22 * ms, P99: 26 * ms}}, []string{"ping p99 26 ms is above 25 ms"}},
		"little goodput":     {Measurement{Shaper: cake, Load: down, Down: Throughput{Goodput: 103e6, Wire: 115e6}, Ping: good}, []string{"download goodput 103.0 Mbit/s is below 94 % of 115.0"}},
		"little up":          {Measurement{Shaper: cake, Load: up, Up: Throughput{Goodput: 10e6}, Ping: good}, []string{"upload goodput 10.0 Mbit/s is below 94 % of 12.0"}},
		"little on the wire": {Measurement{Shaper: cake, Load: both, Down: Throughput{Wire: 109e6}, Up: Throughput{Wire: 11e6}, Ping: good}, []string{"download on the wire 109.0 Mbit/s is below 99 % of 115.0", "upload on the wire 11.0 Mbit/s is below 99 % of 12.0"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, line.missed(test.measurement)); diff != "" {
				t.Errorf("missed bars (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := WriteTable(&out, example()[:2]); err != nil {
		t.Fatal(err)
	}
	const want = `      load        shaper  goodput down    up  wire down    up  ping median    p95    p99  lost
  download  without sqmd         109.0     -      114.0     -        200.0  201.0  202.0     0
    upload  without sqmd             -  11.4          -  11.9        200.0  201.0  202.0     0
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestChartIsXML(t *testing.T) {
	decoder := xml.NewDecoder(bytes.NewReader(Chart(line, example())))
	elements := map[string]int{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
	// A line for each shaper and load.
	if got, want := elements["polyline"], len(Shapers())*len(Loads()); got != want {
		t.Errorf("chart has %d lines, want %d", got, want)
	}
}

func TestPingLineTakesTheSlowest(t *testing.T) {
	m := example()[3]
	points := pingLine(m, identity(window.Seconds()), identity(1000))
	var got [][2]float64
	for _, p := range points {
		got = append(got, [2]float64{p.X, p.Y})
	}
	if diff := cmp.Diff([][2]float64{{0.05, 25}, {0.25, 22}}, got); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

// identity returns a scale whose pixels are the values.
func identity(to float64) chart.Scale {
	return chart.Scale{To: to, End: to}
}

func TestBetween(t *testing.T) {
	echoes := []traffic.Echo{{Sent: 1 * ms}, {Sent: 2 * ms, RoundTrip: ms}, {Sent: 3 * ms}, {Sent: 4 * ms}}
	want := []traffic.Echo{{Sent: 0, RoundTrip: ms}, {Sent: 1 * ms}}
	if diff := cmp.Diff(want, between(echoes, 2*ms, 4*ms)); diff != "" {
		t.Errorf("echoes (-want +got):\n%s", diff)
	}
}
