// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"testing"

	"sqmd/release/apk/adb"
)

// TestTamper changes every byte of a signed package, uncompressed, and cuts it off everywhere.
func TestTamper(t *testing.T) {
	key := testKey(t)
	file := payload(t, write(t, sample(), key))
	accept := func(b []byte) bool { return Check(b) == nil && Verify(b, &key.PublicKey) == nil }
	if !accept(file) {
		t.Fatal("the package itself is refused")
	}
	for i := range file {
		for _, flip := range flips(i) {
			file[i] ^= flip
			if accept(file) {
				t.Errorf("%#02x in byte %#x makes no difference", flip, i)
			}
			file[i] ^= flip
		}
		if accept(file[:i]) {
			t.Errorf("the first %#x bytes are enough", i)
		}
	}
	if accept(append(file, 0)) || accept(append(file, make([]byte, 8)...)) {
		t.Error("bytes at the end make no difference")
	}
}

// TestTamperCompressed does so to the package as it is shipped. What is still accepted has to decompress to the same
// bytes: deflate has bits without a use, and can refer to either of two places that hold the same.
func TestTamperCompressed(t *testing.T) {
	key := testKey(t)
	file := write(t, sample(), key)
	want := payload(t, file)
	for i := range file {
		for _, flip := range flips(i) {
			file[i] ^= flip
			if Verify(file, &key.PublicKey) == nil && Check(file) == nil && !bytes.Equal(payload(t, file), want) {
				t.Errorf("%#02x in byte %#x changes what is accepted", flip, i)
			}
			file[i] ^= flip
		}
		if Check(file[:i]) == nil {
			t.Errorf("the first %#x bytes are enough", i)
		}
	}
}

// TestTamperIndex does so to a signed index, uncompressed.
func TestTamperIndex(t *testing.T) {
	key := testKey(t)
	var x Index
	for _, p := range [][]byte{write(t, sample(), nil), testdata(t, "other.apk")} {
		addTo(t, &x, p)
	}
	var b bytes.Buffer
	if err := x.Write(&b, key); err != nil {
		t.Fatal(err)
	}
	file := payload(t, b.Bytes())
	if err := Verify(file, &key.PublicKey); err != nil {
		t.Fatal(err)
	}
	for i := range file {
		for _, flip := range flips(i) {
			file[i] ^= flip
			if Verify(file, &key.PublicKey) == nil {
				t.Errorf("%#02x in byte %#x makes no difference", flip, i)
			}
			file[i] ^= flip
		}
	}
}

// TestVerifyOthers verifies what is no file at all.
func TestVerifyOthers(t *testing.T) {
	key := testKey(t)
	for _, file := range [][]byte{nil, []byte("ADB."), write(t, sample(), nil)} {
		if err := Verify(file, &key.PublicKey); err == nil {
			t.Errorf("verified %.20q", file)
		}
	}
	f, err := adb.Read(bytes.NewReader(write(t, sample(), key)))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Signatures) != 1 {
		t.Errorf("%d signatures", len(f.Signatures))
	}
}

// flips returns what to change byte i by: one bit, another one for its neighbours, and all.
func flips(i int) []byte { return []byte{1 << (i % 8), 0xff} }
