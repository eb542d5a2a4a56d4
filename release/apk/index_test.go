// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/release/apk/adb"
)

// TestIndexLikeMkndx compares with the index that apk's own program made of the same packages. It knows their sizes as
// that program compressed them.
func TestIndexLikeMkndx(t *testing.T) {
	file := testdata(t, "packages.adb")
	if err := Verify(file, &testKey(t).PublicKey); err != nil {
		t.Error(err)
	}
	want, err := ReadIndex(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	got := Index{Description: "some packages"}
	addTo(t, &got, testdata(t, "sqmd.adb"))
	addTo(t, &got, testdata(t, "other.apk"))
	got.Packages[1].FileSize = 1291
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	file := write(t, sample(), testKey(t))
	got, err := List(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := adb.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := Listed{
		Info: Info{
			Name:          "sqmd",
			Version:       "1.2.3-r1",
			Arch:          "noarch",
			Description:   "Traffic shaper. It keeps the delay of a busy line low.",
			License:       "GPL-2.0-or-later",
			Origin:        "feeds/packages/net/sqmd",
			InstalledSize: 217,
			Depends:       []Dependency{{"kmod-ifb", "", 7}, {"kmod-sched-cake", "", 7}, {"sqm-scripts", "", 23}},
			Provides:      []Dependency{{"qos", "1.2.3-r1", 1}},
			Tags:          []string{"openwrt:section=net"},
		},
		Hash:     sha256.Sum256(f.Body),
		FileSize: uint64(len(file)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := List(file[1:]); err == nil {
		t.Error("listed a broken package")
	}
}

func TestIndexWriteAndRead(t *testing.T) {
	key := testKey(t)
	var want Index
	for _, version := range []string{"1.10-r1", "1.9-r1", "1.9_rc1-r1"} {
		p := sample()
		p.Version = version
		addTo(t, &want, write(t, p, nil))
	}
	addTo(t, &want, testdata(t, "other.apk"))
	var order []string
	for _, l := range want.Packages {
		order = append(order, l.Name+" "+l.Version)
	}
	wantOrder := []string{"other+ 0.1_git2~abc-r0", "sqmd 1.9_rc1-r1", "sqmd 1.9-r1", "sqmd 1.10-r1"}
	if diff := cmp.Diff(wantOrder, order); diff != "" {
		t.Error(diff)
	}

	var a, b bytes.Buffer
	for _, w := range []*bytes.Buffer{&a, &b} {
		if err := want.Write(w, key); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(hex.Dump(a.Bytes()), hex.Dump(b.Bytes())); diff != "" {
		t.Error("written twice:", diff)
	}
	if err := Verify(a.Bytes(), &key.PublicKey); err != nil {
		t.Error(err)
	}
	got, err := ReadIndex(&a)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyIndex(t *testing.T) {
	var b bytes.Buffer
	if err := (Index{}).Write(&b, nil); err != nil {
		t.Fatal(err)
	}
	got, err := ReadIndex(&b)
	if err != nil || got.Packages != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestAddTwice(t *testing.T) {
	var x Index
	l := addTo(t, &x, testdata(t, "other.apk"))
	if err := x.Add(l); err == nil {
		t.Error("no error")
	}
}

func TestIndexWriteRefuses(t *testing.T) {
	good := Listed{Info: Info{Name: "a", Version: "1", Arch: "noarch"}}
	bad := good
	bad.Version = "one"
	for name, x := range map[string]Index{
		"no version":        {Packages: []Listed{bad}},
		"the same twice":    {Packages: []Listed{good, good}},
		"lines in the text": {Description: "a\nb"},
	} {
		if err := x.Write(&bytes.Buffer{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadIndexRefuses(t *testing.T) {
	info := func(w *adb.Writer, hash []byte) adb.Value {
		slots := Info{Name: "a", Version: "1", Arch: "noarch"}.encode(w)
		slots[infoHash] = w.Blob(hash)
		return w.Object(slots)
	}
	tests := []struct {
		name string
		file func(w *adb.Writer) adb.File
		err  string
	}{
		{"a package", func(w *adb.Writer) adb.File { return adb.File{Schema: adb.Package, Body: w.Body(0)} }, "not an index"},
		{"data", func(w *adb.Writer) adb.File {
			return adb.File{Schema: adb.Index, Body: w.Body(0), Data: [][]byte{{1}}}
		}, "data"},
		{"unknown slot", func(w *adb.Writer) adb.File {
			return adb.File{Schema: adb.Index, Body: w.Body(w.Object(map[int]adb.Value{3: w.Int(1)}))}
		}, "unknown slot"},
		{"sum of another size", func(w *adb.Writer) adb.File {
			list := w.Array([]adb.Value{info(w, make([]byte, 20))})
			return adb.File{Schema: adb.Index, Body: w.Body(w.Object(map[int]adb.Value{indexPackages: list}))}
		}, "no SHA-256"},
		{"the same twice", func(w *adb.Writer) adb.File {
			v := info(w, make([]byte, 32))
			list := w.Array([]adb.Value{v, v})
			return adb.File{Schema: adb.Index, Body: w.Body(w.Object(map[int]adb.Value{indexPackages: list}))}
		}, "not in order"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := test.file(adb.NewWriter()).Payload()
			if err != nil {
				t.Fatal(err)
			}
			if _, err = ReadIndex(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v instead of %q", err, test.err)
			}
		})
	}
}

// addTo adds a package to an index.
func addTo(t testing.TB, x *Index, file []byte) Listed {
	t.Helper()
	l, err := List(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Add(l); err != nil {
		t.Fatal(err)
	}
	return l
}
