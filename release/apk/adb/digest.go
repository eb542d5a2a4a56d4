// SPDX-License-Identifier: GPL-2.0-or-later

//go:build go1.24

package adb

import (
	"crypto"
	"crypto/ecdsa"
)

// signDigest signs a SHA-512 sum. Without a source of randomness crypto/ecdsa takes the nonce from key and sum (RFC
// 6979), so that signing twice gives the same bytes and no bad source can give the key away. It does so since Go 1.24,
// whatever the go line of go.mod says.
func signDigest(key *ecdsa.PrivateKey, sum []byte) ([]byte, error) {
	return key.Sign(nil, sum, crypto.SHA512)
}
