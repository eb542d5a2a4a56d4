// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name, want, got string
		differences     []string
	}{
		{"equal", `{"a":{"x":1,"y":[1,2]}}`, `{"a":{"x":1,"y":[1,2]}}`, nil},
		{"value", `{"a":{"x":1}}`, `{"a":{"x":2}}`, []string{`a x: 2, want 1`}},
		{"missing", `{"a":{"x":"b"}}`, `{"a":{}}`, []string{`a x: missing, want "b"`}},
		{"too much", `{"a":{}}`, `{"a":{"x":false}}`, []string{`a x: false, want none`}},
		{"object for value", `{"a":1}`, `{"a":{"x":1}}`, []string{`a: {"x":1}, want 1`}},
		{"list", `{"a":[1,2]}`, `{"a":[2,1]}`, []string{`a: [2,1], want [1,2]`}},
		{"null is absent", `{"a":null}`, `{}`, nil},
		{"kind", `{"q":{"kind":"cake","nat":true}}`, `{"q":{"kind":"htb","r2q":10}}`, []string{`q: htb, want cake`}},
		{"object of a kind missing", `{"q":{"kind":"cake"}}`, `{}`, []string{`q: missing, want cake`}},
		{"sorted", `{"b":1,"a":1}`, `{"c":1}`, []string{`a: missing, want 1`, `b: missing, want 1`, `c: 1, want none`}},

		{"time within 2", `{"target":5000}`, `{"target":4998}`, nil},
		{"time off", `{"target":1500}`, `{"target":1503}`, []string{`target: 1503, want 1500`}},
		{"time within a thousandth", `{"lat":300000}`, `{"lat":299700}`, nil},
		{"time off a thousandth", `{"lat":300000}`, `{"lat":299699}`, []string{`lat: 299699, want 300000`}},
		{"size", `{"burst":"1749b/1"}`, `{"burst":"1747b/1"}`, nil},
		{"size in other units", `{"cburst":"2Kb/1"}`, `{"cburst":"2047b/1"}`, nil},
		{"size off", `{"burst":"1749b/1"}`, `{"burst":"1746b/1"}`, []string{`burst: "1746b/1", want "1749b/1"`}},
		{"the same text", `{"burst":"a lot"}`, `{"burst":"a lot"}`, nil},
		{"cell", `{"burst":"1749b/1"}`, `{"burst":"1749b/8"}`, []string{`burst: "1749b/8", want "1749b/1"`}},
		{"no size", `{"burst":"1749b/1"}`, `{"burst":"much"}`, []string{`burst: "much", want "1749b/1"`}},
		{"only times are near", `{"limit":1001}`, `{"limit":1000}`, []string{`limit: 1000, want 1001`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.differences, compare(decode(t, test.want), decode(t, test.got))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func FuzzQuantity(f *testing.F) {
	for _, seed := range []string{"1749b/1", "2Kb/8", "10Mb", "b", "/", "-1b", "1e300Mb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if other := text + "/8"; equal("burst", text, other) {
			t.Errorf("%q is the same as %q, which has another cell size", text, other)
		}
	})
}
