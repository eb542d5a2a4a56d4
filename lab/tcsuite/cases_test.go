// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twoCases = `[
  {
    "id": "a001", "name": "Add a queue", "category": ["qdisc", "cake"], "plugins": {"requires": "nsPlugin"},
    "setup": [["$TC qdisc del dev $DUMMY root", 0, 1, 255], "$IP link add dev $DUMMY type dummy", "", []],
    "cmdUnderTest": "$TC qdisc add dev $DUMMY root cake", "expExitCode": "0",
    "verifyCmd": "$TC qdisc show dev $DUMMY", "matchPattern": "^qdisc cake.*rtt 100ms$", "matchCount": "1",
    "teardown": ["$IP link del dev $DUMMY"]
  },
  {
    "id": "a002", "name": "Skipped", "skip": "yes", "setup": [], "cmdUnderTest": "$TC x", "expExitCode": 255,
    "verifyCmd": "", "matchPattern": "", "matchCount": 0, "teardown": []
  }
]`

func TestParseCases(t *testing.T) {
	got, err := parseCases([]byte(twoCases))
	if err != nil {
		t.Fatal(err)
	}
	want := []Case{
		{
			ID: "a001", Name: "Add a queue",
			Setup: []Line{
				{Text: "$TC qdisc del dev $DUMMY root", Exits: []int{0, 1, 255}},
				{Text: "$IP link add dev $DUMMY type dummy", Exits: []int{0}},
			},
			Teardown:  []Line{{Text: "$IP link del dev $DUMMY", Exits: []int{0}}},
			UnderTest: "$TC qdisc add dev $DUMMY root cake", ExitCode: 0,
			Verify: "$TC qdisc show dev $DUMMY", Pattern: regexp.MustCompile("(?ms)^qdisc cake.*rtt 100ms$"), Matches: 1,
		},
		{
			ID: "a002", Name: "Skipped", Setup: []Line{}, Teardown: []Line{}, UnderTest: "$TC x", ExitCode: 255,
			Pattern: regexp.MustCompile("(?ms)"), Skip: true,
		},
	}
	samePattern := cmp.Comparer(func(a, b *regexp.Regexp) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, got, samePattern); diff != "" {
		t.Error(diff)
	}
}

// The pattern must see the output as the kernel's runner does: "." crosses lines, "$" stands at each line's end.
func TestPatternCrossesLines(t *testing.T) {
	cases, err := parseCases([]byte(twoCases))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"qdisc cake 1: root\n rtt 100ms\nqdisc noqueue": 1,
		" qdisc cake 1: root rtt 100ms":                 0,
		"qdisc cake 1: root rtt 100ms raw":              0,
	} {
		if got := len(cases[0].Pattern.FindAllString(text, -1)); got != want {
			t.Errorf("found %d times in %q, want %d", got, text, want)
		}
	}
}

func TestParseCasesRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, part string }{
		"no list":       {`{}`, "cannot unmarshal"},
		"no command":    {`[{"id": "a"}]`, "no command"},
		"bad pattern":   {`[{"id": "a", "cmdUnderTest": "b", "matchPattern": "("}]`, "case a"},
		"bad count":     {`[{"id": "a", "cmdUnderTest": "b", "matchCount": "many"}]`, "not a whole number"},
		"bad set-up":    {`[{"id": "a", "cmdUnderTest": "b", "setup": [1]}]`, "neither a command nor a list"},
		"bad exit":      {`[{"id": "a", "cmdUnderTest": "b", "setup": [["c", "d"]]}]`, "cannot unmarshal"},
		"bad exit code": {`[{"id": "a", "cmdUnderTest": "b", "expExitCode": "1.5"}]`, "not a whole number"},
	} {
		_, err := parseCases([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.part)
		}
	}
}

func FuzzParseCases(f *testing.F) {
	f.Add([]byte(twoCases))
	f.Add([]byte(`[{"id": "a", "cmdUnderTest": "b", "setup": [["c", 1], []]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		cases, err := parseCases(text)
		if err != nil {
			return
		}
		for _, c := range cases {
			if c.UnderTest == "" || c.Pattern == nil {
				t.Errorf("accepted a case that cannot be run: %+v", c)
			}
		}
	})
}
