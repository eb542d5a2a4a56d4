// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sample = File{
	Schema:     Package,
	Body:       []byte("body"),
	Signatures: [][]byte{[]byte("signature")},
	Data:       [][]byte{[]byte("1"), []byte("22")},
}

const samplePayload = "4144422e 70636b67" +
	"08000000 626f6479" +
	"0d000040 7369676e 61747572 65 000000" +
	"05000080 31 000000" +
	"06000080 3232 0000"

func TestPayload(t *testing.T) {
	got, err := sample.Payload()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(samplePayload, " ", ""), hex.EncodeToString(got)); diff != "" {
		t.Error(diff)
	}
}

func TestWriteAndRead(t *testing.T) {
	var compressed bytes.Buffer
	if err := sample.Write(&compressed); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"compressed": compressed.Bytes(), "plain": unhex(t, samplePayload)} {
		got, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(sample, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTooLarge(t *testing.T) {
	f := File{Schema: Package, Body: make([]byte, MaxSize)}
	if err := f.Write(&bytes.Buffer{}); err == nil {
		t.Error("no error")
	}
}

func TestBrokenFile(t *testing.T) {
	const magic = "4144422e 70636b67"
	tests := []struct{ name, file, err string }{
		{"nothing", "", "not an apk v3 file"},
		{"something else", "1f8b0800 00000000", "not an apk v3 file"},
		{"a method other than deflate", "41444263 0203", "not an apk v3 file"},
		{"no schema", "4144422e 70636b", "no schema"},
		{"no body", magic, "no body"},
		{"half a head", magic + "0800", "unexpected EOF"},
		{"block without a head", magic + "03000000 00000000", "3 bytes of 8"},
		{"block beyond the end", magic + "09000000 626f6479", "9 bytes of 8"},
		{"padding left out", magic + "05000000 62", "5 bytes of 5"},
		{"padding with something in it", magic + "05000000 62 000001", "instead of zeros"},
		{"second body", magic + "08000000 626f6479 08000000 626f6479", "out of order"},
		{"signature first", magic + "08000040 626f6479", "out of order"},
		{"signature after data", magic + "08000000 626f6479 08000080 626f6479 08000040 626f6479", "out of order"},
		{"unknown block", magic + "08000000 626f6479 080000c0 626f6479", "unknown type"},
		{"not compressed although it says so", "41444264 ffffffff", "decompress"},
		{"compressed part cut off", "41444264 01", "unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(bytes.NewReader(unhex(t, test.file)))
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v instead of %q", err, test.err)
			}
		})
	}
}

func TestBytesAfterTheCompressed(t *testing.T) {
	var b bytes.Buffer
	if err := sample.Write(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteByte(0)
	if _, err := Read(&b); err == nil {
		t.Error("no error")
	}
}

// TestBomb reads a small file that would decompress to more than is allowed.
func TestBomb(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(magicDeflate)
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range MaxSize>>20 + 1 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&b); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got error %v", err)
	}
}
