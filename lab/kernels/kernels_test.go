// SPDX-License-Identifier: GPL-2.0-or-later

package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(CacheVariable, cache)
	directory := filepath.Join(cache, "kernels", UML)
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(UML); err == nil || !strings.Contains(err.Error(), "scripts/lab-kernel uml") {
		t.Errorf("error %v does not say how to get a kernel", err)
	}
	if err := os.WriteFile(filepath.Join(directory, "kernel"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(UML); err != nil || got != directory {
		t.Errorf("found %q, %v; want %q", got, err, directory)
	}
}
