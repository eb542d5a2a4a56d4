// SPDX-License-Identifier: GPL-2.0-or-later

package conformance

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHandle(t *testing.T) {
	for in, want := range map[string]string{
		"root": "root", "1:": "1:", "1:12": "1:12", "7fff:": "7fff:", "8001:": "auto", "fffe:": "auto",
		"8001:1": "auto:1", "ffff:": "ffff:", "ffff:fff1": "ffff:fff1", "none:": "none:", "": "",
	} {
		if got := handle(in); got != want {
			t.Errorf("handle(%q) = %q, want %q", in, got, want)
		}
	}
}

// The cases are those of RFC 7396, appendix A, that concern objects.
func TestMerge(t *testing.T) {
	for _, test := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		got := merge(decode(t, test.target), decode(t, test.patch))
		if diff := cmp.Diff(decode(t, test.want), got); diff != "" {
			t.Errorf("merge(%s, %s) (-want +got):\n%s", test.target, test.patch, diff)
		}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func decodeTree(t *testing.T, text string) Tree {
	t.Helper()
	return decode(t, text).(node)
}

func TestRenameSwaps(t *testing.T) {
	got := decodeTree(t, `{"a":{"redirect":"x"},"b":{"redirect":"y"},"x":{"alias":"of a"},"y":{"alias":"of b"}}`).
		rename(map[string]string{"x": "y", "y": "x"})
	want := decodeTree(t, `{"a":{"redirect":"y"},"b":{"redirect":"x"},"y":{"alias":"of a"},"x":{"alias":"of b"}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDropIdleIFBs(t *testing.T) {
	got := decodeTree(t, `{"a":{"kind":"veth","redirect":"x"},"x":{"kind":"ifb"},"y":{"kind":"ifb"}}`)
	got.dropIdleIFBs()
	want := decodeTree(t, `{"a":{"kind":"veth","redirect":"x"},"x":{"kind":"ifb"}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
