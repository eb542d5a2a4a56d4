// SPDX-License-Identifier: GPL-2.0-or-later

//go:build !go1.24

package adb

import (
	"crypto/ecdsa"
	"errors"
)

// signDigest fails: the crypto/ecdsa of this Go never signs the same bytes alike.
func signDigest(*ecdsa.PrivateKey, []byte) ([]byte, error) {
	return nil, errors.New("reproducible signatures need a build with Go 1.24 or later")
}
