// SPDX-License-Identifier: GPL-2.0-or-later

package adb

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha512"
	"errors"
	"fmt"
)

// KeyID is how a signature names its key: the beginning of the SHA-512 of the public point, uncompressed.
type KeyID [16]byte

const (
	signatureVersion = 0
	signatureSHA512  = 4
	signatureHead    = 2 + len(KeyID{})
)

// ID returns the name of a key on the curve P-256, the one that OpenWrt uses.
func ID(pub *ecdsa.PublicKey) (KeyID, error) {
	if pub.Curve != elliptic.P256() {
		return KeyID{}, errors.New("the key is not on the curve P-256")
	}
	point, err := pub.ECDH()
	if err != nil {
		return KeyID{}, fmt.Errorf("public key: %w", err)
	}
	sum := sha512.Sum512(point.Bytes())
	return KeyID(sum[:]), nil
}

// Sign adds the key's signature. The same key and body give the same bytes.
func (f *File) Sign(key *ecdsa.PrivateKey) error {
	id, err := ID(&key.PublicKey)
	if err != nil {
		return err
	}
	head := append([]byte{signatureVersion, signatureSHA512}, id[:]...)
	signature, err := signDigest(key, f.digest(head))
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	f.Signatures = append(f.Signatures, append(head, signature...))
	return nil
}

// Verify returns an error unless the key signed the file, or if any of its signatures is malformed.
func (f File) Verify(pub *ecdsa.PublicKey) error {
	id, err := ID(pub)
	if err != nil {
		return err
	}
	signed := false
	for _, s := range f.Signatures {
		if len(s) <= signatureHead || s[0] != signatureVersion || s[1] != signatureSHA512 {
			return errors.New("a malformed signature")
		}
		head, signature := s[:signatureHead], s[signatureHead:]
		if !bytes.Equal(head[2:], id[:]) {
			continue
		}
		if !ecdsa.VerifyASN1(pub, f.digest(head), signature) {
			return fmt.Errorf("wrong signature by key %x", id)
		}
		signed = true
	}
	if !signed {
		return fmt.Errorf("not signed by key %x", id)
	}
	return nil
}

// message returns what a signature with this head is made of.
func (f File) message(head []byte) []byte {
	sum := sha512.Sum512(f.Body)
	m := append([]byte(f.Schema), head...)
	return append(m, sum[:]...)
}

func (f File) digest(head []byte) []byte {
	sum := sha512.Sum512(f.message(head))
	return sum[:]
}
