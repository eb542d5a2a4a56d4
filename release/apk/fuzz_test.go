// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sqmd/release/apk/adb"
)

// FuzzRead checks that a package that can be read is written the same.
func FuzzRead(f *testing.F) {
	f.Add(testdata(f, "sqmd.adb"))
	f.Add(testdata(f, "other.apk"))
	f.Add(write(f, sample(), testKey(f)))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		if err := Check(file); err != nil {
			t.Fatal(err)
		}
		want, err := adb.Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		want.Signatures = nil
		got, err := adb.Read(bytes.NewReader(write(t, p, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzContent reads bodies of packages with whatever unique id, as no chance would find the right one, and checks that
// what is well-formed can be stored and read again.
func FuzzContent(f *testing.F) {
	var data [][][]byte
	for i, name := range []string{"sqmd.adb", "other.apk"} {
		file, err := adb.Read(bytes.NewReader(testdata(f, name)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file.Body, i == 1)
		data = append(data, file.Data)
	}
	f.Fuzz(func(t *testing.T, body []byte, other bool) {
		b, root := adb.NewBody(body)
		blocks := data[0]
		if other {
			blocks = data[1]
		}
		c, uid := decodeContent(b, root, blocks)
		b.Blob(uid)
		if b.Full() != nil || c.check() != nil {
			return
		}
		file := c.lay()
		again, err := decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, again, cmp.AllowUnexported(content{}, directory{}, entry{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzReadIndex checks that an index that can be read is the same when written and read again.
func FuzzReadIndex(f *testing.F) {
	f.Add(testdata(f, "packages.adb"))
	f.Add(payload(f, testdata(f, "packages.adb")))
	f.Fuzz(func(t *testing.T, file []byte) {
		want, err := ReadIndex(bytes.NewReader(file))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := want.Write(&b, nil); err != nil {
			t.Fatal(err)
		}
		got, err := ReadIndex(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzCompareVersions checks that the order is one.
func FuzzCompareVersions(f *testing.F) {
	f.Add("1.2.3-r1", "1.2_rc1~ab-r2", "1.02a_p")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !ValidVersion(a) || !ValidVersion(b) || !ValidVersion(c) {
			return
		}
		ab, ba := CompareVersions(a, b), CompareVersions(b, a)
		if ab != -ba || CompareVersions(a, a) != 0 {
			t.Fatalf("%s and %s: %d and %d", a, b, ab, ba)
		}
		if bc := CompareVersions(b, c); ab < 0 && bc < 0 && CompareVersions(a, c) >= 0 {
			t.Fatalf("%s < %s < %s, but not the first and the last", a, b, c)
		}
	})
}
