// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"sqmd/release/apk/adb"
)

// TestCheckAccepts checks packages of apk's own mkpkg. other.apk has what ours do not: a signature, versions in
// dependencies, a setuid file, a directory that anybody may write to.
func TestCheckAccepts(t *testing.T) {
	for _, name := range []string{"sqmd.adb", "other.apk"} {
		if err := Check(testdata(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Verify(testdata(t, "other.apk"), &testKey(t).PublicKey); err != nil {
		t.Error(err)
	}
}

// TestCheckRefusesContent checks packages that are sound but for one thing that they say.
func TestCheckRefusesContent(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *content)
		err    string
	}{
		{"no version", func(c *content) { c.info.Version = "" }, "invalid version"},
		{"zero byte", func(c *content) { c.info.URL = "\x00" }, "zero byte"},
		{"two lines of description", func(c *content) { c.info.Description = "a\nb" }, "line break"},
		{"another installed size", func(c *content) { c.info.InstalledSize++ }, "installed size"},
		{"dependencies out of order", func(c *content) {
			c.info.Depends[0], c.info.Depends[1] = c.info.Depends[1], c.info.Depends[0]
		}, "not in order"},
		{"provided twice", func(c *content) { c.info.Provides = append(c.info.Provides, c.info.Provides...) }, "not in order"},
		{"dependency without a name", func(c *content) { c.info.Provides[0].Name = "" }, "invalid name"},
		{"version that any will do for", func(c *content) { c.info.Provides[0].Match = MatchAny }, "does not go"},
		{"dependency on a wrong version", func(c *content) { c.info.Provides[0].Version = "x" }, "invalid version"},
		{"dependency with an unknown match", func(c *content) { c.info.Provides[0].Match = 32 }, "match 32"},
		{"dependency that nothing matches", func(c *content) { c.info.Provides[0].Match = MatchConflict }, "does not go"},
		{"no root directory", func(c *content) { c.tree = c.tree[1:] }, "root"},
		{"root directory twice", func(c *content) { c.tree[1].name = "" }, "root"},
		{"directories out of order", func(c *content) { c.tree[2], c.tree[3] = c.tree[3], c.tree[2] }, "not in order"},
		{"directory in none", func(c *content) { c.tree = append(c.tree[:1], c.tree[2:]...) }, "lies in"},
		{"directory outside", func(c *content) { c.tree[1].name = ".." }, "clean"},
		{"directory from the root", func(c *content) { c.tree[1].name = "/etc" }, "clean"},
		{"files out of order", func(c *content) {
			f := c.tree[8].files
			f[0], f[1] = f[1], f[0]
		}, "not in order"},
		{"file outside", func(c *content) { c.tree[1].files[0].name = ".." }, "not a name"},
		{"file with a path", func(c *content) { c.tree[1].files[0].name = "a/b" }, "not a name"},
		{"file in the place of a directory", func(c *content) { c.tree[1].files[0].name = "config" }, "and a directory"},
		{"mode of a type", func(c *content) { c.tree[1].files[0].mode = 0o100644 }, "only root"},
		{"script for no shell", func(c *content) { c.scripts[postInstall] = "true\n" }, "shell"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := newContent(sample())
			if err != nil {
				t.Fatal(err)
			}
			test.change(&c)
			expect(t, c.lay(), test.err)
		})
	}
}

// TestCheckRefusesFiles checks packages with a sound body and other data.
func TestCheckRefusesFiles(t *testing.T) {
	tests := []struct {
		name   string
		change func(f *adb.File)
		err    string
	}{
		{"an index", func(f *adb.File) { f.Schema = adb.Index }, "not a package"},
		{"no data", func(f *adb.File) { f.Data = nil }, "content is not"},
		{"less data", func(f *adb.File) { f.Data = f.Data[:5] }, "content is not"},
		{"more data", func(f *adb.File) { f.Data = append(f.Data, f.Data[0]) }, "of no file"},
		{"data out of order", func(f *adb.File) { f.Data[0], f.Data[1] = f.Data[1], f.Data[0] }, "content is not"},
		{"data without a head", func(f *adb.File) { f.Data[0] = f.Data[0][:7] }, "content is not"},
		{"other data", func(f *adb.File) { f.Data[0][8]++ }, "content is not"},
		{"longer data", func(f *adb.File) { f.Data[0] = append(f.Data[0], 0) }, "content is not"},
		{"data for an empty file", func(f *adb.File) {
			f.Data = append([][]byte{{2, 0, 0, 0, 1, 0, 0, 0}}, f.Data...)
		}, "content is not"},
		{"another body", func(f *adb.File) { f.Body = bytes.Replace(f.Body, []byte("GPL"), []byte("gpl"), 1) }, "damaged"},
		{"a longer body", func(f *adb.File) { f.Body = append(f.Body, 0, 0, 0, 0) }, "damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := newContent(sample())
			if err != nil {
				t.Fatal(err)
			}
			f := c.lay()
			test.change(&f)
			expect(t, f, test.err)
		})
	}
}

