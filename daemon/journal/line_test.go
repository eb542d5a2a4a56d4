// SPDX-License-Identifier: GPL-2.0-or-later

package journal

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	long := strings.Repeat("x", 1000)
	wide := strings.Repeat("ü", 1000)
	tests := []struct {
		name string
		e    Entry
		want string
	}{
		{"all", Entry{Info, "wan", "eth1", "upload", "shaped"}, "wan (eth1) upload: shaped"},
		{"queue named as its device", Entry{Error, "eth1", "eth1", "upload", "refused"}, "error: eth1 upload: refused"},
		{"queue", Entry{Warning, "wan", "", "", "waits"}, "warning: wan: waits"},
		{"device", Entry{Info, "", "eth1", "", "is gone"}, "eth1: is gone"},
		{"device and direction", Entry{Info, "", "eth1", "download", "x"}, "eth1 download: x"},
		{"direction", Entry{Info, "", "", "download", "x"}, "download: x"},
		{"no subject", Entry{Level: Info, Text: "reload: 3 findings"}, "reload: 3 findings"},
		{"nothing", Entry{}, "error: "},
		{"level beside the known", Entry{Level: 7, Queue: "q"}, "q: "},
		{"space around", Entry{Level: Info, Text: " \n x y\t\r\n"}, "x y"},
		{"control", Entry{Info, "w\nan", "e\x00", "", "a\tb\nc\rd\x1b[31m\x7f"}, `w\nan (e\x00): a\tb\nc\rd\x1b[31m\x7f`},
		{"quotes", Entry{Level: Info, Text: `it's "\n"`}, `it's "\n"`},
		{"not UTF-8", Entry{Level: Info, Text: "a\xffb\xc3"}, `a\xffb\xc3`},
		{"letters", Entry{Level: Info, Text: "für 日本 🙂 \ufffd"}, "für 日本 🙂 \ufffd"},
		{"other lines and directions of text", Entry{Level: Info, Text: "a\u0085b\u2028c\u202ed\u00a0e"}, `a\u0085b\u2028c\u202ed\u00a0e`},
		{"long text", Entry{Info, "wan", "", "", long}, "wan: " + long[:391] + "..."},
		{"just not too long", Entry{Level: Info, Text: long[:399]}, long[:399]},
		{"long names", Entry{Info, long, long + "y", long, "x"}, long[:61] + "... (" + long[:61] + "...) " + long[:61] + "...: x"},
		{"between runes", Entry{Level: Info, Text: "y" + wide}, "y" + wide[:2*197] + "..."},
		{"names between runes", Entry{Info, wide, "", "", "x"}, wide[:60] + "...: x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(appendLine(nil, test.e))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzLog holds that an entry is one line each time it is written, whatever is in
// it: of 400 bytes at most, and printable.
func FuzzLog(f *testing.F) {
	f.Add(5, "wan", "eth1", "upload", "root qdisc was removed by another program, put back")
	f.Add(1, "", "", "", "")
	f.Add(2, "w\nan", "\xff\xfe", "\u2028", "\x1b]0;title\a\r\nerror: forged")
	f.Add(-1, strings.Repeat("ü", 200), strings.Repeat("\x00", 99), strings.Repeat("🙂", 70), strings.Repeat("日\n", 300))
	f.Add(8, "wan", "wan", "", strings.Repeat("x", 398)+"\U000e0001")
	f.Fuzz(func(t *testing.T, level int, queue, device, direction, text string) {
		var w lines
		j := New(&w)
		e := Entry{Level(level), queue, device, direction, text}
		other := e
		other.Text = "other"
		for range 3 {
			j.Log(0, level, e)
		}
		j.Log(0, level, other)
		j.Log(0, level, e)
		for i := range burst {
			other.Text = "flood " + strconv.Itoa(i)
			j.Log(0, level, other)
		}
		j.Log(lineEvery, level, e)
		if len(w.all) <= burst {
			t.Errorf("%d lines: %q", len(w.all), w.all)
		}
		for _, line := range w.all {
			checkLine(t, []byte(line))
		}
	})
}

func checkLine(t *testing.T, line []byte) {
	t.Helper()
	text, ends := bytes.CutSuffix(line, []byte("\n"))
	if !ends || len(line) > 400 || !utf8.Valid(line) {
		t.Errorf("%d bytes: %q", len(line), line)
	}
	if bytes.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		t.Errorf("not printable: %q", text)
	}
}
