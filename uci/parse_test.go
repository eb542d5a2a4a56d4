// SPDX-License-Identifier: GPL-2.0-or-later

package uci

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes a file the way `uci show` does, one word for an option per value.
func show(f File) string {
	var b strings.Builder
	for _, s := range f.Sections {
		fmt.Fprintf(&b, "%s=%s\n", s.Title(), s.Type)
		for _, o := range s.Options {
			separator := "="
			if o.List {
				separator = "+="
			}
			for _, v := range o.Values {
				fmt.Fprintf(&b, "%s%s%q\n", o.Name, separator, v)
			}
		}
	}
	return b.String()
}

// problems gives the findings as "SEVERITY LINE PROBLEM".
func problems(found []Finding) []string {
	var list []string
	for _, f := range found {
		list = append(list, fmt.Sprintf("%v %d %s", f.Severity, f.Line, f.Problem))
	}
	return list
}

// syntaxCases hold what libuci reads in non-strict mode (`uci -S export`), and
// a finding wherever it refuses the file in strict mode.
var syntaxCases = []struct {
	name, text, want string
	found            []string
}{
	{name: "escaped single quote", text: `config q a
option o 'it'\''s'`, want: "a=q\no=\"it's\"\n"},
	{name: "backslash outside quotes", text: "config q a\noption o foo\\ bar\n", want: "a=q\no=\"foo bar\"\n"},
	{name: "backslash in double quotes", text: `config q a
option o "x\"y\\z"`, want: "a=q\no=\"x\\\"y\\\\z\"\n"},
	{name: "backslash in single quotes", text: "config q a\noption o 'C:\\'\n", want: "a=q\no=\"C:\\\\\"\n"},
	{name: "empty value", text: "config q a\noption o ''\noption p 1\n", want: "a=q\np=\"1\"\n"},
	{name: "no value", text: "config q a\noption o\noption p 1\n", want: "a=q\np=\"1\"\n"},
	{name: "no name", text: "config q a\noption\noption \noption p 1\n", want: "a=q\np=\"1\"\n", found: []string{
		"warning 2 unknown keyword, the line is ignored", "warning 3 no usable option name, the line is ignored"}},
	{name: "empty value does not undo", text: "config q a\noption o 1\noption o ''\n", want: "a=q\no=\"1\"\n"},
	{name: "lines in single quotes", text: "config q a\noption o 'one\ntwo'\n", want: "a=q\no=\"one\\ntwo\"\n"},
	{name: "joined lines", text: "config q a\noption o one\\\ntwo\n", want: "a=q\no=\"onetwo\"\n"},
	{name: "joined lines in double quotes", text: "config q a\noption o \"one\\\ntwo\"\n", want: "a=q\no=\"onetwo\"\n"},
	{name: "CRLF", text: "config q a\r\noption o w\r\noption p 'x'\r\n", want: "a=q\no=\"w\"\np=\"x\"\n"},
	{name: "package", text: "package 'test'\npackage test\nconfig q a\n", want: "a=q\n"},
	{name: "package without name", text: "package\nconfig q a\n", want: "a=q\n",
		found: []string{"warning 1 unknown keyword, the line is ignored"}},
	{name: "no final newline", text: "config q a\noption o v", want: "a=q\no=\"v\"\n"},
	{name: "quoted type and names", text: "config 'q' 'a'\noption 'o' 'v'\n", want: "a=q\no=\"v\"\n"},
	{name: "pieces", text: "config q a\noption o foo\"bar\"'baz'\n", want: "a=q\no=\"foobarbaz\"\n"},
	{name: "comments", text: "# x\nconfig q # c\n\toption o 'v' # w\n # y\noption p '#z'\n", want: "@q[0]=q\no=\"v\"\np=\"#z\"\n"},
	{name: "comment inside a word", text: "config q a\noption o w#c3\n", want: "a=q\no=\"w\"\n"},
	{name: "short keywords", text: "c q a\no o v\nl l 1\np x\n", want: "a=q\no=\"v\"\nl+=\"1\"\n"},
	{name: "long keywords", text: "configx q a\n", want: "",
		found: []string{"error 1 unknown keyword, the line is ignored; options up to the next config line belong to no section"}},
	{name: "list", text: "config q a\nlist l one\nlist l two\nlist l one\nlist l ''\n",
		want: "a=q\nl+=\"one\"\nl+=\"two\"\nl+=\"one\"\nl+=\"\"\n"},
	{name: "list after option", text: "config q a\noption o 1\nlist o 2\n", want: "a=q\no+=\"1\"\no+=\"2\"\n"},
	{name: "option after list", text: "config q a\nlist o 1\nlist o 2\noption o 3\n", want: "a=q\no=\"3\"\n",
		found: []string{"warning 4 the option is also in line 3; the later one counts"}},
	{name: "option twice", text: "config q a\noption o 1\noption p 2\noption o 3\n", want: "a=q\no=\"3\"\np=\"2\"\n",
		found: []string{"warning 4 the option is also in line 2; the later one counts"}},
	{name: "word too many", text: "config q a\noption o 'v' junk\n", want: "a=q\no=\"v\"\n",
		found: []string{"warning 2 one word too many, it is ignored; a value with blanks needs quotes"}},
	{name: "words too many", text: "config q a\noption o v junk more\noption p 1\n", want: "a=q\no=\"v\"\np=\"1\"\n",
		found: []string{"warning 2 one word too many, it is ignored; a value with blanks needs quotes", "warning 2 unknown keyword, the line is ignored"}},
	{name: "garbage", text: "config q a\n%$ garbage\noption o v\n", want: "a=q\no=\"v\"\n",
		found: []string{"warning 2 unknown keyword, the line is ignored"}},
	{name: "option before config", text: "option o v\nconfig q a\n", want: "a=q\n",
		found: []string{"warning 1 an option before the first config line, the line is ignored"}},
	{name: "open quote", text: "config q a\noption o v\noption p 'x\noption r y\n", want: "a=q\no=\"v\"\n",
		found: []string{"warning 3 a quote is never closed, lines 3 to 4 are ignored"}},
	{name: "open double quote at a backslash", text: "config q a\noption p \"x\\", want: "a=q\n",
		found: []string{"warning 2 a quote is never closed, the line is ignored"}},
	{name: "open quote over a section", text: "config q a\noption p 'x\nconfig q b\noption r y\n", want: "a=q\n",
		found: []string{"error 2 a quote is never closed, lines 2 to 4 are ignored; options up to the next config line land in this section, which may not be meant"}},
	{name: "missing quote", text: "config q a\noption o 'x\noption p 'y'\noption r 'z'\n", want: "a=q\n",
		found: []string{"warning 2 a quote is never closed, lines 2 to 4 are ignored"}},
	{name: "missing quotes", text: "config q a\noption o 'x\noption p 'y\noption r z\n", want: "a=q\no=\"x\\noption p y\"\nr=\"z\"\n",
		found: []string{"warning 2 the value runs on to line 3; a closing quote seems to be missing in line 2"}},
	{name: "missing quotes over a section", text: "config q a\noption o 'x\nconfig q 'b'\n", want: "a=q\n",
		found: []string{"error 2 a quote is never closed, lines 2 to 3 are ignored; options up to the next config line land in this section, which may not be meant"}},
	{name: "semicolon", text: "config q a\noption o 1; option p 2\noption r '3'; option s 4\noption t 5 ; option u 6\n",
		want: "a=q\no=\"1\"\nr=\"3\"\ns=\"4\"\nt=\"5\"\nu=\"6\"\n"},
	{name: "nothing after a semicolon", text: "config q a\noption o '1';\noption p 2\n", want: "a=q\no=\"1\"\np=\"2\"\n",
		found: []string{"warning 2 unknown keyword, the line is ignored"}},
	{name: "same name", text: "config q a\noption o 1\nconfig q b\nconfig q a\noption p 2\n", want: "a=q\no=\"1\"\np=\"2\"\nb=q\n"},
	{name: "same name, other type", text: "config q a\noption o 1\nconfig r a\noption p 2\nconfig q\n", want: "a=r\no=\"1\"\np=\"2\"\n@q[0]=q\n",
		found: []string{"warning 3 the section of line 1 has this name but type 'q'; both become one section of type 'r'"}},
	{name: "index counts named sections", text: "config q a\nconfig r\nconfig q\nconfig q\n", want: "a=q\n@r[0]=r\n@q[1]=q\n@q[2]=q\n"},
	{name: "NUL", text: "config q a\noption o 'x\x00y'\noption p 1\n", want: "a=q\np=\"1\"\n",
		found: []string{"warning 2 a NUL byte, the line is ignored"}},
	{name: "NUL outside quotes", text: "config q a\noption o x\\\x00\no\x00 p 2\noption r 3 # \x00\n", want: "a=q\nr=\"3\"\n",
		found: []string{"warning 2 a NUL byte, the line is ignored", "warning 3 unknown keyword, the line is ignored"}},
	{name: "NUL in a section line", text: "config q a\nconfig q b\x00\noption o 1\n", want: "a=q\no=\"1\"\n",
		found: []string{"error 2 a NUL byte, the line is ignored; options up to the next config line land in this section, which may not be meant"}},
	{name: "dot in a name", text: "config q a\noption o 1\nconfig q eth0.2\noption o 2\n", want: "a=q\no=\"2\"\n",
		found: []string{
			"error 3 no usable section name, the line is ignored; options up to the next config line land in this section, which may not be meant",
			"warning 4 the option is also in line 2; the later one counts"}},
	{name: "dash in a section name", text: "config q pppoe-wan\noption o 1\n", want: "pppoe-wan=q\no=\"1\"\n",
		found: []string{"warning 1 a section name with a dash is refused by uci(1) and LuCI; use _ instead"}},
	{name: "dash in an option name", text: "config q a\noption o-p 1\n", want: "a=q\n",
		found: []string{"warning 2 no usable option name, the line is ignored"}},
	{name: "no type", text: "config ''\nconfig q a\n", want: "a=q\n",
		found: []string{"error 1 no usable section type, the line is ignored; options up to the next config line belong to no section"}},
	{name: "quote in double quotes", text: "config q a\noption o \"it's\"\n", want: "a=q\no=\"it's\"\n"},
	{name: "latin-1", text: "config q a\noption o 'f\xfcr'\n", want: "a=q\no=\"f\\xfcr\"\n"},
	{name: "long value", text: "config q a\noption o '" + strings.Repeat("x", 8192) + "'\n", want: "a=q\no=\"" + strings.Repeat("x", 8192) + "\"\n"},
	{name: "empty file", text: "", want: ""},
	{name: "only comments", text: "# a\n\n  # b", want: ""},
}

