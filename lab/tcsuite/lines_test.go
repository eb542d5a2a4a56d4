// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	names := Variables{"TC": "/sbin/tc", "DEV1": "v0p1", "_x": "underscore"}
	for line, want := range map[string]string{
		"":                              "",
		"no names":                      "no names",
		"$TC qdisc show dev $DEV1":      "/sbin/tc qdisc show dev v0p1",
		"${TC}x ${DEV1}":                "/sbin/tcx v0p1",
		"$TCP ${TC $":                   "$TCP ${TC $",
		"$$TC $$":                       "$TC $",
		"$_x-$1":                        "underscore-$1",
		`bash -c "for i in 1; do $TC"`:  `bash -c "for i in 1; do /sbin/tc"`,
		`cmd=\"index \$i\" && $TC \$a`:  `cmd=\"index \$i\" && /sbin/tc \$a`,
		"$UNKNOWN ${UNKNOWN} $TC$TC$TC": "$UNKNOWN ${UNKNOWN} /sbin/tc/sbin/tc/sbin/tc",
	} {
		if got := names.Expand(line); got != want {
			t.Errorf("%q became %q, want %q", line, got, want)
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("$TC ${TC} $$ ${ $")
	f.Add("$TCx$TC")
	f.Fuzz(func(t *testing.T, line string) {
		if got := (Variables{}).Expand(line); strings.ReplaceAll(got, "$", "") != strings.ReplaceAll(line, "$", "") {
			t.Errorf("%q became %q without any variable", line, got)
		}
	})
}

func TestPlain(t *testing.T) {
	type result struct {
		Words      []string
		IgnoreExit bool
		OK         bool
	}
	for line, want := range map[string]result{
		"/sbin/ip link add  dummy1":             {[]string{"/sbin/ip", "link", "add", "dummy1"}, false, true},
		"ip link add x type dummy || /bin/true": {[]string{"ip", "link", "add", "x", "type", "dummy"}, true, true},
		"tc qdisc add handle 10/0xff 1: -200":   {[]string{"tc", "qdisc", "add", "handle", "10/0xff", "1:", "-200"}, false, true},
		"tc actions list | grep 'key '":         {},
		`bash -c "x"`:                           {},
		"a || b":                                {},
		"|| /bin/true":                          {},
		"a; b":                                  {},
		"echo $x":                               {},
		"":                                      {},
	} {
		var got result
		got.Words, got.IgnoreExit, got.OK = plain(line)
		if !got.OK {
			got = result{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}
