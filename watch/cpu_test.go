// SPDX-License-Identifier: GPL-2.0-or-later

package watch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// statBefore and statAfter are one second, 100 ticks, on two processors.
const (
	statBefore = "cpu  1000 0 500 8000 100 0 400 0 0 0\ncpu0 600 0 300 4000 50 0 300 0 0 0\ncpu1 400 0 200 4000 50 0 100 0 0 0\nintr 12345 0 0\nctxt 5\n"
	statAfter  = "cpu  1040 0 520 8080 110 0 450 0 0 0\ncpu0 620 0 310 4020 50 0 350 0 0 0\ncpu1 420 0 210 4060 60 0 100 0 0 0\nintr 12399 0 0\nctxt 6\n"
)

func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		want          Load
		known         bool
	}{
		"two processors":     {statBefore, statAfter, Load{BusyPercent: 80, SoftirqPercent: 50, CPUs: 2}, true},
		"at rest":            {"cpu0 5 5 5 5 5 5 5 5\n", "cpu0 5 5 5 105 5 5 5 5\n", Load{CPUs: 1}, true},
		"waiting for a disk": {"cpu0 0 0 0 0 0\n", "cpu0 0 0 0 0 100\n", Load{CPUs: 1}, true},
		"all of it":          {"cpu0 0 0 0 9 0 0 0\n", "cpu0 0 0 0 9 0 0 100\n", Load{BusyPercent: 100, SoftirqPercent: 100, CPUs: 1}, true},
		"guests count once":  {"cpu0 0 0 0 0 0 0 0 0 0 0\n", "cpu0 50 0 0 50 0 0 0 0 50 0\n", Load{BusyPercent: 50, CPUs: 1}, true},
		"stolen time":        {"cpu0 0 0 0 0 0 0 0 0\n", "cpu0 0 0 0 75 0 0 0 25\n", Load{BusyPercent: 25, CPUs: 1}, true},
		"iowait goes back":   {"cpu0 0 0 0 100 50\n", "cpu0 50 0 0 150 0\n", Load{BusyPercent: 100, CPUs: 1}, true},
		"before any sample":  {"", statAfter, Load{CPUs: 2}, false},
		"no time passed":     {statAfter, statAfter, Load{CPUs: 2}, false},
		"a processor came":   {"cpu0 0 0 0 0\n", "cpu0 30 0 0 70\ncpu1 99 0 0 1\n", Load{BusyPercent: 30, CPUs: 2}, true},
		"a processor went":   {"cpu0 0 0 0 0\ncpu1 0 0 0 0\n", "cpu0 30 0 0 70\n", Load{BusyPercent: 30, CPUs: 1}, true},
		"cut short":          {"cpu0 0 0 0 0\ncpu1 0 0 0 0\n", "cpu0 30 0 0 70\ncpu1 99 0 0", Load{BusyPercent: 30, CPUs: 1}, true},
		"too many":           {"cpu64 0 0 0 0\n", "cpu64 100 0 0 0\n", Load{}, false},
		"no numbers":         {"cpux 0\ncpu0\n", "cpux 1\ncpu0 x\n", Load{CPUs: 1}, false},
		"large numbers":      {"cpu0 0 0 0 0\n", "cpu0 9000000000000000000 0 0 9000000000000000000\n", Load{BusyPercent: 50, CPUs: 1}, true},
		"nothing":            {"", "", Load{}, false},
	} {
		var before, after [maxCPUs]cpuTimes
		parseStat([]byte(c.before), &before)
		parseStat([]byte(c.after), &after)
		got, known := loadBetween(&before, &after)
		if diff := cmp.Diff(c.want, got); diff != "" || known != c.known {
			t.Errorf("%s: known %v (-want +got):\n%s", name, known, diff)
		}
	}
}

func TestCPUReadsTheFile(t *testing.T) {
	root := t.TempDir()
	missing := NewCPU(root)
	missing.Sample()
	missing.Sample()
	if l, known := missing.Load(); known {
		t.Errorf("without a file %+v is known", l)
	}
	path := filepath.Join(root, "proc/stat")
	writeAll(t, path, statBefore)
	c := NewCPU(root)
	c.Sample()
	if l, known := c.Load(); known {
		t.Errorf("after one sample %+v is known", l)
	}
	writeAll(t, path, statAfter)
	c.Sample()
	if l, known := c.Load(); !known || l.BusyPercent != 80 {
		t.Errorf("%+v, known %v", l, known)
	}
	if n := testing.AllocsPerRun(100, c.Sample); n != 0 {
		t.Errorf("a sample allocates %v times", n)
	}
}

// writeAll writes a file in place, so that one who has it open sees it.
func writeAll(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte(statBefore), []byte(statAfter))
	f.Add([]byte("cpu0 1 2 3"), []byte("cpu99999999999999999999 1\ncpu\ncpu0\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var before, after [maxCPUs]cpuTimes
		parseStat(first, &before)
		parseStat(second, &after)
		l, known := loadBetween(&before, &after)
		if l.BusyPercent < 0 || l.BusyPercent > 100 || l.SoftirqPercent < 0 || l.SoftirqPercent > 100 || l.CPUs > maxCPUs {
			t.Errorf("%+v", l)
		}
		if !known && l.BusyPercent != 0 {
			t.Errorf("not known, but %+v", l)
		}
	})
}
