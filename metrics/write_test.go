// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/daemon"
	"sqmd/shaping"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// written is what Write makes of r.
func written(t *testing.T, r daemon.Report) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checked is the text of r, taken apart.
func checked(t *testing.T, r daemon.Report) exposition {
	t.Helper()
	e, err := parse(written(t, r))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestWrite(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			got := written(t, r)
			if _, err := parse(got); err != nil {
				t.Error(err)
			}
			golden := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// TestFamiliesAreFound holds that the reports of the golden files fill all
// families: the other tests stand on that.
func TestFamiliesAreFound(t *testing.T) {
	var tables []string
	tables = append(tables, names(reportFamilies)...)
	tables = append(tables, names(queueFamilies)...)
	tables = append(tables, names(linkFamilies)...)
	tables = append(tables, names(directionFamilies)...)
	tables = append(tables, names(processFamilies)...)
	tables = append(tables, names(watchedFamilies)...)
	tables = append(tables, names(shaperFamilies)...)
	tables = append(tables, names(tinFamilies)...)
	tables = append(tables, names(classFamilies)...)
	known := emitted(t).names
	for _, name := range tables {
		if !known[name] {
			t.Errorf("no report of the tests has a sample of %s", name)
		}
	}
}

func names[T any](families []family[T]) (all []string) {
	for _, f := range families {
		name := f.name
		if f.kind == counter {
			name += "_total"
		}
		all = append(all, name)
	}
	return all
}

func TestSeconds(t *testing.T) {
	for us, want := range map[uint32]string{
		0: "0", 1: "0.000001", 10: "0.00001", 5000: "0.005", 100000: "0.1", 999999: "0.999999",
		1000000: "1", 1000001: "1.000001", 10000000: "10", 4294967295: "4294.967295",
	} {
		if got := seconds(us); got != want {
			t.Errorf("seconds(%d) = %s, want %s", us, got, want)
		}
	}
}

// TestBits holds that rates that do not fit in 64 bit as bit/s are written whole.
func TestBits(t *testing.T) {
	if diff := cmp.Diff("18446744073709551615000", kilo(^uint64(0))[0].value); diff != "" {
		t.Error(diff)
	}
	if got := kilo(uint64(0)); got != nil {
		t.Errorf("no limit is written as %v", got)
	}
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteError(t *testing.T) {
	if err := Write(brokenPipe{}, cakeReport()); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

// FuzzWrite holds that names of any kind and all numbers make a text that the
// checker accepts, and that names come back from it as they were.
func FuzzWrite(f *testing.F) {
	f.Add("wan", "eth1", "Best Effort", "shaped", uint64(85000), uint32(12345), true)
	f.Add(`"`, `\`, "\n", "\\\"\n\r", uint64(0), uint32(0), false)
	f.Add(`\n`, `a",queue="b`, "} 1\n# EOF\n", "\xff\x00", ^uint64(0), ^uint32(0), true)
	f.Fuzz(func(t *testing.T, queue, device, name, state string, large uint64, small uint32, watched bool) {
		r := hostile(queue, device, name, state, large, small, watched)
		e := checked(t, r)
		want := map[string]string{"device": device, "queue": queue, "direction": "upload", "tin": name}
		for l, v := range want {
			want[l] = strings.ToValidUTF8(v, "\uFFFD")
		}
		for _, s := range e.series {
			if s.name == "sqmd_tin_sent_bytes_total" {
				if diff := cmp.Diff(want, s.labels); diff != "" {
					t.Errorf("labels (-want +got):\n%s", diff)
				}
				return
			}
		}
		t.Error("the tin is missing")
	})
}

func hostile(queue, device, name, state string, large uint64, small uint32, watched bool) daemon.Report {
	d := shaping.DirectionStatus{
		Direction: "upload", State: state, Shaper: device, Qdisc: "cake", RateKbit: large, SentBytes: large, Drops: small,
		Tins:    []shaping.TinStatus{{Name: name, ThresholdKbit: large, PeakDelayUs: small, SentBytes: large, SentPackets: small}},
		Classes: []shaping.ClassStatus{{Class: name, RateKbit: large, SentBytes: large}},
	}
	r := daemon.Report{Version: name, Queues: []daemon.QueueReport{{
		Queue: queue, Device: device, Link: &daemon.LinkReport{}, Directions: []daemon.DirectionReport{{DirectionStatus: d}},
	}}}
	if watched {
		r.Daemon = &daemon.ProcessReport{Reconciles: large}
	}
	return r
}

// TestUnknownState holds that a direction is never in no state at all.
func TestUnknownState(t *testing.T) {
	for _, state := range []string{shaping.Shaped, shaping.Off, "puzzled"} {
		in := 0
		for _, s := range states(daemon.DirectionReport{DirectionStatus: shaping.DirectionStatus{State: state}}) {
			if s.value == "1" {
				in++
				if diff := cmp.Diff(label("state", state), s.label); diff != "" {
					t.Error(diff)
				}
			}
		}
		if in != 1 {
			t.Errorf("%s: in %d states", state, in)
		}
	}
}
