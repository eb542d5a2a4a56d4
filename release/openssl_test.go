// SPDX-License-Identifier: GPL-2.0-or-later

package release

import (
	"bytes"
	"crypto/sha512"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sqmd/release/apk"
	"sqmd/release/apk/adb"
	"sqmd/release/bundle"
)

// packages is a folder that [Build] filled, to look at instead of a small one of the test's own.
var packages = flag.String("packages", "", "look at the packages in this `folder`")

// OpenSSL verifies the signatures of packages and indices of apk with the public key beside them, and packages are for
// the architecture whose folder they are in, or for all.
func TestOpenSSL(t *testing.T) {
	dir := *packages
	if dir == "" {
		dir, _ = buildFixture(t, Options{Dir: newFixture(t), Arches: twoArches(t), Keys: testKeys(t)})
	}
	files, err := filepath.Glob(filepath.Join(dir, apkDir, "*", "*"))
	if err != nil || len(files) < 4 {
		t.Fatalf("files %v, %v; want a package and an index for each of two or more architectures", files, err)
	}
	key := filepath.Join(dir, keysDir, apkKeyName)
	for _, file := range files {
		content := []byte(readFile(t, file))
		openSSLVerifies(t, key, file, content)
		if filepath.Base(file) == apk.IndexName {
			continue
		}
		p, err := apk.Read(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if want := filepath.Base(filepath.Dir(file)); p.Arch != want && p.Arch != bundle.NoArch {
			t.Errorf("%s is for %s; want %s", file, p.Arch, want)
		}
	}
}

// openSSLVerifies has openssl verify the one signature of a file. Signed is the schema, the signature's head of 18 bytes
// and the SHA-512 of the body.
func openSSLVerifies(t *testing.T, key, file string, content []byte) {
	t.Helper()
	f, err := adb.Read(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	const head = 18
	if len(f.Signatures) != 1 || len(f.Signatures[0]) < head {
		t.Fatalf("%s has signatures %x; want one", file, f.Signatures)
	}
	sum := sha512.Sum512(f.Body)
	dir := t.TempDir()
	signature, message := filepath.Join(dir, "signature"), filepath.Join(dir, "message")
	for name, part := range map[string][]byte{
		signature: f.Signatures[0][head:],
		message:   slices.Concat([]byte(f.Schema), f.Signatures[0][:head], sum[:]),
	} {
		if err := os.WriteFile(name, part, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "openssl", "dgst", "-sha512", "-verify", key, "-signature", signature, message)
}
