// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunAll(t *testing.T) {
	pattern := regexp.MustCompile("cake")
	cases := []Case{
		{ID: "a001", File: "qdiscs/cake", UnderTest: "$TC qdisc add cake", Pattern: pattern},
		{ID: "a002", File: "qdiscs/cake", UnderTest: "$TC qdisc del", Pattern: pattern, Name: "Delete", Verify: "$TC show",
			Setup: []Line{{Text: "$IP link add"}}},
		{ID: "b001", File: "filters/fw", UnderTest: "$TC filter add fw action police rate 1mbit", Pattern: pattern},
		{ID: "b002", File: "filters/fw", UnderTest: "$TC filter add fw", Pattern: pattern, Skip: true},
		{ID: "b003", File: "filters/fw", UnderTest: "$TC filter add fw", Pattern: pattern,
			Teardown: []Line{{Text: "$TC actions del action police"}}},
	}
	var ran []string
	var out strings.Builder
	summary := RunAll(cases, func(c Case) error {
		ran = append(ran, c.ID)
		if c.ID == "a002" {
			return errors.New("exit code 2, not 0: no such file\nor directory")
		}
		return nil
	}, &out)
	if diff := cmp.Diff([]string{"a001", "a002"}, ran); diff != "" {
		t.Errorf("cases run: %s", diff)
	}
	if diff := cmp.Diff(Summary{Passed: 1, Failed: 1, LeftOut: 3}, summary); diff != "" {
		t.Error(diff)
	}
	want := `FAIL qdiscs/cake a002: Delete
    set-up   $IP link add
    test     $TC qdisc del
    verify   $TC show
    pattern  cake
    result   exit code 2, not 0: no such file
             or directory
qdiscs/cake                1 passed   1 failed   0 left out
filters/fw                 0 passed   0 failed   3 left out
left out, action police: sqmd limits rates by shaping, never by policing: filters/fw b001, filters/fw b003
left out, the kernel's own runner skips it: filters/fw b002
tc-suite: 1 passed, 1 failed, 3 left out
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestGood(t *testing.T) {
	for s, want := range map[Summary]bool{
		{Passed: 1}:             true,
		{Passed: 1, LeftOut: 9}: true,
		{Passed: 9, Failed: 1}:  false,
		{LeftOut: 9}:            false,
		{}:                      false,
	} {
		if s.Good() != want {
			t.Errorf("%v is good: %v", s, s.Good())
		}
	}
}

func TestWellKnownLines(t *testing.T) {
	for line, want := range map[string]string{
		`$IP link add dev $DUMMY type dummy || /bin/true`:    "",
		`$IP link add dev $DUMMY txqueuelen 1000 type dummy`: "1000",
		`$IP link del dev $DUMMY type dummy`:                 "",
		`$IP link del dev $DUMMY`:                            "",
		`echo "1 1 4" > /sys/bus/netdevsim/new_device`:       "4",
		`echo "1 1" > /sys/bus/netdevsim/new_device`:         "",
		`echo "1" > /sys/bus/netdevsim/del_device`:           "",
		`/bin/sleep 1`: "",
		`echo "1 1 4" > /sys/bus/other/new_device`: "other",
		`$TC qdisc show`: "other",
		`$IP link del dev $DUMMY type dummy || /bin/true`:             "other",
		`$IP link add dev $DUMMY type dummy; $IP link del dev $DUMMY`: "other",
	} {
		got := "other"
		for _, known := range wellKnown {
			if match := known.line.FindStringSubmatch(line); match != nil {
				got = strings.Join(match[1:], "")
			}
		}
		if got != want {
			t.Errorf("%q has the argument %q, want %q", line, got, want)
		}
	}
}

func TestWithoutStars(t *testing.T) {
	const output = "fh 800::800 key ht 800 bkt 0 *flowid 1:1 not_in_hw\n  match 7f000001/ffffffff at 12"
	want := strings.ReplaceAll(output, "*", "")
	if got := withoutStars(output); got != want {
		t.Errorf("%q became %q, want %q", output, got, want)
	}
}