// TestCheckRefusesBodies checks bodies that no content makes.
func TestCheckRefusesBodies(t *testing.T) {
	tests := []struct {
		name string
		// fill adds to the slots of a package without files and of its info, where the unique id is uid.
		fill func(w *adb.Writer, uid adb.Value, info, pkg map[int]adb.Value)
		err  string
	}{
		{"nothing wrong", func(*adb.Writer, adb.Value, map[int]adb.Value, map[int]adb.Value) {}, ""},
		{"no unique id", func(_ *adb.Writer, _ adb.Value, info, _ map[int]adb.Value) { info[infoHash] = 0 }, "unique id"},
		{"unique id of another size", func(w *adb.Writer, _ adb.Value, info, _ map[int]adb.Value) {
			info[infoHash] = w.Blob(make([]byte, 32))
		}, "unique id"},
		{"unique id that is the license, too", func(_ *adb.Writer, uid adb.Value, info, _ map[int]adb.Value) {
			info[infoLicense] = uid
		}, "of its own"},
		{"file size of an index", func(w *adb.Writer, _ adb.Value, info, _ map[int]adb.Value) {
			info[infoFileSize] = w.Int(1)
		}, "unknown slot"},
		{"triggers", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[4] = w.Array([]adb.Value{w.Text("/usr/*")})
		}, "unknown slot"},
		{"script of a trigger", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[packageScripts] = w.Object(map[int]adb.Value{1: w.Text("#!/bin/sh\n")})
		}, "unknown slot"},
		{"match that goes without saying", func(w *adb.Writer, _ adb.Value, info, _ map[int]adb.Value) {
			info[infoDepends] = w.Array([]adb.Value{w.Object(map[int]adb.Value{1: w.Text("a"), 3: w.Int(7)})})
		}, "match 7"},
		{"group other than root", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			acl := w.Object(map[int]adb.Value{1: w.Int(0o755), 2: w.Text("root"), 3: w.Text("daemon")})
			pkg[packagePaths] = w.Array([]adb.Value{w.Object(map[int]adb.Value{2: acl})})
		}, "only root"},
		{"device", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[packagePaths] = oneFile(w, map[int]adb.Value{fileTarget: w.Blob([]byte{0, 0x20, 1, 2})})
		}, "neither"},
		{"link to nothing", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[packagePaths] = oneFile(w, map[int]adb.Value{fileTarget: w.Blob([]byte{0, 0xa0})})
		}, "neither"},
		{"link of another size", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[packagePaths] = oneFile(w, map[int]adb.Value{fileTarget: w.Blob([]byte{0, 0xa0, 'x'}), fileSize: w.Int(2)})
		}, "size 2"},
		{"empty file with the sum of another", func(w *adb.Writer, _ adb.Value, _, pkg map[int]adb.Value) {
			pkg[packagePaths] = oneFile(w, map[int]adb.Value{fileSHA256: w.Blob(make([]byte, 32))})
		}, "content is not"},
		{"bytes of nobody", func(w *adb.Writer, _ adb.Value, _, _ map[int]adb.Value) { w.Text("hidden") }, "nothing refers to"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := adb.NewWriter()
			info := Info{Name: "a", Version: "1", Arch: "noarch"}.encode(w)
			uid, at := w.Reserve(uidSize)
			info[infoHash] = uid
			pkg := map[int]adb.Value{
				packagePaths: w.Array([]adb.Value{w.Object(map[int]adb.Value{pathACL: encodeACL(w, 0o755)})}),
			}
			test.fill(w, uid, info, pkg)
			pkg[packageInfo] = w.Object(info)
			body := w.Body(w.Object(pkg))
			sum := sha256.Sum256(body)
			copy(body[at:], sum[:uidSize])
			expect(t, adb.File{Schema: adb.Package, Body: body}, test.err)
		})
	}
}

// oneFile returns the directories of a package with a file "f" in the root.
func oneFile(w *adb.Writer, slots map[int]adb.Value) adb.Value {
	slots[fileName] = w.Text("f")
	slots[fileACL] = encodeACL(w, 0o644)
	files := w.Array([]adb.Value{w.Object(slots)})
	return w.Array([]adb.Value{w.Object(map[int]adb.Value{pathACL: encodeACL(w, 0o755), pathFiles: files})})
}

// expect checks a file and compares with the error that it should give, none if err is empty.
func expect(t *testing.T, f adb.File, err string) {
	t.Helper()
	file, e := f.Payload()
	if e != nil {
		t.Fatal(e)
	}
	got := Check(file)
	if err == "" && got != nil || err != "" && (got == nil || !strings.Contains(got.Error(), err)) {
		t.Errorf("got error %v instead of %q", got, err)
	}
}
