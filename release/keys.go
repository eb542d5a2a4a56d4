// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"crypto/ecdsa"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sqmd/release/apk"
	"sqmd/release/signify"
)

// Keys sign what a router downloads.
type Keys struct {
	// Opkg signs the index of an opkg feed.
	Opkg signify.Key
	// Apk signs packages and the index of an apk repository; it is on the curve P-256.
	Apk *ecdsa.PrivateKey
	// Development marks keys that nobody has to trust.
	Development bool
}

// LoadKeys reads a secret key of usign or signify and one in PEM from files.
func LoadKeys(opkgFile, apkFile string) (Keys, error) {
	var k Keys
	text, err := os.ReadFile(opkgFile)
	if err != nil {
		return Keys{}, fmt.Errorf("opkg key: %w", err)
	}
	if k.Opkg, err = signify.ParseKey(text); err != nil {
		return Keys{}, fmt.Errorf("opkg key %s: %w", opkgFile, err)
	}
	if text, err = os.ReadFile(apkFile); err != nil {
		return Keys{}, fmt.Errorf("apk key: %w", err)
	}
	if k.Apk, err = apk.ParsePrivateKey(text); err != nil {
		return Keys{}, fmt.Errorf("apk key %s: %w", apkFile, err)
	}
	return k, nil
}

// The files of a pair of keys that belong together.
const (
	opkgKeyFile = "opkg.sec"
	apkKeyFile  = "apk.pem"
)

// DevelopmentKeys reads keys from a folder, and makes them if they are not there.
func DevelopmentKeys(dir string) (Keys, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Keys{}, fmt.Errorf("development keys: %w", err)
	}
	opkgFile, apkFile := filepath.Join(dir, opkgKeyFile), filepath.Join(dir, apkKeyFile)
	err := errors.Join(ensureKey(opkgFile, newOpkgKey), ensureKey(apkFile, newApkKey))
	if err != nil {
		return Keys{}, fmt.Errorf("development keys: %w", err)
	}
	k, err := LoadKeys(opkgFile, apkFile)
	k.Development = true
	return k, err
}

// ensureKey makes a key's file unless there is one. The file appears whole: others may be looking for it too.
func ensureKey(file string, make func() ([]byte, error)) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := make()
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".key-")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(text); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	if err := os.Link(temporary.Name(), file); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func newOpkgKey() ([]byte, error) {
	key, err := signify.NewKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return key.Text(), nil
}

func newApkKey() ([]byte, error) {
	key, err := apk.NewKey()
	if err != nil {
		return nil, err
	}
	return apk.MarshalPrivateKey(key)
}