func TestParse(t *testing.T) {
	for _, c := range syntaxCases {
		t.Run(c.name, func(t *testing.T) {
			file, found := Parse("f", []byte(c.text))
			if diff := cmp.Diff(c.want, show(file)); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.found, problems(found)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseLines(t *testing.T) {
	file, _ := Parse("f", []byte("\nconfig q a\n\noption o '1\n2'\noption p 3\nlist l 4\nlist l 5\n"))
	got := map[string]int{"a": file.Sections[0].Line}
	for _, o := range file.Sections[0].Options {
		got[o.Name] = o.Line
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "o": 4, "p": 6, "l": 8}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestParseIncomplete(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"whole", "config q a\noption o 1\nrubbish\n", false},
		{"misspelt config", "config q a\nConfig q b\n", true},
		{"bad name", "config q a.b\n", true},
		{"open quote over options", "config q a\noption o 'x\noption p y\n", false},
		{"open quote over a section", "config q a\noption o 'x\nconfig q b\n", true},
		{"value over a section", "config q a\noption o 'x\nconfig q 'b\noption p y\n", true},
		{"too large", strings.Repeat("#\n", maxFileSize/2+1), true},
		{"just not too large", strings.Repeat("#\n", maxFileSize/2), false},
	} {
		file, found := Parse("f", []byte(c.text))
		if file.Incomplete != c.want {
			t.Errorf("%s: incomplete %v, want %v", c.name, file.Incomplete, c.want)
		}
		errors := 0
		for _, f := range found {
			if f.Severity == Error {
				errors++
			}
		}
		if (errors > 0) != c.want {
			t.Errorf("%s: %d errors: %q", c.name, errors, problems(found))
		}
	}
}

func TestParseBoundsFindings(t *testing.T) {
	_, found := Parse("f", []byte(strings.Repeat("x\n", 10_000)+"config q a.b\nx\n"))
	if len(found) != maxFindings+1 {
		t.Fatalf("%d findings", len(found))
	}
	last := Finding{File: "f", Line: 10_001, Severity: Error, Problem: "this and 9501 more findings are not listed"}
	if diff := cmp.Diff(last, found[maxFindings]); diff != "" {
		t.Errorf("last finding (-want +got):\n%s", diff)
	}
}
