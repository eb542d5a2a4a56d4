// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"bytes"
	"crypto/ecdsa"
	"os"
	"testing"
	"time"

	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// sample is the package whose file testdata/sqmd.adb is, uncompressed and unsigned. apk's own "mkpkg" made that one
// (version 3.0.6, of the same files with the same times).
func sample() bundle.Package {
	return bundle.Package{
		Name:        "sqmd",
		Version:     "1.2.3-r1",
		Arch:        bundle.NoArch,
		Title:       "Traffic shaper",
		Description: "It keeps the delay\nof a busy line low.",
		License:     "GPL-2.0-or-later",
		Section:     "net",
		Source:      "feeds/packages/net/sqmd",
		Depends:     []string{"kmod-ifb", "kmod-sched-cake"},
		Provides:    []string{"qos"},
		Conflicts:   []string{"sqm-scripts"},
		Conffiles:   []string{"/etc/config/sqmd"},
		Files: []bundle.File{
			{Path: "/etc/config/sqmd", Mode: 0o600, Content: []byte("config queue\n")},
			{Path: "/etc/empty", Mode: 0o644},
			{Path: "/etc/init.d/sqmd", Mode: 0o755, Content: []byte("#!/bin/sh /etc/rc.common\n")},
			{Path: "/usr/sbin/sqm", Mode: 0o777, Link: "sqmd"},
			{Path: "/usr/sbin/sqmd", Mode: 0o755, Content: []byte("binary")},
		},
		Scripts: bundle.Scripts{
			PostInstall: "logger -t sqmd \"installed\"\n",
			PreRemove:   "logger -t sqmd \"leaving\"\n",
		},
		Time: time.Unix(1700000000, 0).UTC(),
	}
}

// write returns the package's file, signed if key is not nil.
func write(t testing.TB, p bundle.Package, key *ecdsa.PrivateKey) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p, key); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// payload returns a file without its compression.
func payload(t testing.TB, file []byte) []byte {
	t.Helper()
	f, err := adb.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Payload()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// testKey returns the key of RFC 6979, A.2.5, which everyone knows.
func testKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ParsePrivateKey(testdata(t, "key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}
