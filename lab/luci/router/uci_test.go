// SPDX-License-Identifier: GPL-2.0-or-later

package router

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/lab/openwrt/settings"
)

const before = "config queue 'a'\n\toption x '1'\n\tlist l '1'\n\nconfig queue\n\toption x '2'\n"

func storeOf(t *testing.T) settings.Store {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sqm"), []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	return settings.Store{Dir: dir, Changes: filepath.Join(dir, ".changes")}
}

// argsOf reads arguments as they come from the bus.
func argsOf(t *testing.T, text string) (a uciArgs) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestChangesOfASession(t *testing.T) {
	tests := map[string]struct {
		do   func(settings.Store, uciArgs) error
		args string
		want [][]string
	}{
		"set":               {set, `{"config":"sqm","section":"a","values":{"x":"2"}}`, [][]string{{"set", "a", "x", "2"}}},
		"a truth, a number": {set, `{"config":"sqm","section":"a","values":{"b":true,"n":5}}`, [][]string{{"set", "a", "b", "1"}, {"set", "a", "n", "5"}}},
		"what it is":        {set, `{"config":"sqm","section":"a","values":{"x":"1","l":["1"]}}`, [][]string{}},
		"a list": {set, `{"config":"sqm","section":"a","values":{"l":["1","2"]}}`,
			[][]string{{"remove", "a", "l"}, {"list-add", "a", "l", "1"}, {"list-add", "a", "l", "2"}}},
		"options away": {remove, `{"config":"sqm","section":"a","options":["x","l"]}`, [][]string{{"remove", "a", "x"}, {"remove", "a", "l"}}},
		"a section":    {remove, `{"config":"sqm","section":"a"}`, [][]string{{"remove", "a"}}},
		"a new one": {func(s settings.Store, a uciArgs) error { _, err := add(s, a); return err },
			`{"config":"sqm","type":"queue","name":"b","values":{"x":"3"}}`, [][]string{{"set", "b", "queue"}, {"set", "b", "x", "3"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := storeOf(t)
			if err := test.do(store, argsOf(t, test.args)); err != nil {
				t.Fatal(err)
			}
			got, err := changesOf(store, uciArgs{Config: "sqm"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"changes": test.want}, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if text, _ := os.ReadFile(filepath.Join(store.Dir, "sqm")); string(text) != before {
				t.Errorf("the file has changed before it was applied:\n%s", text)
			}
		})
	}
}

func TestNotThere(t *testing.T) {
	store := storeOf(t)
	for name, err := range map[string]error{
		"section":       set(store, argsOf(t, `{"config":"sqm","section":"z","values":{"x":"1"}}`)),
		"configuration": set(store, argsOf(t, `{"config":"none","section":"a","values":{"x":"1"}}`)),
		"option":        remove(store, argsOf(t, `{"config":"sqm","section":"a","option":"z"}`)),
	} {
		if codeOf(err) != 4 {
			t.Errorf("%s: %v is code %d", name, err, codeOf(err))
		}
	}
}
