// SPDX-License-Identifier: GPL-2.0-or-later

// Package signify makes and verifies the signatures of usign and OpenBSD's signify: Ed25519 over the whole message,
// in small text files. opkg verifies the index of a feed with them.
//
// Each file is a comment line, which nothing vouches for, and a line of base64: the algorithm "Ed", an 8-byte key
// number that tells keys apart, then the key or signature (sources: signify(1), OpenWrt usign main.c).
package signify

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	commentStart = "untrusted comment: "
	algorithm    = "Ed"
	// derivation is how a passphrase would encrypt a secret key; without one its rounds are 0.
	derivation = "BK"
)

// Number tells keys apart. It is drawn with a key and is no hash of it.
type Number [8]byte

// PublicKey verifies. Its zero value verifies nothing.
type PublicKey struct {
	Number Number
	Key    ed25519.PublicKey
}

// Key signs.
type Key struct {
	Number Number
	Secret ed25519.PrivateKey
}

// NewKey draws a key from rand, which is crypto/rand.Reader but in tests.
func NewKey(rand io.Reader) (Key, error) {
	var drawn struct {
		number Number
		seed   [ed25519.SeedSize]byte
	}
	for _, part := range [][]byte{drawn.number[:], drawn.seed[:]} {
		if _, err := io.ReadFull(rand, part); err != nil {
			return Key{}, fmt.Errorf("drawing a key: %w", err)
		}
	}
	return Key{Number: drawn.number, Secret: ed25519.NewKeyFromSeed(drawn.seed[:])}, nil
}

// Fingerprint is the number in 16 lower case hexadecimal digits: the name of a public key's file in /etc/opkg/keys.
func (n Number) Fingerprint() string { return hex.EncodeToString(n[:]) }

// Fingerprint is that of the key's [Number].
func (k Key) Fingerprint() string { return k.Number.Fingerprint() }

// Fingerprint is that of the key's [Number].
func (p PublicKey) Fingerprint() string { return p.Number.Fingerprint() }

// Public is the part of the key that everyone may have.
func (k Key) Public() PublicKey {
	return PublicKey{Number: k.Number, Key: ed25519.PublicKey(k.Secret[ed25519.SeedSize:])}
}

// Text is the key's file, not encrypted, as signify -G -n makes it. It is a secret.
func (k Key) Text() []byte {
	sum := sha512.Sum512(k.Secret)
	noRoundsNoSalt := make([]byte, 4+16)
	return text("secret key "+k.Fingerprint(),
		[]byte(algorithm), []byte(derivation), noRoundsNoSalt, sum[:8], k.Number[:], k.Secret)
}

// ParseKey reads a secret key's file. It is an error if the key is encrypted or damaged.
func ParseKey(file []byte) (Key, error) {
	k, err := parseKey(file)
	if err != nil {
		return Key{}, fmt.Errorf("reading secret key: %w", err)
	}
	return k, nil
}

func parseKey(file []byte) (Key, error) {
	var rounds, salt, sum, secret = make([]byte, 4), make([]byte, 16), make([]byte, 8), make([]byte, ed25519.PrivateKeySize)
	var k Key
	if err := parse(file, algorithm+derivation, rounds, salt, sum, k.Number[:], secret); err != nil {
		return Key{}, err
	}
	if !bytes.Equal(rounds, make([]byte, 4)) {
		return Key{}, errors.New("it is encrypted; make one without a passphrase (signify -G -n)")
	}
	if want := sha512.Sum512(secret); !bytes.Equal(sum, want[:8]) {
		return Key{}, errors.New("it is damaged: wrong checksum")
	}
	k.Secret = secret
	if !k.Secret.Equal(ed25519.NewKeyFromSeed(k.Secret.Seed())) {
		return Key{}, errors.New("it is damaged: its public half is another key's")
	}
	return k, nil
}

// Text is the public key's file.
func (p PublicKey) Text() []byte {
	return text("public key "+p.Fingerprint(), []byte(algorithm), p.Number[:], p.Key)
}

// ParsePublicKey reads a public key's file.
func ParsePublicKey(file []byte) (PublicKey, error) {
	p := PublicKey{Key: make([]byte, ed25519.PublicKeySize)}
	if err := parse(file, algorithm, p.Number[:], p.Key); err != nil {
		return PublicKey{}, fmt.Errorf("reading public key: %w", err)
	}
	return p, nil
}

// Sign is the text of the .sig file for message.
func (k Key) Sign(message []byte) []byte {
	return text("signed by key "+k.Fingerprint(), []byte(algorithm), k.Number[:], ed25519.Sign(k.Secret, message))
}

// Verify returns nil if sig is the text of a .sig file in which the owner of public signed message.
func Verify(public PublicKey, message, sig []byte) error {
	var number Number
	signature := make([]byte, ed25519.SignatureSize)
	if err := parse(sig, algorithm, number[:], signature); err != nil {
		return fmt.Errorf("reading signature: %w", err)
	}
	if number != public.Number {
		return fmt.Errorf("signed by key %s, not by %s", number.Fingerprint(), public.Fingerprint())
	}
	if len(public.Key) != ed25519.PublicKeySize || !ed25519.Verify(public.Key, message, signature) {
		return fmt.Errorf("the signature by key %s is not for this message", public.Fingerprint())
	}
	return nil
}

func text(comment string, parts ...[]byte) []byte {
	return []byte(commentStart + comment + "\n" + base64.StdEncoding.EncodeToString(bytes.Join(parts, nil)) + "\n")
}

// parse fills parts from a file whose data starts with magic and is exactly as long as they are.
func parse(file []byte, magic string, parts ...[]byte) error {
	lines := strings.Split(string(file), "\n")
	if len(lines) != 3 || lines[2] != "" || !strings.HasPrefix(lines[0], commentStart) {
		return fmt.Errorf("it is not a line %q and a line of base64", commentStart+"…")
	}
	// The decoder passes over \r by itself.
	data, err := base64.StdEncoding.Strict().DecodeString(lines[1])
	if err != nil || strings.Contains(lines[1], "\r") {
		return errors.New("the second line is not base64")
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return fmt.Errorf("its algorithm is not %s", magic)
	}
	for _, part := range parts {
		if len(rest) < len(part) {
			return errors.New("it is too short")
		}
		rest = rest[copy(part, rest):]
	}
	if len(rest) > 0 {
		return errors.New("it is too long")
	}
	return nil
}
