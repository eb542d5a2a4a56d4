// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha512"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testKey is the key of RFC 6979, A.2.5, which everyone knows.
const testKey = "../testdata/key.pem"

// TestDeterministic compares with the signature that RFC 6979 gives for P-256 and SHA-512.
func TestDeterministic(t *testing.T) {
	sum := sha512.Sum512([]byte("sample"))
	der, err := signDigest(readKey(t), sum[:])
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &got); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00",
		"2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe",
	}
	if diff := cmp.Diff(want, []string{got.R.Text(16), got.S.Text(16)}); diff != "" {
		t.Error(diff)
	}
}

func TestSignTwice(t *testing.T) {
	key := readKey(t)
	a, b := signed(t, key), signed(t, key)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

// TestOpenSSLVerifies gives openssl our signature and the message that it should be of.
func TestOpenSSLVerifies(t *testing.T) {
	f := signed(t, readKey(t))
	head, signature := f.Signatures[0][:signatureHead], f.Signatures[0][signatureHead:]
	point := openssl(t, nil, "ec", "-in", testKey, "-pubout", "-outform", "DER")
	id := sha512.Sum512(point[len(point)-65:])
	sum := sha512.Sum512(f.Body)
	message := slices.Concat([]byte("pckg\x00\x04"), id[:16], sum[:])
	if !bytes.Equal(head, message[4:4+signatureHead]) {
		t.Errorf("the signature begins with % x", head)
	}

	dir := t.TempDir()
	public, sig := filepath.Join(dir, "pub"), filepath.Join(dir, "sig")
	openssl(t, nil, "ec", "-in", testKey, "-pubout", "-out", public)
	if err := os.WriteFile(sig, signature, 0o600); err != nil {
		t.Fatal(err)
	}
	openssl(t, message, "dgst", "-sha512", "-verify", public, "-signature", sig)
}

// TestVerifyOpenSSL verifies a signature that openssl made, with a key that it made.
func TestVerifyOpenSSL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	openssl(t, nil, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
	point := openssl(t, nil, "ec", "-in", path, "-pubout", "-outform", "DER")
	id := sha512.Sum512(point[len(point)-65:])
	head := append([]byte{0, 4}, id[:16]...)

	f := File{Schema: Index, Body: []byte("body")}
	sum := sha512.Sum512(f.Body)
	message := slices.Concat([]byte("indx"), head, sum[:])
	signature := openssl(t, message, "dgst", "-sha512", "-sign", path)
	f.Signatures = [][]byte{append(head, signature...)}

	public, err := x509.ParsePKIXPublicKey(point)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(public.(*ecdsa.PublicKey)); err != nil {
		t.Error(err)
	}
	if err := f.Verify(&readKey(t).PublicKey); err == nil {
		t.Error("verified with another key")
	}
}

func TestVerifyRefuses(t *testing.T) {
	key := readKey(t)
	tests := []struct {
		name   string
		change func(f *File)
	}{
		{"no signature", func(f *File) { f.Signatures = nil }},
		{"another body", func(f *File) { f.Body = []byte("Body") }},
		{"another schema", func(f *File) { f.Schema = Index }},
		{"another version", func(f *File) { f.Signatures[0][0]++ }},
		{"another hash", func(f *File) { f.Signatures[0][1]++ }},
		{"another key's name", func(f *File) { f.Signatures[0][2]++ }},
		{"nothing but a head", func(f *File) { f.Signatures[0] = f.Signatures[0][:signatureHead] }},
		{"a byte less", func(f *File) { f.Signatures[0] = f.Signatures[0][:len(f.Signatures[0])-1] }},
		{"a byte more", func(f *File) { f.Signatures[0] = append(f.Signatures[0], 0) }},
		{"a second, malformed", func(f *File) { f.Signatures = append(f.Signatures, []byte("?")) }},
		{"a second, wrong", func(f *File) {
			wrong := bytes.Clone(f.Signatures[0])
			wrong[len(wrong)-1]++
			f.Signatures = append(f.Signatures, wrong)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := signed(t, key)
			test.change(&f)
			if err := f.Verify(&key.PublicKey); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestTwoKeys signs with two keys, as one does while the old one is replaced.
func TestTwoKeys(t *testing.T) {
	old := readKey(t)
	f := signed(t, old)
	next, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Sign(next); err != nil {
		t.Fatal(err)
	}
	for _, key := range []*ecdsa.PrivateKey{old, next} {
		if err := f.Verify(&key.PublicKey); err != nil {
			t.Error(err)
		}
	}
}

func TestOtherCurve(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	f := File{Schema: Package, Body: []byte("body")}
	if err := f.Sign(key); err == nil {
		t.Error("signed")
	}
	if err := f.Verify(&key.PublicKey); err == nil {
		t.Error("verified")
	}
}

func signed(t *testing.T, key *ecdsa.PrivateKey) File {
	t.Helper()
	f := File{Schema: Package, Body: []byte("body")}
	if err := f.Sign(key); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(&key.PublicKey); err != nil {
		t.Fatal(err)
	}
	return f
}

func readKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	text, err := os.ReadFile(testKey)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// openssl returns what the command prints when it is given input.
func openssl(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("openssl", args...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(fmt.Errorf("openssl %v: %w: %s%s", args, err, out, stderr.Bytes()))
	}
	return out
}
