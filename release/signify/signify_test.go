// SPDX-License-Identifier: GPL-2.0-or-later

package signify

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counting gives bytes that differ, the same in every test.
func counting() *bytes.Reader {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i)
	}
	return bytes.NewReader(b)
}

func key(t testing.TB) Key {
	t.Helper()
	k, err := NewKey(counting())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// signify-openbsd -G -n made these.
const (
	foreignPublic = "untrusted comment: signify public key\n" +
		"RWQcyyQD/zUVnL8P3FdSf+uv2tlZQUCwN9mPrMY9NJDCFQ148mRjOepO\n"
	foreignSecret = "untrusted comment: signify secret key\n" +
		"RWRCSwAAAADvjuqS7dgAB66HLPn15U3YIYPh5CLCF3ocyyQD/zUVnGgB32NBiL6rA1XKO5U57KzaEOHyOtorORfQVK9egU1Kvw/cV1J/66/a2VlBQLA32Y+sxj00kMIVDXjyZGM56k4=\n"
	foreignSignature = "untrusted comment: verify with t.pub\n" +
		"RWQcyyQD/zUVnISd7g71WPE8xKiTcJskAch4R9gV4vv7sONvc0gwOUdLmpDnNABwnmMvSbTjU4KJ2MpsQeMcARFoaWTMqD1V6Ak=\n"
	foreignMessage = "hello\n"
)

func TestForeignKey(t *testing.T) {
	public, err := ParsePublicKey([]byte(foreignPublic))
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(public, []byte(foreignMessage), []byte(foreignSignature)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff("1ccb2403ff35159c", public.Fingerprint()); diff != "" {
		t.Error(diff)
	}
	secret, err := ParseKey([]byte(foreignSecret))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(public, secret.Public()); diff != "" {
		t.Error(diff)
	}
	_, ours, _ := strings.Cut(string(secret.Sign([]byte(foreignMessage))), "\n")
	_, theirs, _ := strings.Cut(foreignSignature, "\n")
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Error(diff)
	}
}

func TestRoundTrip(t *testing.T) {
	k := key(t)
	secret, err := ParseKey(k.Text())
	if err != nil {
		t.Fatal(err)
	}
	public, err := ParsePublicKey(k.Public().Text())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(k, secret); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(k.Public(), public); diff != "" {
		t.Error(diff)
	}
	if got, want := k.Fingerprint(), "0001020304050607"; got != want || public.Fingerprint() != want {
		t.Errorf("fingerprint %s, public %s, want %s", got, public.Fingerprint(), want)
	}
	if err := Verify(public, nil, k.Sign(nil)); err != nil {
		t.Error(err)
	}
}

func TestNewKeyNeedsAllOfItsRandomness(t *testing.T) {
	short := counting()
	_, _ = short.ReadByte()
	if _, err := NewKey(short); err == nil {
		t.Error("39 bytes were enough")
	}
}

func TestVerifyRefuses(t *testing.T) {
	k := key(t)
	message := []byte("Package: sqmd\n")
	sig := k.Sign(message)
	other, err := NewKey(bytes.NewReader(make([]byte, 40)))
	if err != nil {
		t.Fatal(err)
	}
	impostor := other
	impostor.Number = k.Number
	for name, c := range map[string]struct {
		public       PublicKey
		message, sig []byte
		want         string
	}{
		"message":    {k.Public(), []byte("Package: sqme\n"), sig, "not for this message"},
		"other key":  {other.Public(), message, sig, "signed by key 0001020304050607, not by 0000000000000000"},
		"impostor":   {impostor.Public(), message, sig, "not for this message"},
		"zero key":   {PublicKey{Number: k.Number}, message, sig, "not for this message"},
		"empty":      {k.Public(), message, nil, "reading signature"},
		"a key":      {k.Public(), message, k.Public().Text(), "too short"},
		"comment":    {k.Public(), message, sig[1:], "is not a line"},
		"more after": {k.Public(), message, append(bytes.Clone(sig), "x"...), "is not a line"},
		"carriage":   {k.Public(), message, bytes.ReplaceAll(sig, []byte("=\n"), []byte("=\r\n")), "not base64"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Verify(c.public, c.message, c.sig)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	for i := range message {
		tampered := bytes.Clone(message)
		tampered[i] ^= 1
		if Verify(k.Public(), tampered, sig) == nil {
			t.Errorf("a change in byte %d went unnoticed", i)
		}
	}
}

func TestParseKeyRefuses(t *testing.T) {
	k := key(t)
	mixed := k
	mixed.Secret = append(bytes.Clone(k.Secret[:32]), make([]byte, 32)...)
	rounds := bytes.Replace(k.Text(), []byte("RWRCSwAAAAA"), []byte("RWRCSwAAACo"), 1)
	damaged := k.Text()
	damaged[len(damaged)-10] ^= 1
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"encrypted": {rounds, "it is encrypted"},
		"damaged":   {damaged, "wrong checksum"},
		"mixed":     {mixed.Text(), "public half"},
		"public":    {k.Public().Text(), "algorithm is not EdBK"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseKey(c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// signify runs OpenBSD's program in dir and returns its exit code.
func signify(t *testing.T, dir string, args ...string) int {
	t.Helper()
	cmd := exec.Command("signify-openbsd", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil {
		t.Logf("signify-openbsd %v: %s", args, out)
		return exit.ExitCode()
	}
	return 0
}

func TestAgainstSignify(t *testing.T) {
	dir := t.TempDir()
	message := []byte("Package: sqmd\nVersion: 1\n\n")
	save := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}

	// It verifies what we sign, and signs with a key of ours.
	k := key(t)
	save("ours.pub", k.Public().Text())
	save("ours.sec", k.Text())
	save("Packages", message)
	save("Packages.sig", k.Sign(message))
	if code := signify(t, dir, "-V", "-q", "-p", "ours.pub", "-m", "Packages"); code != 0 {
		t.Errorf("our signature: exit %d", code)
	}
	if code := signify(t, dir, "-S", "-s", "ours.sec", "-m", "Packages", "-x", "again.sig"); code != 0 {
		t.Errorf("our secret key: exit %d", code)
	}
	if err := Verify(k.Public(), message, read("again.sig")); err != nil {
		t.Error(err)
	}
	save("Packages", append([]byte("X"), message[1:]...))
	if code := signify(t, dir, "-V", "-q", "-p", "ours.pub", "-m", "Packages"); code != 1 {
		t.Errorf("a tampered index: exit %d", code)
	}

	// We sign with a key of its making.
	if code := signify(t, dir, "-G", "-n", "-p", "theirs.pub", "-s", "theirs.sec"); code != 0 {
		t.Fatalf("making a key: exit %d", code)
	}
	theirs, err := ParseKey(read("theirs.sec"))
	if err != nil {
		t.Fatal(err)
	}
	save("Packages", message)
	save("Packages.sig", theirs.Sign(message))
	if code := signify(t, dir, "-V", "-q", "-p", "theirs.pub", "-m", "Packages"); code != 0 {
		t.Errorf("our signature with their key: exit %d", code)
	}
}

func FuzzParse(f *testing.F) {
	k := key(f)
	for _, file := range [][]byte{k.Text(), k.Public().Text(), k.Sign(nil), []byte(foreignSecret), []byte(foreignPublic),
		[]byte(foreignSignature), []byte("untrusted comment: \nRWQ=\n"), nil} {
		f.Add(file)
	}
	public := k.Public()
	message := []byte("message")
	_, genuine, _ := strings.Cut(string(k.Sign(message)), "\n")
	f.Add(k.Sign(message))
	f.Fuzz(func(t *testing.T, file []byte) {
		if k, err := ParseKey(file); err == nil {
			if again, err := ParseKey(k.Text()); err != nil || !again.Secret.Equal(k.Secret) {
				t.Errorf("secret key comes back as %v, %v", again, err)
			}
		}
		if p, err := ParsePublicKey(file); err == nil {
			if again, err := ParsePublicKey(p.Text()); err != nil || !again.Key.Equal(p.Key) {
				t.Errorf("public key comes back as %v, %v", again, err)
			}
		}
		_, forged, _ := strings.Cut(string(file), "\n")
		if Verify(public, message, file) == nil && forged != genuine {
			t.Errorf("forged: %q", file)
		}
	})
}
