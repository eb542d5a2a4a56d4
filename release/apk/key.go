// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// The types of PEM blocks as openssl names them: "openssl ecparam -name prime256v1 -genkey" writes parameters and a key
// in the older form, "openssl genpkey" one in the newer.
const (
	pemParameters = "EC PARAMETERS"
	pemPrivateEC  = "EC PRIVATE KEY"
	pemPrivate    = "PRIVATE KEY"
	pemPublic     = "PUBLIC KEY"
)

// NewKey makes a private key for signing packages and indices.
func NewKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return key, nil
}

// MarshalPrivateKey returns the key as PEM, in the form of "openssl ecparam -name prime256v1 -genkey -noout".
func MarshalPrivateKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("marshal the private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemPrivateEC, Bytes: der}), nil
}

// MarshalPublicKey returns the key as PEM. A router trusts it once it lies in a file *.pem in /etc/apk/keys.
func MarshalPublicKey(pub *ecdsa.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return nil, fmt.Errorf("marshal the public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemPublic, Bytes: der}), nil
}

// ParsePrivateKey reads a key on the curve P-256 from PEM, as openssl writes it, without a passphrase.
func ParsePrivateKey(text []byte) (*ecdsa.PrivateKey, error) {
	block, rest := pem.Decode(text)
	if block != nil && block.Type == pemParameters {
		block, _ = pem.Decode(rest)
	}
	if block == nil {
		return nil, errors.New("parse the private key: not PEM")
	}
	var key any
	var err error
	switch block.Type {
	case pemPrivateEC:
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case pemPrivate:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	default:
		err = fmt.Errorf("PEM holds a %q", block.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("parse the private key: %w", err)
	}
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return nil, errors.New("parse the private key: apk takes those on the curve P-256 (prime256v1)")
	}
	return private, nil
}

// ParsePublicKey reads a key on the curve P-256 from PEM.
func ParsePublicKey(text []byte) (*ecdsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemPublic {
		return nil, errors.New("parse the public key: not PEM of one")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("parse the public key: %w", err)
	}
	public, ok := key.(*ecdsa.PublicKey)
	if !ok || public.Curve != elliptic.P256() {
		return nil, errors.New("parse the public key: apk takes those on the curve P-256 (prime256v1)")
	}
	return public, nil
}
