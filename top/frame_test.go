// SPDX-License-Identifier: GPL-2.0-or-later

package top

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/daemon"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestFrames(t *testing.T) {
	for _, test := range pictures {
		p := paint(test.report, test.failure)
		var got strings.Builder
		for _, width := range []int{40, 80, 132} {
			fmt.Fprintf(&got, "%d columns:\n%s\n", width, drawn(p.frame(width, 50)))
		}
		compare(t, test.name, got.String())
	}
}

// TestLowWindows draws into windows that are too low for everything.
func TestLowWindows(t *testing.T) {
	var findings func(uint64) daemon.Report
	for _, test := range pictures {
		if test.name == "findings" {
			findings = test.report
		}
	}
	p := paint(findings, nil)
	var got strings.Builder
	for _, height := range []int{1, 2, 3, 5, 8, 12, 16, 20} {
		fmt.Fprintf(&got, "%d lines:\n%s\n", height, drawn(p.frame(80, height)))
	}
	compare(t, "low", got.String())
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// drawn is the text of a frame, without colours and the space at the ends.
func drawn(lines []line) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(strings.TrimRight(l.text(false), " ") + "\n")
	}
	return out.String()
}

func TestBeforeTheFirstReport(t *testing.T) {
	var p picture
	if diff := cmp.Diff("waiting for the first report\n", drawn(p.frame(80, 24))); diff != "" {
		t.Error(diff)
	}
	p.add(daemon.Report{}, errors.New("no daemon is running"), noon)
	if diff := cmp.Diff("no report: no daemon is running\n", drawn(p.frame(80, 24))); diff != "" {
		t.Error(diff)
	}
}

// TestFirstReport has no throughput of tins yet, but that of the direction, which
// the daemon measured.
func TestFirstReport(t *testing.T) {
	var p picture
	p.add(sample(10), nil, noon)
	got := strings.Split(drawn(p.frame(80, 24)), "\n")
	if fields := strings.Fields(got[4]); fields[2] != "18.3M" {
		t.Errorf("direction: %q", got[4])
	}
	if fields := strings.Fields(got[5]); fields[1] != "-" {
		t.Errorf("tin: %q", got[5])
	}
}

// TestCounterThatStartsAgain is a shaper that was made anew between two reports.
func TestCounterThatStartsAgain(t *testing.T) {
	var p picture
	p.add(sample(12), nil, noon)
	p.add(sample(1), nil, noon.Add(1e9))
	if len(p.rates) != 2 { // of the tins that never sent
		t.Errorf("%v", p.rates)
	}
}

func TestColours(t *testing.T) {
	l := pack(needed, 80, 0, span{"sqmd", bold}, span{"NOT SHAPED", red}, span{"up", normal})
	if diff := cmp.Diff("\x1b[1msqmd\x1b[m  \x1b[31mNOT SHAPED\x1b[m  up", l.text(true)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("sqmd  NOT SHAPED  up", l.text(false)); diff != "" {
		t.Error(diff)
	}
	for state, want := range map[string]colour{"shaped": green, "off": faint, "waiting": yellow, "conflict": red, "": red} {
		if got := stateColour(state); got != want {
			t.Errorf("%s: %q", state, got)
		}
	}
}

func TestScreenful(t *testing.T) {
	lines := []line{{spans: []span{{"12345", red}}}, {spans: []span{{"123", normal}}}}
	for _, test := range []struct {
		height int
		want   string
	}{
		{2, "\x1b[H12345\r\n123\x1b[K"},
		{3, "\x1b[H12345\r\n123\x1b[K\r\n\x1b[J"},
	} {
		if diff := cmp.Diff(test.want, screenful(lines, 5, test.height, false)); diff != "" {
			t.Errorf("%d: %s", test.height, diff)
		}
	}
}
