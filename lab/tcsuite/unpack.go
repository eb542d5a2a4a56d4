// SPDX-License-Identifier: GPL-2.0-or-later

package tcsuite

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// testsInSource is where the tests are in the kernel source.
const testsInSource = "tools/testing/selftests/tc-testing/tc-tests"

// Unpack takes the tests out of a kernel source archive, linux-source-6.1.tar.xz or the like, into a directory below
// cache, and returns that directory. What was unpacked from the same archive before is used again.
func Unpack(ctx context.Context, archive, cache string) (string, error) {
	source, err := os.Stat(archive)
	if err != nil {
		return "", fmt.Errorf("find kernel source: %w", err)
	}
	name := archiveRoot(archive)
	done := filepath.Join(cache, fmt.Sprintf("%s-%d", name, source.ModTime().Unix()))
	tests := filepath.Join(done, name, testsInSource)
	if _, err := os.Stat(tests); err == nil {
		return tests, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make cache of test cases: %w", err)
	}
	unpacking, err := os.MkdirTemp(cache, "unpacking-")
	if err != nil {
		return "", fmt.Errorf("make cache of test cases: %w", err)
	}
	defer os.RemoveAll(unpacking)
	tar := exec.CommandContext(ctx, "tar", "-x", "-f", archive, "-C", unpacking, name+"/"+testsInSource)
	if output, err := tar.CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpack test cases from %s: %w: %s", archive, err, output)
	}
	if err := os.Rename(unpacking, done); err != nil {
		return "", fmt.Errorf("keep test cases: %w", err)
	}
	return tests, nil
}

// archiveRoot is the directory that everything in the archive is in: the archive's name without its suffixes.
func archiveRoot(archive string) string {
	name := filepath.Base(archive)
	for _, suffix := range []string{".xz", ".gz", ".bz2", ".zst", ".tar"} {
		if trimmed := name[:len(name)-min(len(name), len(suffix))]; trimmed+suffix == name {
			name = trimmed
		}
	}
	return name
}
