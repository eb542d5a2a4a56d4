// SPDX-License-Identifier: GPL-2.0-or-later

package malta

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Build builds a program of this module for guests of a byte order, with the Go tool, which keeps what it built.
func Build(ctx context.Context, e Endian, packagePath, target string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", target, packagePath)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+e.GoArch(), "GOMIPS=softfloat", "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s for a guest: %w: %s", packagePath, err, output)
	}
	return nil
}
