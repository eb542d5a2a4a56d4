// SPDX-License-Identifier: GPL-2.0-or-later

package lmo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// sample.lmo is what LuCI's own po2lmo made of sample.po.
func TestCompileGolden(t *testing.T) {
	got, err := Compile(sample(t, "sample.po"))
	if err != nil {
		t.Fatal(err)
	}
	if want := sample(t, "sample.lmo"); !bytes.Equal(want, got) {
		t.Errorf("%d bytes; want the %d of sample.lmo:\n%x\n%x", len(got), len(want), got, want)
	}
}

func TestReadGolden(t *testing.T) {
	c, err := Read(sample(t, "sample.lmo"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"; c.PluralForms() != want {
		t.Errorf("plural forms %q; want %q", c.PluralForms(), want)
	}
	for _, l := range []struct {
		context, id string
		form        int
		want        string // empty: not there
	}{
		{"", "Queue", -1, "Fronta"},
		{"", " Queue\n", -1, "Fronta"},
		{"", "Up", -1, "V provozu"},
		{"direction", "Up", -1, "Odchozí"},
		{"other", "Up", -1, ""},
		{"", "%d drop", 0, "%d zahozený"},
		{"", "%d drop", 2, "%d zahozených"},
		{"", "%d drop", -1, ""},
		{"tin", "%d mark", 0, "%d značka"},
		{"tin", "%d mark", 1, ""},
		{"tin", "%d\t mark", 2, "%d značek"},
		{"", "Not yet translated", -1, ""},
		{"", "cake", -1, ""},
		{"", "Guess", -1, "Odhad"},
		{"", "A long one  in parts", -1, "Dlouhý po částech"},
		{"", `Says "yes" to C:\`, -1, `Říká "ano"\na C:\tmp`},
		{"", "é", -1, "ascii"},
		{"", "abcdé", -1, "abcd"},
		{"", "Gone", -1, ""},
	} {
		got, ok := c.Text(l.context, l.id, l.form)
		if got != l.want || ok != (l.want != "") {
			t.Errorf("%q, %q, form %d: %q, %v; want %q", l.context, l.id, l.form, got, ok, l.want)
		}
	}
	forms := make(map[uint32]int)
	for _, e := range c.Entries {
		forms[e.Forms]++
	}
	if diff := cmp.Diff(map[uint32]int{0: 1, 1: 8, 3: 5}, forms); diff != "" {
		t.Errorf("numbers of plural forms (-want +got):\n%s", diff)
	}
}

const header = "msgid \"\"\nmsgstr \"\"\n\n"

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ name, po, want string }{
		{"nothing", "", "nothing is translated"},
		{"header alone", header, "nothing is translated"},
		{"not translated", header + "msgid \"a\"\nmsgstr \"\"\n", "nothing is translated"},
		{"not UTF-8", "msgid \"\xff\"\n", "line 1: not text in UTF-8"},
		{"keyword", "msgfoo \"a\"\n", "line 1: msgfoo is not expected here"},
		{"two blanks", "msgid  \"a\"\n", "line 1: \" \\\"a\\\"\" is not a string in quotes"},
		{"no quotes", "msgid a\n", "line 1: \"a\" is not a string in quotes"},
		{"no end", "msgid \"a\n", "line 1: the string has no end"},
		{"no end after escape", "msgid \"a\\", "line 1: the string has no end"},
		{"rest", "msgid \"a\"b\"\n", "line 1: \"b\\\"\" follows a string"},
		{"string alone", "\"a\"\n", "line 1: a string without a keyword"},
		{"no id", "msgstr \"a\"\n", "line 1: msgstr is not expected here"},
		{"no translation", "msgid \"a\"\nmsgid \"b\"\n", "line 2: msgid is not expected here"},
		{"no translation at the end", "\nmsgid \"a\"\n", "line 2: the message has no msgstr"},
		{"context alone", "msgctxt \"a\"\nmsgstr \"b\"\n", "line 2: msgstr is not expected here"},
		{"plural with one translation", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\"\n", "line 3: msgstr is not expected here"},
		{"forms without a plural", "msgid \"a\"\nmsgstr[0] \"c\"\n", "line 2: msgstr[0] is not expected here"},
		{"form left out", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[1] \"c\"\n", "line 3: msgstr[1] is not the next"},
		{"form twice", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[0] \"d\"\n", "line 4: msgstr[0] is not the next"},
		{"too many forms", "msgid \"a\"\nmsgid_plural \"b\"\n" + strings.Join(forms(11), ""), "line 13: msgstr[10] is not the next"},
		{"twice", header + "msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\"\n", "LuCI does not find the text of \"a\""},
		{"white space", header + "msgid \"a  b\"\nmsgstr \"b\"\n", "line 4: LuCI does not find the text of \"a  b\""},
		{"blank at the end", header + "msgid \"a \"\nmsgstr \"b\"\n", "line 4: LuCI does not find the text of \"a \""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Compile([]byte(c.po)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one with %q", err, c.want)
			}
		})
	}
}

func forms(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("msgstr[%d] \"c\"\n", i))
	}
	return lines
}

// Whatever byte of the structure is another, the reader refuses.
func TestReadRefuses(t *testing.T) {
	good := encode([]Entry{{0, 0, "plural=0;"}, {2, 1, "two"}, {1, 1, "four"}})
	if _, err := Read(good); err != nil {
		t.Fatal(err)
	}
	const texts = 12 + 4 + 4
	word := func(at int, value uint32) []byte {
		file := bytes.Clone(good)
		binary.BigEndian.PutUint32(file[at:], value)
		return file
	}
	for _, c := range []struct {
		name string
		file []byte
	}{
		{"empty", nil},
		{"cut", good[:len(good)-1]},
		{"a word too few", good[4:]},
		{"order", word(texts+16, 3)},
		{"begin", word(texts+8, 4)},
		{"begin beyond", word(texts+8, 1<<31)},
		{"length", word(texts+12, 13)},
		{"no length", word(texts+12, 0)},
		{"length beyond", word(texts+12, 1<<32-1)},
		{"shorter", word(texts+12, 8)},
		{"padding", word(8, 'x'<<24|'x')},
		{"index", word(len(good)-4, 4)},
		{"index beyond", word(len(good)-4, 1<<31)},
		{"index at the end", word(len(good)-4, uint32(len(good)-4))},
	} {
		if got, err := Read(c.file); err == nil {
			t.Errorf("%s: %v without an error", c.name, got)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(sample(f, "sample.po"))
	f.Add([]byte(header + "msgctxt \"a\"\nmsgid \"b\"\nmsgid_plural \"c\"\nmsgstr[0] \"d\"\n\"e\"\nmsgstr[1] \"f\"\n"))
	f.Add([]byte("#~ msgid \"\"\r\nmsgid \"\\\\\\\"\\n\"\r\nmsgstr \"x\\"))
	f.Fuzz(func(t *testing.T, po []byte) {
		p, err := ParsePO(po)
		if err != nil {
			return
		}
		entries := p.entries()
		if len(entries) == 0 {
			return
		}
		c, err := Read(encode(entries))
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(entries, func(a, b Entry) int { return int(int64(a.Key) - int64(b.Key)) })
		if diff := cmp.Diff(entries, c.Entries); diff != "" {
			t.Errorf("entries (-stored +read):\n%s", diff)
		}
	})
}

// What the reader takes, the encoder writes, but for the order of the texts.
func FuzzRead(f *testing.F) {
	f.Add(sample(f, "sample.lmo"))
	f.Add(encode([]Entry{{1, 1, "a"}}))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Read(file)
		if err != nil {
			return
		}
		again, err := Read(encode(c.Entries))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Errorf("-read +written again:\n%s", diff)
		}
	})
}
