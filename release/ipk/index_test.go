// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/release/bundle"
	"sqmd/release/signify"
)

// feed is the index of two packages, and its entries in order.
func feed(t testing.TB) ([]byte, []Entry) {
	t.Helper()
	other := small()
	other.Name, other.Arch, other.Description, other.Depends = "luci-app-sqmd", bundle.NoArch, "", []string{"sqmd"}
	var entries []Entry
	for _, p := range []bundle.Package{other, small()} {
		e, err := Describe(FileName(p), write(t, p))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return index(t, entries[1], entries[0]), entries
}

func index(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Index(&b, entries); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestIndex(t *testing.T) {
	text, entries := feed(t)
	file := write(t, small())
	added := fmt.Sprintf("Filename: sqmd_1.2.3-r1_mips_24kc.ipk\nSize: %d\nSHA256sum: %x\nDescription:", len(file), sha256.Sum256(file))
	want := "\n\n" + strings.Replace(smallControl, "Description:", added, 1) + "\n"
	if !strings.HasSuffix(string(text), want) {
		t.Error(cmp.Diff(want, string(text)))
	}
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entries, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(text, index(t, got...)) {
		t.Error("what was parsed is written differently")
	}
	if text := index(t); len(text) != 0 {
		t.Errorf("the index of nothing is %q", text)
	}
}

// OpenWrt's own indexes leave out what an installation does not need.
func TestParseWithoutTime(t *testing.T) {
	text, _ := feed(t)
	got, err := Parse(bytes.ReplaceAll(text, []byte("SourceDateEpoch: 1700000000\n"), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got {
		if !e.Package.Time.IsZero() {
			t.Errorf("%s is of %s", e.Filename, e.Package.Time)
		}
	}
}

func TestTamperedIndexIsRefused(t *testing.T) {
	text, _ := feed(t)
	key, err := signify.NewKey(bytes.NewReader(make([]byte, 64)))
	if err != nil {
		t.Fatal(err)
	}
	sig := key.Sign(text)
	if err := signify.Verify(key.Public(), text, sig); err != nil {
		t.Error(err)
	}
	tampered := bytes.Replace(text, []byte("Version: 1.2.3-r1"), []byte("Version: 1.2.3-r9"), 1)
	if err := signify.Verify(key.Public(), tampered, sig); err == nil {
		t.Error("a tampered index passes")
	}
}

func TestIndexRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Entry)
		want   string
	}{
		"twice":     {func(e *Entry) { e.Filename = "luci-app-sqmd_1.2.3-r1_all.ipk" }, "luci-app-sqmd_1.2.3-r1_all.ipk is there twice"},
		"name":      {func(e *Entry) { e.Package.Name = "a\nb" }, "name \"a\\nb\""},
		"title":     {func(e *Entry) { e.Package.Title = "a\n\nPackage: b" }, "control character"},
		"no file":   {func(e *Entry) { e.Filename = "" }, "file name"},
		"absolute":  {func(e *Entry) { e.Filename = "/sqmd.ipk" }, "file name"},
		"traversal": {func(e *Entry) { e.Filename = "a/../../sqmd.ipk" }, "not clean"},
		"no time":   {func(e *Entry) { e.Package.Time = e.Package.Time.AddDate(-100, 0, 0) }, "between 1970"},
	} {
		t.Run(name, func(t *testing.T) {
			_, entries := feed(t)
			e := entries[1]
			c.change(&e)
			var b bytes.Buffer
			err := Index(&b, []Entry{entries[0], e})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if b.Len() > 0 {
				t.Error("something was written")
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	text, _ := feed(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"no hash":    {"SHA256sum: ", "MD5sum: ", "package \"luci-app-sqmd\": SHA256sum is \"\", not 64 hex"},
		"short hash": {"SHA256sum: ", "SHA256sum: 00", "not 64 hexadecimal digits"},
		"size":       {"\nSize: ", "\nSize: x", "Size is \"x"},
		"no file":    {"Filename: ", "File: ", "file name"},
		"no package": {"Package: sqmd", "Pack: sqmd", "no name"},
		"one stanza": {"\n\nPackage", "\nPackage", "field Package is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(bytes.Replace(text, []byte(c.old), []byte(c.new), 1))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestDescribeRefuses(t *testing.T) {
	if _, err := Describe("x.ipk", []byte("x")); err == nil || !strings.HasPrefix(err.Error(), "x.ipk: ") {
		t.Errorf("got %v", err)
	}
	p := ordinary(t)
	p.control = nil
	if _, err := Describe("x.ipk", p.build(t)); err == nil || !strings.Contains(err.Error(), "no control file") {
		t.Errorf("got %v", err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWritersFail(t *testing.T) {
	_, entries := feed(t)
	for name, err := range map[string]error{
		"writing index: no space left":        Index(fullDisk{}, entries),
		"writing package sqmd: no space left": Write(fullDisk{}, small()),
	} {
		if err == nil || err.Error() != name {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, _ := feed(f)
	f.Add(text)
	f.Add([]byte(smallControl))
	f.Add([]byte("Package: a\n\n\nPackage: b\nDescription:\n .\n  \n"))
	f.Add([]byte(" \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, err := Parse(text)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Index(&b, entries); err != nil {
			// What an index may have and a feed of ours may not.
			if !strings.Contains(err.Error(), "is there twice") && !strings.Contains(err.Error(), "between 1970") {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		order := cmpopts.SortSlices(func(a, b Entry) bool { return a.Filename < b.Filename })
		if diff := cmp.Diff(entries, again, cmpopts.EquateEmpty(), order); diff != "" {
			t.Error(diff)
		}
	})
}
