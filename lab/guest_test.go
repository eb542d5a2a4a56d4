// SPDX-License-Identifier: GPL-2.0-or-later

package lab

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standIn makes a program that Run takes for the guest's kernel.
func standIn(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "linux")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(KernelVariable, path)
}

// TestMain lets this binary be the keeper of the guests that its tests start.
func TestMain(m *testing.M) {
	if IsInit() {
		Init()
	}
	os.Exit(m.Run())
}

// leaveExit makes the stand-in report an exit code as a guest's init does.
const leaveExit = `
for argument in "$@"; do
	case $argument in uml_dir=*) control=${argument#uml_dir=} ;; esac
done
echo 5 >"$control/exit"
`

func TestRunPassesOutputAndExitCode(t *testing.T) {
	standIn(t, "echo console; echo out >&3; echo err >&4\n"+leaveExit)
	out := t.TempDir()
	var stdout, stderr strings.Builder
	result, err := Run(context.Background(), Guest{Command: []string{"true"}, OutDir: out, Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	if result.ExitCode != 5 || stdout.String() != "out\n" || stderr.String() != "err\n" {
		t.Errorf("exit code %d, output %q and %q; want 5, out and err", result.ExitCode, stdout.String(), stderr.String())
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("left behind in the output directory: %v, %v", left, err)
	}
}

func TestRunExplainsFailures(t *testing.T) {
	tests := map[string]struct {
		script  string
		timeout time.Duration
		want    []string
	}{
		"panic":         {"echo booting; echo Kernel panic - not syncing: no init; kill -ABRT $$", 0, []string{"guest failed", "Kernel panic - not syncing: no init"}},
		"early end":     {"echo no reason", 0, []string{"powered off before its command ended", "no reason"}},
		"silent end":    {"exit 1", 0, []string{"guest failed", "is empty"}},
		"takes long":    {"echo working; exec sleep 60", 2 * time.Second, []string{"did not finish within 2s", "working"}},
		"child lingers": {"sleep 60 & echo started; wait", 2 * time.Second, []string{"did not finish within 2s", "started"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			standIn(t, test.script)
			out := t.TempDir()
			_, err := Run(context.Background(), Guest{Command: []string{"true"}, OutDir: out, Timeout: test.timeout})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(test.want, out) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not contain %q", err, want)
				}
			}
		})
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	standIn(t, "exec sleep 60")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	out := t.TempDir()
	if _, err := Run(ctx, Guest{Command: []string{"true"}, OutDir: out}); err == nil || !strings.Contains(err.Error(), "guest stopped") {
		t.Errorf("error is %v, want one that says the guest was stopped", err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("left behind in the output directory: %v, %v", left, err)
	}
}
