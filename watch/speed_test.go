// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLinkSpeed(t *testing.T) {
	for content, want := range map[string]int{"1000\n": 1000, "100": 100, "-1\n": 0, "0\n": 0, "": 0, "fast\n": 0, "4294967295\n": 0} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "eth0"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "eth0", "speed"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := linkSpeed(dir, "eth0"); got != want {
			t.Errorf("%q: %d, want %d", content, got, want)
		}
		if got := linkSpeed(dir, "eth1"); got != 0 {
			t.Errorf("no such link: %d", got)
		}
	}
}
