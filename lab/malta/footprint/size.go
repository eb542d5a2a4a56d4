// SPDX-License-Identifier: GPL-2.0-or-later

package footprint

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// SizesIn takes the sizes of the binaries sqmd-TARGET in a directory.
func SizesIn(ctx context.Context, dir string, targets []string) ([]Size, error) {
	var sizes []Size
	for _, target := range targets {
		file := filepath.Join(dir, "sqmd-"+target)
		info, err := os.Stat(file)
		if err != nil {
			return nil, fmt.Errorf("take sizes: %w; run scripts/size", err)
		}
		s := Size{Target: target, Raw: info.Size()}
		for _, packer := range []struct {
			size *int64
			args []string
		}{{&s.Gzip9, []string{"gzip", "-9"}}, {&s.Xz6, []string{"xz", "-6"}}} {
			if *packer.size, err = packed(ctx, file, packer.args); err != nil {
				return nil, fmt.Errorf("take sizes: %w", err)
			}
		}
		sizes = append(sizes, s)
	}
	return sizes, nil
}

// packed is the size of what a program makes of a file.
func packed(ctx context.Context, file string, args []string) (int64, error) {
	command := exec.CommandContext(ctx, args[0], append(args[1:], "-c", file)...)
	output, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, output)
	if ended := command.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("%s: %w", args[0], ended)
	}
	return n, err
}
