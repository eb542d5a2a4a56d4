// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"crypto/ecdsa"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeysOfOpenSSL(t *testing.T) {
	for _, args := range [][]string{
		{"ecparam", "-name", "prime256v1", "-genkey"},
		{"ecparam", "-name", "prime256v1", "-genkey", "-noout"},
		{"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"},
	} {
		path := filepath.Join(t.TempDir(), "key.pem")
		openssl(t, append(args, "-out", path)...)
		key, err := ParsePrivateKey(readFile(t, path))
		if err != nil {
			t.Errorf("%v: %v", args, err)
			continue
		}
		pub, err := ParsePublicKey(openssl(t, "ec", "-in", path, "-pubout"))
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		if !pub.Equal(&key.PublicKey) {
			t.Errorf("%v: the keys are no pair", args)
		}
	}
}

// TestKeysForOpenSSL lets openssl write our keys again.
func TestKeysForOpenSSL(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	private, err := MarshalPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := MarshalPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(path, private, 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(openssl(t, "ec", "-in", path)), string(private)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(string(openssl(t, "ec", "-in", path, "-pubout")), string(public)); diff != "" {
		t.Error(diff)
	}
}

func TestTestdataKeys(t *testing.T) {
	pub, err := ParsePublicKey(testdata(t, "key.pub.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if !testKey(t).PublicKey.Equal(pub) {
		t.Error("the keys are no pair")
	}
}

func TestParseKeyRefuses(t *testing.T) {
	private := map[string][]byte{
		"nothing":         nil,
		"a public key":    testdata(t, "key.pub.pem"),
		"parameters":      openssl(t, "ecparam", "-name", "prime256v1"),
		"another curve":   openssl(t, "ecparam", "-name", "secp384r1", "-genkey", "-noout"),
		"another kind":    openssl(t, "genpkey", "-algorithm", "ED25519"),
		"something else":  []byte("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"),
		"with passphrase": openssl(t, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes128", "-pass", "pass:x"),
	}
	for name, text := range private {
		if key, err := ParsePrivateKey(text); err == nil || key != (*ecdsa.PrivateKey)(nil) {
			t.Errorf("%s: no error", name)
		}
	}
	path := filepath.Join(t.TempDir(), "key.pem")
	openssl(t, "genpkey", "-algorithm", "ED25519", "-out", path)
	public := map[string][]byte{
		"nothing":        nil,
		"a private key":  testdata(t, "key.pem"),
		"another kind":   openssl(t, "pkey", "-in", path, "-pubout"),
		"something else": []byte("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
	}
	for name, text := range public {
		if _, err := ParsePublicKey(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openssl(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("openssl", args...).Output()
	if err != nil {
		t.Fatalf("openssl %v: %v", args, err)
	}
	return out
}
