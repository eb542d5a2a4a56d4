// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDevelopmentKeys(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	first, err := DevelopmentKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := DevelopmentKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Development || !first.Opkg.Secret.Equal(second.Opkg.Secret) || !first.Apk.Equal(second.Apk) {
		t.Error("the keys of the second call are others")
	}
	for _, name := range []string{opkgKeyFile, apkKeyFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("%s has mode %04o", name, info.Mode())
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v, %v; want two files", entries, err)
	}
}

func TestLoadKeysRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := DevelopmentKeys(dir); err != nil {
		t.Fatal(err)
	}
	opkg, apk := filepath.Join(dir, opkgKeyFile), filepath.Join(dir, apkKeyFile)
	if keys, err := LoadKeys(opkg, apk); err != nil || keys.Development {
		t.Errorf("%v, development %v; want no error and false", err, keys.Development)
	}
	for _, c := range []struct{ name, opkg, apk string }{
		{"no opkg key", filepath.Join(dir, "none"), apk},
		{"no apk key", opkg, filepath.Join(dir, "none")},
		{"exchanged", apk, opkg},
	} {
		if _, err := LoadKeys(c.opkg, c.apk); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}
